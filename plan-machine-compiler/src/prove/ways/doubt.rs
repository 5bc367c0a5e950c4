//! What a path depends on: the assumptions along the path, and the needs that the sender must meet.

use super::super::known::KnownFacts;
use crate::model::expr::Expr;
use crate::model::types::Field;
use crate::model::{EventId, Machine, TransitionId};

/// An assumption that the abstraction cannot decide.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::prove) struct Doubt {
    /// The assumption, or the question that it leaves open, as it is shown in messages.
    pub(in crate::prove) text: String,
    /// Whether the sender of the event can ensure that the assumption holds.
    pub(in crate::prove) by_payload: bool,
}

impl Doubt {
    /// Returns the assumption that a timer fires: it is not spent, and it is the next timer to fire.
    pub(in crate::prove) fn that_fires(machine: &Machine, timer: EventId) -> Self {
        Self {
            text: format!("`{}` fires", machine.event(timer).name),
            by_payload: false,
        }
    }
}

/// A need that a payload must meet for a path to be taken.
#[derive(Clone)]
pub(super) enum Need {
    /// The condition must hold, or must not hold.
    Holds(Expr, bool),
    /// The value must be within the bounds of its field.
    Fits(Expr, Field),
    /// No sum of the transition may overflow.
    Counts(TransitionId),
}

/// What a path depends on, collected while the path is being followed.
#[derive(Clone, Default)]
pub(super) struct Assumed {
    pub(super) doubts: Vec<Doubt>,
    /// The needs that the sender meets by choosing the payload.
    pub(super) needs: Vec<Need>,
    /// Whether the changes may turn out to be impossible.
    pub(super) may_fail: bool,
    /// What is known besides the data.
    pub(super) known: KnownFacts,
}

impl Assumed {
    /// Returns an empty list of assumptions, together with what is already known.
    pub(super) fn knowing(known: KnownFacts) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// Adds a doubt: if the assumption does not hold, the step is denied.
    pub(super) fn fear(&mut self, text: String) {
        self.may_fail = true;
        self.doubts.push(Doubt {
            text,
            by_payload: false,
        });
    }
}
