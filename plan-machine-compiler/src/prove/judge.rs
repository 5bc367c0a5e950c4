//! Judges invariants over the explored space: where each invariant may be broken, and whether it is vacuous.

use std::cell::RefCell;
use std::collections::HashMap;

use super::absent::without_plan;
use super::calls::{Calls, claims_calls, settled};
#[cfg(feature = "sessions")]
use super::decisions::{CallDecisions, HostEntries};
use super::evaluate::Scope;
use super::explore::{Edge, Node, Space};
use super::gating::{asks_about_tools, outside_slot};
use super::notes::Unset;
use super::paths::Paths;
use super::suspicion::Suspicion;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Gate};
use crate::model::logic::Truths;
use crate::model::machine::{ChangeKind, DataPath, Machine, Next, Property, Transition};
use crate::model::{Decision, EffectId, EventId, TransitionId};

/// Judges properties in one explored space.
pub(super) struct Judge<'a> {
    pub(super) machine: &'a Machine,
    pub(super) space: &'a Space,
    pub(super) paths: &'a Paths,
    pub(super) unset: &'a Unset,
}

impl Judge<'_> {
    /// Returns whether a condition holds for a node; `None` if it depends on the data of a missing plan, or on the
    /// gating of a record that is never in the slot.
    pub(super) fn truth(&self, node: Node, expr: &Expr) -> Option<Truth> {
        let gates = self.space.held[node.index()] || self.machine.is_many();
        self.truth_where(node, gates, expr)
    }

    /// Returns whether a condition holds for a record that a step has removed from the slot.
    pub(super) fn truth_outside(&self, node: Node, expr: &Expr) -> Option<Truth> {
        self.truth_where(node, self.machine.is_many(), expr)
    }

    fn truth_where(&self, node: Node, gates: bool, expr: &Expr) -> Option<Truth> {
        if self.unset.is_spent() {
            return Some(Truth::Unknown);
        }
        let truth = self.with_scope(node, |scope| {
            if gates || !asks_about_tools(expr) {
                return Some(settled(
                    expr,
                    &|part| claims_calls(self.machine, scope.leaf, part),
                    &|gate, event| self.claim_on_calls(node, gate, event),
                    &|part| scope.truth(part),
                ));
            }
            outside_slot(expr, &|part| scope.truth(part)).truth()
        });
        truth.unwrap_or_else(|| {
            without_plan(self.machine, expr, &|gate, event| {
                self.claim_on_calls(Node::NONE, gate, event)
            })
        })
    }

    /// Returns the explored steps, which decide claims about calls.
    pub(super) fn calls(&self) -> Calls<'_> {
        Calls {
            machine: self.machine,
            space: self.space,
            paths: self.paths,
        }
    }

    fn claim_on_calls(&self, node: Node, gate: Gate, event: EventId) -> Option<Truth> {
        self.unset.look(self.paths.from(node).len());
        self.calls().claim(node, gate, event)
    }

    /// Returns what the machine decides about the calls to a host tool while the slot holds a node. In a machine with
    /// many plans, only `none` decides that.
    #[cfg(feature = "sessions")]
    pub(super) fn decides(&self, node: Node) -> impl Fn(HostEntries) -> CallDecisions {
        let decides = if self.machine.is_many() {
            Node::NONE
        } else {
            node
        };
        move |entries| {
            self.unset.look(self.paths.from(decides).len());
            self.calls().decisions(decides, entries)
        }
    }

    /// Calls a function with what is known about a record's data; returns `None` if there is no plan.
    pub(super) fn with_scope<T>(
        &self,
        node: Node,
        look: impl FnOnce(&Scope<'_>) -> T,
    ) -> Option<T> {
        let config = self.space.configs[node.index()].as_ref()?;
        Some(look(&Scope {
            machine: self.machine,
            leaf: config.leaf,
            data: &config.data,
            measures: &self.space.measures,
            previous: &config.previous,
            event: &[],
            context: &[],
            host_call: None,
            item: None,
            known: &self.space.known(node),
            unset: self.unset,
        }))
    }

    /// Returns a claim about a condition. The claim computes the truth value in each node only once.
    fn claim<'j>(&'j self, expr: &'j Expr) -> Claim<'j> {
        Claim {
            judge: self,
            expr,
            known: RefCell::default(),
        }
    }

    /// Returns the nearest possible violation of the property; `None` if the property holds. All
    /// invariants share the work limit: once it is reached, every further property counts as
    /// possibly broken.
    pub(super) fn suspicion(&self, property: &Property) -> Option<Suspicion> {
        let found = (!self.unset.is_spent()).then(|| self.found(property));
        found
            .filter(|_| !self.unset.is_spent())
            .unwrap_or_else(|| Some(Suspicion::beyond()))
    }

    fn found(&self, property: &Property) -> Option<Suspicion> {
        match property {
            Property::Always(expr) => {
                let claim = self.claim(expr);
                self.at_node(|node| claim.differs(node, Truth::Yes))
            }
            Property::Never(expr) => {
                let claim = self.claim(expr);
                self.at_node(|node| claim.differs(node, Truth::No))
            }
            Property::CanReach(expr, by) => self.cannot_reach(expr, by),
            Property::OnlyBy(expr, by) => {
                let claim = self.claim(expr);
                self.at_edge(|edge| !self.is_by(edge, by) && claim.may_become_true(edge))
            }
            Property::OnlyIn(event, expr) => {
                let claim = self.claim(expr);
                let accepted =
                    self.at_edge(|edge| self.is_by(edge, &[*event]) && claim.may_fail(edge.from));
                nearer(accepted, self.at_running(*event, &claim))
            }
            Property::ChangesOnlyIn(path, expr) => {
                let claim = self.claim(expr);
                self.at_edge(|edge| self.changes(edge, path.as_ref()) && claim.may_fail(edge.from))
            }
            Property::ChangesOnlyBy(path, by) => {
                self.at_edge(|edge| self.changes(edge, path.as_ref()) && !self.is_by(edge, by))
            }
            Property::NeverChanges(path) => self.at_edge(|edge| self.changes(edge, path.as_ref())),
            Property::OnlyGrows(field) => self.at_edge(|edge| self.may_shrink(edge, *field)),
            Property::After(event, expr) => {
                let claim = self.claim(expr);
                let accepted =
                    self.at_edge(|edge| self.is_by(edge, &[*event]) && claim.may_fail(edge.to));
                nearer(accepted, self.at_running(*event, &claim))
            }
            Property::EmittedOnlyBy(effect, by) => {
                self.at_edge(|edge| !self.is_by(edge, by) && self.emits(edge, *effect))
            }
            Property::EmittedOnlyIn(effect, expr) => {
                let claim = self.claim(expr);
                self.at_edge(|edge| {
                    let about = self.emissions(edge).into_iter();
                    about
                        .filter(|(emitted, _)| emitted == effect)
                        .any(|(_, node)| claim.may_fail_after(edge, node))
                })
            }
            Property::NeverEmits(event, effect) => {
                self.at_edge(|edge| self.is_by(edge, &[*event]) && self.emits(edge, *effect))
            }
        }
    }

    fn at_node(&self, suspicious: impl Fn(Node) -> bool) -> Option<Suspicion> {
        let mut nodes = self.space.nodes();
        let node = nodes.find(|node| self.looks_on(1) && suspicious(*node))?;
        Some(Suspicion::on(self.space.way_to(node)))
    }

    fn at_edge(&self, suspicious: impl Fn(&Edge) -> bool) -> Option<Suspicion> {
        let mut edges = self.space.edges.iter();
        let at = edges.position(|edge| self.looks_on(1) && suspicious(edge))?;
        Some(Suspicion::on(self.space.way_by(at)))
    }

    /// Adds examined edges to the work done, and returns whether the work is still below the limit.
    /// Once the limit is reached, the search stops, and its result must not be used.
    fn looks_on(&self, edges: usize) -> bool {
        self.unset.look(edges);
        !self.unset.is_spent()
    }

    /// Returns the shortest path to a situation in which a host tool runs although the condition may be false.
    fn at_running(&self, tool: EventId, claim: &Claim<'_>) -> Option<Suspicion> {
        let node = self
            .space
            .nodes()
            .find(|node| self.looks_on(1) && self.runs_in(*node, tool) && claim.may_fail(*node))?;
        Some(Suspicion {
            runs: true,
            ..Suspicion::on(self.space.way_to_held(node))
        })
    }

    /// Returns whether a host tool runs while the slot holds this node; in a machine with many plans, only `none`
    /// decides that.
    fn runs_in(&self, node: Node, tool: EventId) -> bool {
        let decides = node == Node::NONE || !self.machine.is_many();
        let leaf = self.space.leaf(node);
        self.machine.is_host_tool(tool)
            && self.space.held[node.index()]
            && decides
            && self.machine.decision(leaf, tool) == Decision::Run
    }

    /// Returns whether a step is caused by one of these events.
    pub(super) fn is_by(&self, edge: &Edge, events: &[EventId]) -> bool {
        let goes_by = |name: &EventId| self.machine.goes_by(edge.event, edge.taken, *name);
        self.unset.look(events.len());
        events.iter().any(goes_by)
    }

    /// Returns whether a step writes to a path. The initial data of a new record does not count as a write.
    fn changes(&self, edge: &Edge, path: Option<&DataPath>) -> bool {
        writes_path(self.machine, edge.taken, path)
    }

    fn emits(&self, edge: &Edge, effect: EffectId) -> bool {
        self.emissions(edge)
            .iter()
            .any(|(emitted, _)| *emitted == effect)
    }

    /// Returns the effects of a step, each with the record that it concerns.
    fn emissions(&self, edge: &Edge) -> Vec<(EffectId, Node)> {
        let transition = self.machine.transition(edge.taken);
        let subject = edge.created.or(edge.record).unwrap_or(Node::NONE);
        let mut all: Vec<(EffectId, Node)> = transition
            .emit
            .iter()
            .map(|emit| (emit.effect, subject))
            .collect();
        if let (Some(after), Some(_)) = (edge.record, transition.to) {
            let (exits, entries) = self
                .machine
                .path(self.space.leaf(edge.from), self.space.leaf(after));
            let exits = exits
                .iter()
                .flat_map(|state| &self.machine.state(*state).exit);
            let entries = entries
                .iter()
                .flat_map(|state| &self.machine.state(*state).enter);
            all.extend(exits.chain(entries).map(|emit| (emit.effect, after)));
        }
        if let Some(created) = edge.created {
            let entries = self.machine.entries_from_root(self.space.leaf(created));
            let emits = entries
                .iter()
                .flat_map(|state| &self.machine.state(*state).enter);
            all.extend(emits.map(|emit| (emit.effect, created)));
        }
        self.unset.look(8 + all.len());
        all
    }

    /// Returns the reason why a property is vacuous; `None` if the property is not vacuous.
    pub(super) fn vacuity(&self, property: &Property) -> Option<String> {
        let accepted = |event: EventId| {
            let mut edges = self.space.edges.iter();
            let mut nodes = self.space.nodes();
            edges.any(|edge| self.looks_on(1) && self.is_by(edge, &[event]))
                || nodes.any(|node| self.looks_on(1) && self.runs_in(node, event))
        };
        let name = |event: EventId| &self.machine.event(event).name;
        match property {
            Property::Always(expr) => {
                let ExprKind::Binary(BinaryOp::Implies, premise, _) = &expr.kind else {
                    return None;
                };
                (!self.somewhere(premise, expr)).then(|| "its premise is never true".to_owned())
            }
            Property::Never(expr) => {
                let parts = conjuncts(expr);
                let idle = parts.len() > 1 && parts.iter().any(|part| !self.somewhere(part, expr));
                idle.then(|| {
                    "one of the conditions joined with `and` is not true in any state in which the invariant is checked".to_owned()
                })
            }
            Property::OnlyBy(expr, _) => {
                let claim = self.claim(expr);
                let becomes = self
                    .space
                    .edges
                    .iter()
                    .any(|edge| self.looks_on(1) && claim.may_become_true(edge));
                (!becomes).then(|| "its condition never becomes true".to_owned())
            }
            Property::OnlyIn(event, _) | Property::After(event, _) => {
                (!accepted(*event)).then(|| format!("`{}` is never accepted", name(*event)))
            }
            Property::ChangesOnlyIn(path, _) | Property::ChangesOnlyBy(path, _) => {
                self.idle_data(path.as_ref())
            }
            Property::OnlyGrows(field) => self.idle_data(Some(&DataPath::from(*field))),
            Property::EmittedOnlyBy(effect, _) | Property::EmittedOnlyIn(effect, _) => {
                self.idle_effect(*effect)
            }
            Property::NeverEmits(event, effect) => {
                if accepted(*event) {
                    self.idle_effect(*effect)
                } else {
                    Some(format!("`{}` is never accepted", name(*event)))
                }
            }
            // `can always reach` is checked from every node, and `never changes` itself claims that nothing changes the
            // data.
            Property::CanReach(..) | Property::NeverChanges(_) => None,
        }
    }

    /// Returns whether a property holds, if its condition alone decides that; `None` if that depends on the machine.
    pub(super) fn alone(&self, property: &Property) -> Option<bool> {
        let (expr, wanted) = match property {
            Property::Always(expr) | Property::CanReach(expr, _) => (expr, true),
            Property::Never(expr) => (expr, false),
            _ => return None,
        };
        let truths = Truths::of(self.machine, &[Some(expr)])?;
        if truths.always(0) {
            return Some(wanted);
        }
        truths.never(0).then_some(!wanted)
    }

    fn idle_data(&self, path: Option<&DataPath>) -> Option<String> {
        let mut edges = self.space.edges.iter();
        let changes = edges.any(|edge| self.looks_on(1) && self.changes(edge, path));
        (!changes).then(|| "the data that it names never changes".to_owned())
    }

    fn idle_effect(&self, effect: EffectId) -> Option<String> {
        let mut edges = self.space.edges.iter();
        let emitted = edges.any(|edge| self.looks_on(1) && self.emits(edge, effect));
        (!emitted).then(|| format!("`{}` is never emitted", self.machine.effect(effect).name))
    }

    /// Returns whether a part of a condition may be true in at least one node in which the whole condition is checked.
    fn somewhere(&self, part: &Expr, whole: &Expr) -> bool {
        let mut nodes = self.space.nodes();
        nodes.any(|node| {
            if !self.looks_on(1) {
                return false;
            }
            let judged = node != Node::NONE || self.truth(node, whole).is_some();
            judged
                && self
                    .truth(node, part)
                    .is_some_and(|truth| truth != Truth::No)
        })
    }
}

