//! The situations that one machine can be in, for claims about several machines of a session.
//!
//! The machine is explored alone. Its reachable configurations are grouped by the answers to a few questions, because a
//! claim about a session depends on nothing else. A denial by another machine can only remove steps, so the groups
//! contain everything that the machine can do in a session.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use plan_machine_kernel::session::Disposition;

use super::absent::without_plan;
pub use super::decisions::{CallDecisions, HostEntries};
use super::explorations::{Exploration, Explorations};
use super::explore::{Edge, Node, Space};
use super::gating::Possible;
use super::judge::Judge;
use super::notes::Unset;
use super::truth::Truth;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{Invariant, Property};
use crate::model::{Checked, EventId, Machine, StateId};
use crate::semantics::{HeldRecords, Record, START_OF_TIME, holds};
use crate::source::Span;

/// The maximum number of situations of a machine.
const MAX_SITUATIONS: usize = 4_096;
/// The maximum number of moves between the situations of a machine.
const MAX_MOVES: usize = 100_000;

/// The questions that a claim about a session asks about one machine.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Conditions on the plan in the slot. In a machine with many plans, a condition holds if some live plan satisfies
    /// it.
    pub conditions: Vec<Expr>,
    /// The tools that the claim is about, each with its role for this machine.
    pub tools: Vec<SeenTool>,
}

/// A tool, with its role for one machine of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenTool {
    /// A tool that the machine itself defines.
    Own(EventId),
    /// A tool of another machine, with the event whose entries apply to it. Only the state matters: a machine prevents
    /// such a call unless all calls would simply run.
    OfAnother(EventId),
    /// A host tool.
    Host(HostEntries),
}

/// What the configurations of one group have in common: their answers to the questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Situation {
    /// The possible values of each condition.
    pub truths: Vec<Possible>,
    /// What the machine decides about the calls to each tool. For one of its own tools: whether it takes the call or
    /// denies it.
    pub tools: Vec<CallDecisions>,
}

/// A step from one situation to another, given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The event that was sent.
    pub event: EventId,
    /// The event whose entry applied.
    pub entry: EventId,
    /// The situation before the step.
    pub before: usize,
    /// The situation after the step.
    pub after: usize,
}

/// One explored machine.
pub struct View {
    pub(super) probe: Checked<Machine>,
    pub(super) explored: Rc<Exploration>,
    /// The situations that the machine can be in; the machine starts in the first situation.
    pub situations: Vec<Situation>,
    /// The steps between situations.
    pub moves: Vec<Move>,
}

impl Questions {
    /// Returns whether there are no questions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.tools.is_empty()
    }
}

impl View {
    /// Explores a machine, or uses an earlier exploration of it; returns `None` if there is too much to examine. Also
    /// returns how much was examined: mainly the number of configurations and of the steps between them, plus the
    /// number of questions about the configurations. An earlier exploration counts like a new exploration, so that the
    /// verdict on an invariant does not depend on the other invariants.
    #[must_use]
    pub fn of(explorations: &mut Explorations, questions: &Questions) -> (Option<Self>, usize) {
        let probe = probe(explorations.machine(), questions);
        let explored = explorations.for_conditions(&probe);
        let space = &explored.space;
        let asked = questions.conditions.len() + questions.tools.len();
        let examined = space.examined() + space.configs.len() * asked;
        if !space.complete {
            return (None, examined);
        }
        (Self::grouped(probe, questions, explored), examined)
    }

    fn grouped(
        probe: Checked<Machine>,
        questions: &Questions,
        explored: Rc<Exploration>,
    ) -> Option<Self> {
        let unset = Unset::default();
        let space = &explored.space;
        let judge = Judge {
            machine: &probe,
            space,
            paths: &explored.paths,
            unset: &unset,
        };
        let mut groups = Groups::new(&probe, questions);
        let nodes = space.nodes();
        let each: Vec<Situation> = nodes.map(|node| groups.of_node(&judge, node)).collect();
        let found = if probe.is_many() {
            let without = without_records(&probe, questions, &judge.decides(Node::NONE));
            groups.among_many(space, &each, without)
        } else {
            groups.in_slot(space, &each)
        };
        found.filter(|()| !unset.is_spent())?;
        let Groups {
            situations, moves, ..
        } = groups;
        Some(Self {
            probe,
            explored,
            situations,
            moves,
        })
    }

