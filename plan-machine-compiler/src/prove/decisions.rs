//! What one machine decides about the calls to a host tool, given its state and data, for claims about a session.
//!
//! All machines of a session decide about the same call. So a claim about calls needs two things from each machine: the
//! decisions that a call may lead to, and the decisions that some call certainly leads to.

use plan_machine_kernel::session::{Disposition, Dispositions};

use super::calls::Calls;
use super::explore::{Edge, Node};
use super::relevance::expressions_of;
use super::tools::{compares_name, reads_name};
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{EventKind, Fate, Machine, Transition};
use crate::model::{Decision, EventId, StateId};

/// The events whose entries apply to the calls to a host tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostEntries {
    /// The event for the tool, for the class of the call, or for other tools.
    pub entry: EventId,
    /// If the machine has entries both for the tool and for the class of the call: the event for the class. The
    /// stricter entry wins.
    pub class: Option<EventId>,
    /// Whether `entry` is the event for the tool.
    pub is_named: bool,
    /// Whether the calls have a class, so that not every argument is possible.
    pub is_classified: bool,
}

/// What a machine decides about the calls to a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallDecisions {
    /// The decisions that calls may lead to. No call leads to any other decision.
    pub possible: Dispositions,
    /// Decisions that are certain: for each of them, some call leads to it.
    pub certain: Dispositions,
}

impl From<Disposition> for CallDecisions {
    fn from(one: Disposition) -> Self {
        Self {
            possible: one.into(),
            certain: one.into(),
        }
    }
}

impl From<Dispositions> for CallDecisions {
    /// Returns the decisions that are known from the state alone.
    fn from(by_state: Dispositions) -> Self {
        by_state.only().map_or_else(
            || Self {
                possible: by_state,
                certain: none(),
            },
            Self::from,
        )
    }
}

impl CallDecisions {
    /// Combines the decisions that are known from two nodes that represent the same record.
    pub(super) fn and(self, other: Self) -> Self {
        let both = |one: &Disposition| other.possible.may_be(*one);
        Self {
            possible: self.possible.iter().filter(both).collect(),
            certain: self.with_certain(other.certain.iter()).certain,
        }
    }

    /// Adds decisions that were observed for some calls, and are therefore certain.
    pub(super) fn with_certain(self, seen: impl IntoIterator<Item = Disposition>) -> Self {
        Self {
            certain: self.certain.iter().chain(seen).collect(),
            ..self
        }
    }

    /// Returns `true` if it is not known whether all calls are denied.
    pub(super) fn is_open(self) -> bool {
        let all_denied = self.possible.is(Disposition::Deny);
        !all_denied && self.certain.iter().all(|one| one == Disposition::Deny)
    }
}

fn none() -> Dispositions {
    std::iter::empty::<Disposition>().collect()
}

impl HostEntries {
    /// Returns what may happen to the calls in a state of a machine, whatever the data and the calls are.
    pub(super) fn by_state(self, machine: &Machine, leaf: StateId) -> Dispositions {
        machine.joint_dispositions(leaf, self.entry, self.class)
    }

    /// Returns the event whose alternatives decide about the calls in a leaf; `None` if there are no such alternatives.
    pub(super) fn chosen_by(self, machine: &Machine, leaf: StateId) -> Option<EventId> {
        let event = machine.deciding_entry(leaf, self.entry, self.class);
        matches!(machine.decision(leaf, event), Decision::Choose(_)).then_some(event)
    }

    /// Returns how much the steps for an event show about the calls.
    pub(super) fn shown(self, machine: &Machine, leaf: StateId, event: EventId) -> ShownByCalls {
        let is_named = self.is_named && event == self.entry;
        let by_name = !is_named && reads(machine, leaf, event, reads_name);
        if by_name && matches!(machine.event(event).kind, EventKind::External) {
            ShownByCalls::Nothing
        } else if by_name || (self.is_classified && reads(machine, leaf, event, reads_payload)) {
            ShownByCalls::Possible
        } else {
            ShownByCalls::Everything
        }
    }
}

