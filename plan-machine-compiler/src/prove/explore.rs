//! Explores everything that is reachable, breadth first, so that the path found to each node is a shortest path.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::abstraction::Abs;
use super::config::Config;
use super::known::KnownFacts;
use super::measures::Measure;
use super::notes::Place;
use super::pairs::Pair;
use super::tools::ToolName;
use super::ways::{Doubt, PayloadCase, Stepper, Way};
use crate::model::machine::Machine;
use crate::model::{EventId, StateId, TransitionId};

/// The maximum number of configurations that are examined. If there are more, nothing is proved.
pub const BOUND: usize = 20_000;

/// The maximum number of edges that are stored.
const MAX_EDGES: usize = 500_000;

/// The maximum number of event cases that are tried while numbers are distinguished. Trying more cases would take more
/// time than the additional results are worth.
const MAX_CASES: usize = 60_000;

/// The maximum amount of stored data: the fields of configurations and the texts of undecided assumptions.
const MAX_ROOM: usize = 6_000_000;

/// A node of the space: a configuration, or "no plan".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node(pub(super) u32);

impl Node {
    /// The node that represents "no plan".
    pub(super) const NONE: Node = Node(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One accepted step.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// The node in the slot before the step.
    pub(super) from: Node,
    pub(super) event: EventId,
    pub(super) taken: TransitionId,
    /// The record that took the step, as it is after the step.
    pub(super) record: Option<Node>,
    /// The record that the step started.
    pub(super) created: Option<Node>,
    /// The node in the slot after the step.
    pub(super) to: Node,
    pub(super) doubts: Vec<Doubt>,
}

impl Edge {
    /// Returns whether this node is a record of the step that may be outside the slot after the step.
    pub(super) fn is_outside(&self, node: Node) -> bool {
        let ended = self.created.is_some() || self.to == Node::NONE;
        ended && self.record == Some(node)
    }
}

/// Edges between which the sender cannot choose: the sender can cause one of them to be taken, but cannot control which
/// of them.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) from: Node,
    pub(super) event: EventId,
    /// The indices of these edges in the list of all edges.
    pub(super) edges: Vec<usize>,
    /// The indices that `edges` contains, grouped by the cases of the context; a group is empty if the step is denied
    /// in that case.
    pub(super) by_context: Vec<Vec<usize>>,
    /// Whether the step may be denied.
    pub(super) may_be_denied: bool,
    /// Whether the step may need a host tool that the spec does not declare.
    pub(super) needs_tool: bool,
}

/// The result of an exploration.
pub(super) struct Space {
    /// The configurations; the first entry represents "no plan".
    pub(super) configs: Vec<Option<Config>>,
    index: HashMap<Config, Node>,
    /// For each node: whether the slot can hold it.
    pub(super) held: Vec<bool>,
    /// For each node: the first edge that led to it.
    first: Vec<Option<usize>>,
    /// For each node: the first edge after which the slot held it.
    first_held: Vec<Option<usize>>,
    pub(super) edges: Vec<Edge>,
    pub(super) choices: Vec<Choice>,
    /// The timers that may have no transition to take when they are due. Such a timer is then spent, even if a
    /// transition becomes possible later.
    pub(super) spent: BTreeSet<EventId>,
    /// The nodes in which a call to a host tool may be denied even though the state has alternatives for it.
    pub(super) deniable: HashSet<(Node, EventId)>,
    /// For each expression that relies on an optional that may be unset: the first node and event for which the
    /// exploration found this problem.
    pub(super) unset: BTreeMap<Place, (Node, EventId)>,
    /// Whether everything was examined without reaching a limit.
    pub(super) complete: bool,
    /// Pairs of strings that are tracked together.
    pairs: Vec<Pair>,
    /// The tracked measures of lists.
    pub(super) measures: Vec<Measure>,
    /// The number of event cases that may still be tried.
    cases_left: usize,
    /// How much was examined by earlier explorations that tracked more data and were given up.
    pub(super) given_up: usize,
    /// The edges of the current node and event, used to detect duplicates.
    recent_edges: HashMap<EdgeKey, usize>,
    /// The choices of the current node and event, used to detect duplicates.
    recent_choices: HashSet<(Vec<Vec<usize>>, bool, bool)>,
    /// The amount of stored data.
    room: usize,
}

/// Two edges of the same node and event are equal if they have the same key: the transition, the resulting nodes, and
/// whether an assumption is undecided.
type EdgeKey = (TransitionId, Option<Node>, Option<Node>, Node, bool);