/// A condition, with its truth values in the nodes that were examined so far. A node is examined only on demand:
/// examining it notes each optional that the condition relies on and that may be unset in the node, and such a note
/// matters only in nodes in which the condition is checked.
struct Claim<'j> {
    judge: &'j Judge<'j>,
    expr: &'j Expr,
    known: RefCell<HashMap<Node, Option<Truth>>>,
}

impl Claim<'_> {
    fn truth(&self, node: Node) -> Option<Truth> {
        let known = self.known.borrow().get(&node).copied();
        known.unwrap_or_else(|| {
            let truth = self.judge.truth(node, self.expr);
            self.known.borrow_mut().insert(node, truth);
            truth
        })
    }

    /// Returns whether the condition may differ from the wanted value. A condition that depends on missing data is not
    /// checked, so the result is `false`.
    fn differs(&self, node: Node, wanted: Truth) -> bool {
        self.truth(node).is_some_and(|truth| truth != wanted)
    }

    /// Returns whether the condition may be true; a condition that depends on missing data is not true.
    fn may_hold(&self, node: Node) -> bool {
        self.differs(node, Truth::No)
    }

    /// Returns whether the condition may be false, or has no truth value.
    fn may_fail(&self, node: Node) -> bool {
        self.truth(node) != Some(Truth::Yes)
    }

    /// Returns whether, after a step, the condition may be false or has no truth value for a record of the step.
    fn may_fail_after(&self, edge: &Edge, node: Node) -> bool {
        let outside = edge.is_outside(node);
        if outside && asks_about_tools(self.expr) {
            return self.judge.truth_outside(node, self.expr) != Some(Truth::Yes);
        }
        self.may_fail(node)
    }

    /// Returns whether a step may make the condition true: for the record that takes the step, for a record that the
    /// step starts, or for the slot that the step releases.
    fn may_become_true(&self, edge: &Edge) -> bool {
        let moved = edge
            .record
            .filter(|after| self.may_fail(edge.from) && self.may_hold(*after))
            .is_some_and(|after| self.judge.can_become_true(edge, after, self.expr));
        let started = edge.created.is_some_and(|node| self.may_hold(node));
        let released = edge.from != Node::NONE
            && edge.to == Node::NONE
            && self.may_fail(edge.from)
            && self.may_hold(Node::NONE);
        moved || started || released
    }
}