/// How much the steps of one machine for an event show about the calls that a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShownByCalls {
    /// The claim is about every call that can cause the event, or the difference does not matter.
    Everything,
    /// The claim is about only some of the calls that can cause the event, and the alternatives may treat these calls
    /// differently from the other calls: they read the name of the tool, or the arguments, which also determine the
    /// class. So a step that some call can take may be impossible for the calls that the claim is about.
    Possible,
    /// The event represents the class of the call, but the alternatives read the name of the tool.
    Nothing,
}

impl Calls<'_> {
    /// Returns what the machine decides about the calls to a host tool in a node.
    pub(super) fn decisions(&self, node: Node, entries: HostEntries) -> CallDecisions {
        let leaf = self.space.leaf(node);
        let by_state = entries.by_state(self.machine, leaf).into();
        let Some(event) = entries.chosen_by(self.machine, leaf) else {
            return by_state;
        };
        match entries.shown(self.machine, leaf, event) {
            ShownByCalls::Everything => self.chosen(node, event),
            ShownByCalls::Possible => CallDecisions {
                certain: none(),
                ..self.chosen(node, event)
            },
            ShownByCalls::Nothing => by_state,
        }
    }

    /// Returns what the alternatives for an event decide in a node.
    fn chosen(&self, node: Node, event: EventId) -> CallDecisions {
        let all = || {
            let edges = self
                .paths
                .from(node)
                .iter()
                .map(|at| &self.space.edges[*at]);
            edges.filter(move |edge| edge.event == event)
        };
        let decision = |edge: &Edge| match self.machine.transition(edge.taken).fate {
            Fate::Run => Disposition::Run,
            Fate::Count => Disposition::Count,
            Fate::Accept => Disposition::Record,
            Fate::Deny => Disposition::Deny,
        };
        let denied = self.may_deny(node, event).then_some(Disposition::Deny);
        CallDecisions {
            possible: all().map(decision).chain(denied).collect(),
            certain: all()
                .filter(|edge| self.is_certain(edge))
                .map(decision)
                .collect(),
        }
    }

    /// Returns whether the alternatives for an event may deny a call in a node. The answer is always yes if the
    /// alternatives read the call, because the exploration shows which steps are possible, not that every call can take
    /// one of them. It is also always yes in a machine with many instances.
    fn may_deny(&self, node: Node, event: EventId) -> bool {
        let starts_one_of_many = self.machine.is_many();
        starts_one_of_many
            || self.space.deniable.contains(&(node, event))
            || reads(self.machine, self.space.leaf(node), event, reads_call)
    }
}

/// Returns whether an expression in the alternatives for an event has a property.
pub(super) fn reads(
    machine: &Machine,
    leaf: StateId,
    event: EventId,
    has: fn(&Expr) -> bool,
) -> bool {
    let all = machine.taken_for(leaf, event).unwrap_or_default().iter();
    let mut all = all.map(|id| machine.transition(*id));
    all.any(|transition: &Transition| expressions_of(transition).into_iter().any(has))
}

/// Returns whether an expression reads the name of the called tool or its arguments.
fn reads_payload(expr: &Expr) -> bool {
    let mut reads = false;
    expr.walk(&mut |inner| reads |= matches!(inner.kind, ExprKind::Event(_)));
    reads
}

/// Returns whether an expression reads something that differs from call to call.
fn reads_call(expr: &Expr) -> bool {
    let mut reads = reads_payload(expr);
    expr.walk(&mut |inner| reads |= matches!(inner.kind, ExprKind::Context(_) | ExprKind::Now));
    reads
}

/// Returns whether a transition compares the name of the called tool with strings in the spec.
pub(crate) fn compares_tool(transition: &Transition) -> bool {
    expressions_of(transition).into_iter().any(compares_name)
}