    /// Returns the machine.
    #[must_use]
    pub fn machine(&self) -> &Checked<Machine> {
        &self.probe
    }
}

/// Returns what a machine decides about the calls to a host tool.
type Decides<'a> = &'a dyn Fn(HostEntries) -> CallDecisions;

/// Returns the situation of concrete records.
pub(super) fn situation_of(
    machine: &Machine,
    questions: &Questions,
    held: &HeldRecords,
    decides: Decides<'_>,
) -> Situation {
    if machine.is_many() {
        let live = held.records.iter();
        let live = live.filter(|record| !machine.is_final(record.leaf()));
        let each = live.map(|record| concrete(machine, questions, Some(record), decides));
        let start = without_records(machine, questions, decides);
        return each.fold(start, |one, other| merged(questions, &one, &other));
    }
    concrete(machine, questions, held.in_slot(), decides)
}

fn concrete(
    machine: &Machine,
    questions: &Questions,
    record: Option<&Record>,
    decides: Decides<'_>,
) -> Situation {
    let truth = |condition: &Expr| match record {
        // Claims about calls are not part of these conditions.
        None => without_plan(machine, condition, &|_, _| Some(Truth::Unknown))
            .map_or(Possible::ABSENT, Possible::from),
        Some(_) => holds(machine, record, condition, START_OF_TIME)
            .map_or(Possible::ABSENT, Possible::from),
    };
    let leaf = record.map_or(StateId::NONE, Record::leaf);
    Situation {
        truths: questions.conditions.iter().map(truth).collect(),
        tools: tools(machine, questions, leaf, decides),
    }
}

/// Returns what a machine decides about each tool in a leaf.
fn tools(
    machine: &Machine,
    questions: &Questions,
    leaf: StateId,
    decides: Decides<'_>,
) -> Vec<CallDecisions> {
    let gates = if machine.is_many() {
        StateId::NONE
    } else {
        leaf
    };
    let decision = |tool: &SeenTool| match tool {
        SeenTool::Own(event) => {
            let leaves = [leaf, gates];
            let mut leaves = leaves.into_iter();
            let takes = leaves.any(|leaf| machine.alternatives(leaf, *event).is_some());
            if takes {
                Disposition::Record.into()
            } else {
                Disposition::Deny.into()
            }
        }
        SeenTool::OfAnother(event) => machine.dispositions(gates, *event).into(),
        SeenTool::Host(entries) => decides(*entries),
    };
    questions.tools.iter().map(decision).collect()
}

/// Returns the situation in which a machine with many plans has no live plan.
fn without_records(machine: &Machine, questions: &Questions, decides: Decides<'_>) -> Situation {
    let conditions = questions.conditions.iter();
    Situation {
        truths: conditions.map(|one| asks_for_none(one).into()).collect(),
        tools: tools(machine, questions, StateId::NONE, decides),
    }
}

/// Returns whether a condition asks whether there is no live plan.
fn asks_for_none(condition: &Expr) -> bool {
    condition.kind == ExprKind::InState(StateId::NONE)
}

/// Adds a live plan to the situation of a machine with many plans: a condition holds if some plan satisfies it, and a
/// tool of the machine is available if some plan accepts calls to it.
fn merged(questions: &Questions, all: &Situation, one: &Situation) -> Situation {
    let truths = questions
        .conditions
        .iter()
        .zip(&all.truths)
        .zip(&one.truths);
    let tools = all.tools.iter().zip(&one.tools);
    Situation {
        truths: truths
            .map(|((condition, all), one)| {
                if asks_for_none(condition) {
                    Possible::from(false)
                } else {
                    all.or(*one)
                }
            })
            .collect(),
        // The plans differ only in what they do with the machine's own tools: they take or deny the
        // calls.
        tools: tools.map(|(all, one)| *all.min(one)).collect(),
    }
}

