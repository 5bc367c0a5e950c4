//! The result of a typed move: a plan in a known state, a released plan, a succession, or one of several results if the
//! alternatives lead to different results.

use crate::model::machine::{Machine, Transition};
use crate::model::{EventId, StateId};

/// What happens to the plan when one alternative is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// There is no plan, and none is started: the event can only emit effects and get a reply.
    Answers,
    /// A plan starts in this state.
    Starts(StateId),
    /// The plan stays in its state.
    Stays,
    /// The plan moves to this state.
    Moves(StateId),
    /// The plan leaves the slot in this state.
    Releases(StateId),
    /// The plan ends in the first state, and its successor starts in the second.
    Succeeds(StateId, StateId),
}

/// Returns the outcome of an alternative for a plan in a leaf.
pub(crate) fn of(machine: &Machine, leaf: StateId, transition: &Transition) -> Outcome {
    if leaf == StateId::NONE {
        return match transition.to {
            Some(to) => Outcome::Starts(machine.state(to).initial_leaf),
            None => Outcome::Answers,
        };
    }
    let target = machine.target(leaf, transition);
    match (transition.next, machine.successor(transition)) {
        (_, Some(successor)) => Outcome::Succeeds(target, successor),
        (Some(_), None) => Outcome::Releases(target),
        (None, None) if transition.to.is_none() => Outcome::Stays,
        (None, None) => Outcome::Moves(target),
    }
}

/// Returns the distinct outcomes that an event can have for a plan in a leaf.
pub(crate) fn all(machine: &Machine, leaf: StateId, event: EventId) -> Vec<Outcome> {
    let taken = machine.taken_for(leaf, event).unwrap_or_default();
    let mut found: Vec<Outcome> = taken
        .iter()
        .map(|id| of(machine, leaf, machine.transition(*id)))
        .collect();
    found.sort();
    found.dedup();
    found
}
