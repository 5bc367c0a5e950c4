//! Which decision wins if several machines decide one call.

use crate::tables::Handling;

/// What one machine decides about a call to a host tool. A later variant takes precedence over an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disposition {
    /// The tool may run.
    Run,
    /// The machine takes a transition, and the tool does not run.
    Record,
    /// The call is denied.
    Deny,
}

impl From<Handling> for Disposition {
    fn from(handling: Handling) -> Self {
        match handling {
            Handling::Runs => Self::Run,
            Handling::Takes => Self::Record,
            Handling::Denies | Handling::Nothing => Self::Deny,
        }
    }
}

impl Disposition {
    /// Returns what all machines of a session decide together.
    pub fn joint(each: impl IntoIterator<Item = Self>) -> Self {
        each.into_iter().max().unwrap_or(Self::Run)
    }

    /// Returns the index of the machine that decides a call for the others: the first one whose decision takes
    /// precedence. `None` if all machines let the tool run, so that the call concerns all of them.
    #[must_use]
    pub fn decider(each: &[Self]) -> Option<usize> {
        let joint = Self::joint(each.iter().copied());
        let decides = |one: &Self| *one == joint && joint != Self::Run;
        each.iter().position(decides)
    }

    /// Returns whether the tool runs, now or after a step of the machine.
    #[must_use]
    pub fn runs(self) -> bool {
        self < Self::Record
    }
}

/// The rule for the tools that machines define themselves. [`SessionRule::GATE`] is the rule of every gate; a test removes a
/// part of the rule to see that a proof depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionRule {
    gates_external_tools: bool,
}

impl SessionRule {
    /// The rule of every gate.
    pub const GATE: Self = Self {
        gates_external_tools: true,
    };

    /// The rule without its part on external tools: a tool that can change the outside world would be decided only by
    /// the machine that defines it.
    #[doc(hidden)]
    pub const WITHOUT_EXTERNAL_TOOLS: Self = Self {
        gates_external_tools: false,
    };

    /// Returns whether a machine prevents a call to a tool that another machine defines, given how it would decide a
    /// call to a host tool of that name. Tools that only change their own plan are never prevented.
    #[must_use]
    pub fn prevents(self, external: bool, other: Disposition) -> bool {
        self.gates_external_tools && external && !other.runs()
    }
}

/// The states of a plan, or of `none`, in which a call to a machine's own external tool is decided.
#[derive(Clone, Copy, Debug)]
pub struct StatesOfPlan<S> {
    /// The current state.
    pub now: S,
    /// The state when the batch started; `none` for a plan that the batch itself started.
    pub began: S,
}

/// Applies the batch rule to a machine's own external tool: a plan takes the call only if it would also have taken it
/// when the batch started. Returns the state at the start that prevents the call. `plans` are the plans that the call
/// may be meant for.
pub fn too_early<S: Copy>(
    plans: impl IntoIterator<Item = StatesOfPlan<S>>,
    takes: impl Fn(S) -> bool,
) -> Option<S> {
    let mut plans = plans.into_iter();
    let moved = plans.find(|plan| takes(plan.now) && !takes(plan.began));
    moved.map(|plan| plan.began)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Disposition::{Deny, Record, Run};

    #[test]
    fn a_denial_wins_over_a_record_and_a_record_over_running() {
        assert_eq!(Disposition::joint([Run, Record, Deny]), Deny);
        assert_eq!(Disposition::joint([Run, Record]), Record);
        assert_eq!(Disposition::joint([Run, Run]), Run);
        assert_eq!(Disposition::joint([]), Run);
    }

    #[test]
    fn the_first_machine_with_the_winning_decision_decides() {
        assert_eq!(Disposition::decider(&[Run, Deny, Deny]), Some(1));
        assert_eq!(Disposition::decider(&[Record, Run]), Some(0));
        assert_eq!(Disposition::decider(&[Run, Run]), None);
    }

    #[test]
    fn only_external_tools_are_gated_by_other_machines() {
        assert!(SessionRule::GATE.prevents(true, Record) && SessionRule::GATE.prevents(true, Deny));
        assert!(!SessionRule::GATE.prevents(true, Run) && !SessionRule::GATE.prevents(false, Deny));
        assert!(!SessionRule::WITHOUT_EXTERNAL_TOOLS.prevents(true, Deny));
    }

    #[test]
    fn a_plan_that_was_not_ready_at_the_start_is_too_early() {
        let ready = |state: u8| state == 1;
        let plan = |began, now| StatesOfPlan { now, began };
        assert_eq!(too_early([plan(1, 1), plan(0, 1)], ready), Some(0));
        assert_eq!(too_early([plan(1, 1), plan(0, 0), plan(1, 0)], ready), None);
    }
}
