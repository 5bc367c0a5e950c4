//! Conditions on a record that has left the slot. Such a record no longer gates tools, so a question about tools has no
//! truth value for it.

use crate::model::expr::{BinaryOp, Expr, ExprKind};

use super::truth::Truth;

/// The possible values of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Possible {
    /// Whether the condition may be true.
    pub yes: bool,
    /// Whether the condition may be false.
    pub no: bool,
    /// Whether the condition may depend on data or gating that does not exist.
    pub absent: bool,
}

impl Possible {
    /// The possible values of a condition that certainly depends on data or gating that does not exist.
    pub const ABSENT: Possible = Possible {
        yes: false,
        no: false,
        absent: true,
    };

    /// Returns the possible values of the negation.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "named like the methods `and` and `or`, which have no operator traits"
    )]
    pub fn not(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
            absent: self.absent,
        }
    }

    /// Returns the possible values of a conjunction.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let both = |one: bool, other: bool| one && other;
        Self {
            yes: both(self.yes, other.yes),
            no: self.no || other.no,
            absent: both(self.absent, other.absent)
                || both(self.absent, other.yes)
                || both(self.yes, other.absent),
        }
    }

    /// Returns the possible values of a disjunction.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    /// Returns the truth value; `None` if the condition has none. A condition that may be either true or without a
    /// truth value is treated as undecided, so that it counts neither as true nor as skipped.
    pub(super) fn truth(self) -> Option<Truth> {
        match (self.yes, self.no, self.absent) {
            (true, false, false) => Some(Truth::Yes),
            (false, true, _) => Some(Truth::No),
            (false, false, _) => None,
            _ => Some(Truth::Unknown),
        }
    }
}

impl From<bool> for Possible {
    fn from(truth: bool) -> Self {
        Truth::from(truth).into()
    }
}

impl From<Truth> for Possible {
    fn from(truth: Truth) -> Self {
        Self {
            yes: truth != Truth::No,
            no: truth != Truth::Yes,
            absent: false,
        }
    }
}

/// Evaluates a condition for a record outside the slot; `part` evaluates the parts that do not ask about tools.
pub(super) fn outside_slot(condition: &Expr, part: &dyn Fn(&Expr) -> Truth) -> Possible {
    let inside = |expr: &Expr| outside_slot(expr, part);
    let both = |left: Possible, right: &dyn Fn() -> Possible| {
        // In `d is set and …`, the right side is read only if `d` is set.
        if left == Possible::from(Truth::No) {
            left
        } else {
            left.and(right())
        }
    };
    match &condition.kind {
        ExprKind::Not(inner) => inside(inner).not(),
        ExprKind::Binary(BinaryOp::And, left, right) => both(inside(left), &|| inside(right)),
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            both(inside(left).not(), &|| inside(right).not()).not()
        }
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            both(inside(left), &|| inside(right).not()).not()
        }
        _ if asks_about_tools(condition) => Possible::ABSENT,
        _ => part(condition).into(),
    }
}

/// Returns whether a condition asks what happens to calls to a tool.
pub(super) fn asks_about_tools(condition: &Expr) -> bool {
    let mut asks = false;
    condition.walk(&mut |inner| asks |= matches!(inner.kind, ExprKind::Gate(..)));
    asks
}
