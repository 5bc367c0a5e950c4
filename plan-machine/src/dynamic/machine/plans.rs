//! Plans as they are stored.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::Object;

use crate::core::id::Id;

/// A plan, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanView {
    /// Its identity.
    pub id: Id,
    /// The plan it succeeded.
    pub previous: Option<Id>,
    /// Its leaf state.
    pub state: Cow<'static, str>,
    /// How often it has changed.
    pub revision: u64,
    /// How often a reviewed field has changed.
    pub edition: u64,
    /// The token of what a person would see now.
    pub token: String,
    /// Its data; unset fields are omitted.
    pub data: Object,
}

/// The stored plans of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredPlans {
    /// The plans, in the order of creation.
    pub plans: Vec<PlanView>,
    /// The position of the plan in the slot.
    pub slot: Option<usize>,
    /// The last edition that a plan of the session has had, including plans that are gone; `None` if nothing is
    /// reviewed, or no plan has been started.
    pub editions: Option<u64>,
}

impl StoredPlans {
    /// Returns the editions that were used: never fewer than the plans show.
    pub(crate) fn editions(&self, reviews: bool) -> Editions {
        let mut editions = Editions::up_to(self.editions.filter(|_| reviews));
        for plan in self.plans.iter().filter(|_| reviews) {
            editions.keep(plan.edition);
        }
        editions
    }
}

/// A stored plan that does not fit the machine, or plans that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    /// The plan; `None` if the plans do not fit together.
    pub plan: Option<Id>,
    /// Everything that is wrong with it.
    pub problems: Vec<String>,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.plan {
            Some(plan) => write!(f, "the plan {plan} cannot be read: ")?,
            None => f.write_str("the stored plans cannot be read: ")?,
        }
        f.write_str(&self.problems.join("; "))
    }
}

impl Error for RestoreError {}