impl Space {
    /// Explores a machine.
    pub(super) fn of(machine: &Machine, stepper: &Stepper<'_>) -> Self {
        let mut space = Self {
            configs: vec![None],
            index: HashMap::new(),
            held: vec![true],
            first: vec![None],
            first_held: vec![None],
            edges: Vec::new(),
            choices: Vec::new(),
            spent: BTreeSet::new(),
            deniable: HashSet::new(),
            unset: BTreeMap::new(),
            complete: true,
            pairs: stepper.relevant.pairs.clone(),
            measures: stepper.relevant.cells.measures.clone(),
            cases_left: if stepper.relevant.cells.is_empty() {
                usize::MAX
            } else {
                MAX_CASES
            },
            given_up: 0,
            recent_edges: HashMap::new(),
            recent_choices: HashSet::new(),
            room: 0,
        };
        let payloads: Vec<Vec<PayloadCase>> = machine
            .event_ids()
            .map(|event| stepper.payload_cases(event))
            .collect();
        let contexts = stepper.context_cases();
        let mut queue = VecDeque::from([Node::NONE]);
        while let Some(node) = queue.pop_front() {
            for event in machine.event_ids() {
                if !looks_at(machine, &space, node, event) {
                    continue;
                }
                space.explore_event(
                    stepper,
                    node,
                    event,
                    &payloads[event.index()],
                    &contexts,
                    &mut queue,
                );
                if space.is_too_large(stepper) {
                    space.complete = false;
                    return space;
                }
            }
        }
        space
    }

    /// Returns how much was examined: configurations, steps between them, and event cases if their number is limited.
    pub(super) fn examined(&self) -> usize {
        let cases = MAX_CASES.saturating_sub(self.cases_left);
        self.given_up + self.configs.len() + self.edges.len() + cases
    }

    /// Returns how much is stored: the same amount that the limit on stored data counts, plus the steps.
    #[cfg(feature = "sessions")]
    pub(super) fn stored(&self) -> usize {
        self.room.saturating_add(4 * self.edges.len())
    }

    /// Returns whether a limit was exceeded.
    fn is_too_large(&self, stepper: &Stepper<'_>) -> bool {
        self.configs.len() > BOUND
            || self.edges.len() > MAX_EDGES
            || self.room > MAX_ROOM
            || self.cases_left == 0
            || stepper.unset.is_spent()
    }

    /// Returns the node of a configuration, if the exploration has found it.
    pub(super) fn node_of(&self, config: &Config) -> Option<Node> {
        self.index.get(config).copied()
    }

    /// Returns the leaf of a node.
    pub(super) fn leaf(&self, node: Node) -> StateId {
        self.configs[node.index()]
            .as_ref()
            .map_or(StateId::NONE, |config| config.leaf)
    }

    /// Returns what is known about a node besides its data.
    pub(super) fn known(&self, node: Node) -> KnownFacts {
        KnownFacts::of(&self.pairs, self.configs[node.index()].as_ref())
    }