/// Returns the suspicion with fewer steps.
fn nearer(one: Option<Suspicion>, other: Option<Suspicion>) -> Option<Suspicion> {
    one.into_iter().chain(other).min_by_key(Suspicion::length)
}

fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            let mut all = conjuncts(left);
            all.extend(conjuncts(right));
            all
        }
        _ => vec![expr],
    }
}

/// Returns whether a transition writes to the given path of the record that takes it, not of a new record; if no path
/// is given, whether it writes to any field of that record.
pub(super) fn writes_path(machine: &Machine, taken: TransitionId, path: Option<&DataPath>) -> bool {
    let transition: &Transition = machine.transition(taken);
    let starts = machine.handler(transition.handler).state == crate::model::StateId::NONE;
    if starts || matches!(transition.next, Some(Next::Copy(_) | Next::Fresh(_))) {
        return false;
    }
    transition.changes.iter().any(|change| {
        let Some(path) = path else { return true };
        change.field == path.field && writes_part(&change.kind, path)
    })
}

fn writes_part(change: &ChangeKind, path: &DataPath) -> bool {
    match (change, path.parts.first()) {
        (ChangeKind::Update { set, clear, .. }, Some(part)) => {
            set.iter().any(|(field, _)| field == part) || clear.contains(part)
        }
        _ => true,
    }
}
