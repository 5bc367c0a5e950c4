//! What a way rests on: what was assumed along it, and what its sender has to see to.

use super::super::known::Known;
use crate::model::TransitionId;
use crate::model::expr::Expr;
use crate::model::types::Field;

/// Something that was assumed because the abstraction does not decide it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::prove) struct Doubt {
    /// What was assumed, in the words of the spec.
    pub(in crate::prove) text: String,
    /// Whoever sends the event can make it so.
    pub(in crate::prove) by_payload: bool,
}

/// What a payload must be like for a way to be taken.
#[derive(Clone)]
pub(super) enum Need {
    /// A condition holds, or does not.
    Holds(Expr, bool),
    /// A value keeps the bounds of the field that it is put into.
    Fits(Expr, Field),
    /// No sum of the transition grows beyond what fits.
    Counts(TransitionId),
}

/// What a way rests on while it is being followed.
#[derive(Clone, Default)]
pub(super) struct Assumed {
    pub(super) doubts: Vec<Doubt>,
    /// What the sender sees to by the payload.
    pub(super) needs: Vec<Need>,
    /// The changes may turn out to be impossible.
    pub(super) may_fail: bool,
    /// What is known beside the data.
    pub(super) known: Known,
}

impl Assumed {
    /// Nothing but what is known already.
    pub(super) fn knowing(known: Known) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// Notes a doubt because of which the step may be denied.
    pub(super) fn fear(&mut self, text: String) {
        self.may_fail = true;
        self.doubts.push(Doubt {
            text,
            by_payload: false,
        });
    }
}
