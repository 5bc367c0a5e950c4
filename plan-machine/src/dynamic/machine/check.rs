//! The checks that apply to the stored plans of every machine, compiled or interpreted.

use std::collections::HashSet;

use super::plans::{PlanView, RestoreError, StoredPlans};
use crate::core::description::Description;

/// The largest count that JSON represents exactly (RFC 8785). No plan changes that often.
const MOST_CHANGES: u64 = (1 << 53) - 1;

impl StoredPlans {
    /// Checks everything that cannot be checked for each plan separately: that the slot names one of the plans, that no
    /// two plans have the same id, and that the number of editions is possible.
    ///
    /// # Errors
    ///
    /// If a check fails; all problems are reported.
    pub(crate) fn check(&self, machine: &Description) -> Result<(), RestoreError> {
        let mut problems = Vec::new();
        let stored = self.plans.len();
        if let Some(slot) = self
            .slot
            .filter(|slot| !machine.is_many() && *slot >= stored)
        {
            let plans = if stored == 1 { "plan is" } else { "plans are" };
            problems.push(format!("`slot` is {slot}, but {stored} {plans} stored"));
        }
        let mut known = HashSet::new();
        for plan in &self.plans {
            if !known.insert(&plan.id) {
                problems.push(format!("duplicate plan id {}", plan.id));
            }
        }
        problems.extend(beyond("editions", self.editions.unwrap_or_default()));
        if problems.is_empty() {
            return Ok(());
        }
        Err(RestoreError {
            plan: None,
            problems,
        })
    }

    /// Checks that a plan which is not in the slot has ended: if a live plan were missing from the slot, the gate would
    /// not apply the rules of its state.
    pub(crate) fn check_place(&self, at: usize, machine: &Description) -> Result<(), RestoreError> {
        let plan = &self.plans[at];
        let state = machine.state_named(&plan.state);
        let ended = state.is_some_and(|state| machine.state(state).is_final);
        if ended || machine.is_many() || self.slot == Some(at) {
            return Ok(());
        }
        let state = &plan.state;
        let problem = format!(
            "its state is {state}, but it is not in the slot; a plan leaves the slot only when it ends"
        );
        Err(plan.damaged(vec![problem]))
    }
}

impl PlanView {
    /// Checks the counters of a plan: its revision and its edition.
    ///
    /// # Errors
    ///
    /// If a counter has a value that no plan can reach.
    pub(crate) fn check_counts(&self) -> Result<(), RestoreError> {
        let counts = [("revision", self.revision), ("edition", self.edition)];
        let problems = counts
            .iter()
            .filter_map(|(name, count)| beyond(name, *count));
        let problems: Vec<String> = problems.collect();
        if problems.is_empty() {
            return Ok(());
        }
        Err(self.damaged(problems))
    }

    /// Returns an error saying that this plan does not match its machine.
    pub(crate) fn damaged(&self, problems: Vec<String>) -> RestoreError {
        RestoreError {
            plan: Some(self.id.clone()),
            problems,
        }
    }
}

fn beyond(name: &str, count: u64) -> Option<String> {
    (count > MOST_CHANGES)
        .then(|| format!("`{name}` is {count}, but it can be at most {MOST_CHANGES}"))
}
