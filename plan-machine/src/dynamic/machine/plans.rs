//! The stored form of plans.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

use crate::core::description::Description;
use crate::core::id::Id;

/// The stored form of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanView {
    /// The plan's identity.
    pub id: Id,
    /// The id of the plan that this plan succeeded.
    pub previous: Option<Id>,
    /// The plan's leaf state.
    pub state: Cow<'static, str>,
    /// The number of times the plan has changed.
    pub revision: u64,
    /// The plan's edition, which increases with each step that writes a reviewed field.
    pub edition: u64,
    /// The token of the content that a person would see now.
    pub token: String,
    /// The plan's data; unset fields are omitted.
    pub data: Object,
    /// The plan's timers by name: the instant at which a timer is due, or `null` for one that is spent. All other
    /// timers are omitted.
    pub timers: Object,
}

impl PlanView {
    /// Returns the instant at which the next timer of the plan is due; `None` if no timer is running.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.due_of(|_| true)
    }

    /// Returns the instant at which a timer ends the plan's approval, or ends the wait for an approval; `None` if no
    /// such timer is running. `machine` is the machine of the plan.
    #[must_use]
    pub fn expires(&self, machine: &Description) -> Option<Instant> {
        let state = machine.state_named(&self.state)?;
        self.due_of(|timer| {
            let timer = machine.event_named(timer);
            timer.is_some_and(|timer| machine.ends_approval(state, timer))
        })
    }

    /// Returns the instant at which the first of the timers that `is_meant` selects is due.
    fn due_of(&self, is_meant: impl Fn(&str) -> bool) -> Option<Instant> {
        let timers = self.timers.iter().filter(|(name, _)| is_meant(name));
        let due = timers.filter_map(|(_, at)| Instant::parse(at.as_text()?).ok());
        due.min()
    }
}

/// The stored plans of a machine in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredPlans {
    /// The plans, in order of creation.
    pub plans: Vec<PlanView>,
    /// The index of the plan in the slot.
    pub slot: Option<usize>,
    /// The last edition that a plan of the machine has used in the session, including plans that are no longer stored;
    /// `None` if the machine reviews nothing or no plan has been started.
    pub editions: Option<u64>,
}

impl StoredPlans {
    /// Returns the editions that have been used; these include at least the editions of the stored plans.
    pub(crate) fn editions(&self, reviews: bool) -> Editions {
        let mut editions = Editions::up_to(self.editions.filter(|_| reviews));
        for plan in self.plans.iter().filter(|_| reviews) {
            editions.keep(plan.edition);
        }
        editions
    }
}

/// A stored plan that does not match the machine, or plans that are inconsistent with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    /// The plan that does not match; `None` if the plans are inconsistent with each other.
    pub plan: Option<Id>,
    /// All problems found.
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