    /// Returns every node: "no plan" first, then in order of distance.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.configs.len()).map(|index| Node(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    fn explore_event(
        &mut self,
        stepper: &Stepper<'_>,
        node: Node,
        event: EventId,
        payloads: &[PayloadCase],
        contexts: &[Vec<Abs>],
        queue: &mut VecDeque<Node>,
    ) {
        let config = self.configs[node.index()].clone();
        self.recent_edges.clear();
        self.recent_choices.clear();
        // An event whose transitions do not read the context has the same edges in every context.
        let contexts = if stepper.reads_context(event) {
            contexts
        } else {
            &contexts[..1]
        };
        let cases = payloads.len() * contexts.len();
        self.cases_left = self.cases_left.saturating_sub(cases);
        for payload in payloads {
            let mut ways: Vec<Vec<Way>> = Vec::new();
            for context in contexts {
                if self.is_too_large(stepper) {
                    return;
                }
                ways.push(stepper.ways(config.as_ref(), event, payload, context));
            }
            let all = || ways.iter().flatten();
            if all().any(|way| way.taken.is_none()) {
                self.note_denied(stepper.machine, node, event);
            }
            stepper.unset.spend(all().map(Way::size).sum());
            let mut doubts = all().flat_map(|way| &way.doubts);
            let open = contexts.len() > 1 || doubts.any(|doubt| !doubt.by_payload);
            let sent = (event, payload.name);
            if open {
                self.add_choice(node, sent, ways, queue);
            } else {
                for way in ways.into_iter().flatten() {
                    self.add_choice(node, sent, vec![vec![way]], queue);
                }
            }
        }
        self.note_unset(stepper, node, event);
    }

    /// Records that a timer or a call to a host tool may be denied although the state has alternatives for it.
    fn note_denied(&mut self, machine: &Machine, node: Node, event: EventId) {
        if machine.timer(event).is_some() {
            self.spent.insert(event);
        }
        if machine.is_host_tool(event) {
            self.deniable.insert((node, event));
        }
    }

    /// Returns the names of the events on a path, in backticks.
    pub(super) fn events_on(&self, machine: &Machine, way: &[usize]) -> Vec<String> {
        let events = way.iter().map(|at| self.edges[*at].event);
        events
            .map(|event| format!("`{}`", machine.event(event).name))
            .collect()
    }

    /// Records the node and event where an expression was first seen to rely on an optional that may be unset.
    fn note_unset(&mut self, stepper: &Stepper<'_>, node: Node, event: EventId) {
        let seen = stepper.unset.borrow();
        if seen.len() > self.unset.len() {
            for place in seen.iter() {
                self.unset.entry(*place).or_insert((node, event));
            }
        }
    }

    /// Adds edges between which the sender cannot choose, grouped by the context case in which they are taken.
    fn add_choice(
        &mut self,
        from: Node,
        (event, name): (EventId, ToolName),
        ways: Vec<Vec<Way>>,
        queue: &mut VecDeque<Node>,
    ) {
        let may_be_denied = ways.iter().flatten().any(|way| way.taken.is_none());
        let needs_tool = name == ToolName::Particular;
        let mut by_context = Vec::new();
        for ways in ways {
            let mut edges = Vec::new();
            for way in ways {
                if let Some(edge) = self.edge(from, event, way, queue) {
                    edges.push(self.add_edge(edge));
                }
            }
            by_context.push(distinct(edges));
        }
        let by_context = distinct(by_context);
        let edges = distinct(by_context.iter().flatten().copied().collect());
        if edges.is_empty() {
            return;
        }
        if self
            .recent_choices
            .insert((by_context.clone(), may_be_denied, needs_tool))
        {
            self.choices.push(Choice {
                from,
                event,
                edges,
                by_context,
                may_be_denied,
                needs_tool,
            });
        }
    }

    fn edge(
        &mut self,
        from: Node,
        event: EventId,
        way: Way,
        queue: &mut VecDeque<Node>,
    ) -> Option<Edge> {
        let taken = way.taken?;
        let record = way.record.map(|config| self.node(config));
        let created = way.created.map(|config| self.node(config));
        let to = match (created, way.released) {
            (Some(created), _) => created,
            (None, true) => Node::NONE,
            (None, false) => record.unwrap_or(Node::NONE),
        };
        if !std::mem::replace(&mut self.held[to.index()], true) {
            queue.push_back(to);
        }
        Some(Edge {
            from,
            event,
            taken,
            record,
            created,
            to,
            doubts: way.doubts,
        })
    }

    fn node(&mut self, config: Config) -> Node {
        if let Some(node) = self.index.get(&config) {
            return *node;
        }
        let node = Node(u32::try_from(self.configs.len()).unwrap_or(u32::MAX));
        self.room += 2 * config.data.len() + 8;
        self.configs.push(Some(config.clone()));
        self.index.insert(config, node);
        self.held.push(false);
        self.first.push(None);
        self.first_held.push(None);
        node
    }

    /// Adds an edge, or finds an equal edge of the same node and event; returns its index.
    fn add_edge(&mut self, edge: Edge) -> usize {
        let sure = edge.doubts.is_empty();
        let key = (edge.taken, edge.record, edge.created, edge.to, sure);
        if let Some(at) = self.recent_edges.get(&key) {
            return *at;
        }
        let at = self.edges.len();
        for node in [edge.record, edge.created].into_iter().flatten() {
            self.first[node.index()].get_or_insert(at);
        }
        if edge.to != Node::NONE {
            self.first_held[edge.to.index()].get_or_insert(at);
        }
        let doubts = edge.doubts.iter();
        self.room += doubts.map(|doubt| 2 + doubt.text.len() / 16).sum::<usize>();
        self.edges.push(edge);
        self.recent_edges.insert(key, at);
        at
    }

    /// Returns the edges of a shortest path to a node.
    pub(super) fn way_to(&self, node: Node) -> Vec<usize> {
        let Some(last) = self.first[node.index()].filter(|_| node != Node::NONE) else {
            return Vec::new();
        };
        self.way_by(last)
    }

    /// Returns the edges of a shortest path after which the slot holds a node.
    pub(super) fn way_to_held(&self, node: Node) -> Vec<usize> {
        self.first_held[node.index()].map_or_else(Vec::new, |last| self.way_by(last))
    }

    /// Returns the edges of a shortest path up to and including this edge.
    pub(super) fn way_by(&self, edge: usize) -> Vec<usize> {
        let mut way = vec![edge];
        let mut from = self.edges[edge].from;
        while from != Node::NONE {
            let Some(before) = self.first_held[from.index()] else {
                break;
            };
            way.push(before);
            from = self.edges[before].from;
        }
        way.reverse();
        way
    }
}

/// Returns the elements in sorted order, without duplicates.
fn distinct<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns whether an event is examined in a node. In a machine with many plans, calls to host
/// tools are examined only in `none`, which decides what happens to them. A plan that has ended has no timers.
fn looks_at(machine: &Machine, space: &Space, node: Node, event: EventId) -> bool {
    let elsewhere = machine.is_host_tool(event) && machine.is_many() && node != Node::NONE;
    let leaf = space.leaf(node);
    let ended = machine.timer(event).is_some() && machine.is_final(leaf);
    !elsewhere && !ended && machine.taken_for(leaf, event).is_some()
}