/// Returns a copy of the machine in which the conditions are the invariants, so that the exploration tracks the data
/// that the conditions read.
fn probe(machine: &Machine, questions: &Questions) -> Checked<Machine> {
    let mut probe = machine.clone();
    let conditions = questions.conditions.iter();
    let invariants = conditions.map(|condition| Invariant {
        name: String::new(),
        span: Span::default(),
        text: String::new(),
        property: Property::Always(condition.clone()),
    });
    probe.invariants = invariants.collect();
    Checked::new(probe)
}

/// The situations of a machine while they are collected.
struct Groups<'q> {
    machine: &'q Machine,
    questions: &'q Questions,
    index: HashMap<Situation, usize>,
    situations: Vec<Situation>,
    moves: Vec<Move>,
    known: HashSet<Move>,
}

impl<'q> Groups<'q> {
    fn new(machine: &'q Machine, questions: &'q Questions) -> Self {
        Self {
            machine,
            questions,
            index: HashMap::new(),
            situations: Vec::new(),
            moves: Vec::new(),
            known: HashSet::new(),
        }
    }

    fn of_node(&self, judge: &Judge<'_>, node: Node) -> Situation {
        let conditions = self.questions.conditions.iter();
        let truths = conditions.map(|condition| {
            let truth = judge.truth(node, condition);
            truth.map_or(Possible::ABSENT, Possible::from)
        });
        let leaf = judge.space.leaf(node);
        Situation {
            truths: truths.collect(),
            tools: tools(self.machine, self.questions, leaf, &judge.decides(node)),
        }
    }

    /// Adds a situation; returns its index, or `None` if there are too many.
    fn add(&mut self, situation: Situation) -> Option<usize> {
        if let Some(at) = self.index.get(&situation) {
            return Some(*at);
        }
        let at = self.situations.len();
        self.situations.push(situation.clone());
        self.index.insert(situation, at);
        (at < MAX_SITUATIONS).then_some(at)
    }

    fn add_move(&mut self, edge: &Edge, before: usize, after: usize) -> Option<()> {
        let entry = self.machine.transition(edge.taken).handler;
        let made = Move {
            event: edge.event,
            entry: self.machine.handler(entry).event,
            before,
            after,
        };
        if self.known.insert(made) {
            self.moves.push(made);
        }
        (self.moves.len() <= MAX_MOVES).then_some(())
    }

    /// Groups the nodes that the slot can hold.
    fn in_slot(&mut self, space: &Space, each: &[Situation]) -> Option<()> {
        let mut places = vec![0; each.len()];
        for node in space.nodes().filter(|node| space.held[node.index()]) {
            places[node.index()] = self.add(each[node.index()].clone())?;
        }
        for edge in &space.edges {
            self.add_move(edge, places[edge.from.index()], places[edge.to.index()])?;
        }
        Some(())
    }

    /// Combines the situations of single plans: the plans of a machine with many plans may be in any combination of
    /// them.
    fn among_many(&mut self, space: &Space, each: &[Situation], without: Situation) -> Option<()> {
        let machine = self.machine;
        let alive = |node: &Node| *node != Node::NONE && !machine.is_final(space.leaf(*node));
        let alone: BTreeSet<&Situation> = space
            .nodes()
            .filter(alive)
            .map(|node| &each[node.index()])
            .collect();
        self.add(without)?;
        let mut next = 0;
        while next < self.situations.len() {
            for one in &alone {
                let both = merged(self.questions, &self.situations[next], one);
                self.add(both)?;
            }
            next += 1;
        }
        for edge in &space.edges {
            let after = edge.record.into_iter().chain(edge.created);
            let after: Vec<Node> = after.filter(alive).collect();
            let before: Vec<Node> = Some(edge.from).into_iter().filter(alive).collect();
            for beside in 0..self.situations.len() {
                let with = |plans: &[Node]| {
                    let beside = self.situations[beside].clone();
                    plans.iter().fold(beside, |all, node| {
                        merged(self.questions, &all, &each[node.index()])
                    })
                };
                let (before, after) = (with(&before), with(&after));
                let (before, after) = (self.add(before)?, self.add(after)?);
                self.add_move(edge, before, after)?;
            }
        }
        Some(())
    }
}
