//! Determines which decision wins if several machines decide what happens to the same call.

use crate::tables::Handling;

/// What one machine decides about a call to a host tool. Later variants take precedence over earlier variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Disposition {
    /// The tool may run.
    Run,
    /// The machine takes a transition that counts the call, and the tool runs.
    Count,
    /// The machine takes a transition, and the tool does not run.
    Record,
    /// The call is denied.
    Deny,
}

impl Disposition {
    const ALL: [Self; 4] = [Self::Run, Self::Count, Self::Record, Self::Deny];

    /// Returns what all machines of a session decide together.
    pub fn joint(each: impl IntoIterator<Item = Self>) -> Self {
        each.into_iter().max().unwrap_or(Self::Run)
    }

    /// Returns the index of the machine that decides what happens to a call: the first machine whose decision takes
    /// precedence. Returns `None` if the tool runs, because the call then concerns all machines.
    #[must_use]
    pub fn decider(each: &[Self]) -> Option<usize> {
        let joint = Self::joint(each.iter().copied());
        let decides = |one: &Self| *one == joint && !joint.runs();
        each.iter().position(decides)
    }

    /// Returns whether the tool runs, now or after a step of the machine.
    #[must_use]
    pub fn runs(self) -> bool {
        self < Self::Record
    }
}

/// The possible decisions about calls to a host tool, as far as they depend on states alone. If alternatives determine
/// what happens to each call, there are several possibilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dispositions(u8);

impl From<Disposition> for Dispositions {
    fn from(one: Disposition) -> Self {
        Self(1 << one as u8)
    }
}

impl From<Handling> for Dispositions {
    fn from(handling: Handling) -> Self {
        match handling {
            Handling::Runs => Disposition::Run.into(),
            Handling::Takes => Disposition::Record.into(),
            Handling::Denies | Handling::Nothing => Disposition::Deny.into(),
            Handling::MayRun => [Disposition::Run, Disposition::Count, Disposition::Deny]
                .into_iter()
                .collect(),
            Handling::MayRecord => Disposition::ALL.into_iter().collect(),
        }
    }
}

impl FromIterator<Disposition> for Dispositions {
    fn from_iter<I: IntoIterator<Item = Disposition>>(all: I) -> Self {
        let all = all.into_iter();
        Self(all.fold(0, |found, one| found | Self::from(one).0))
    }
}

impl Dispositions {
    /// Returns the possible dispositions, the weakest first.
    pub fn iter(self) -> impl Iterator<Item = Disposition> {
        let all = Disposition::ALL.into_iter();
        all.filter(move |one| self.may_be(*one))
    }

    /// Returns whether this decision is possible.
    #[must_use]
    pub fn may_be(self, one: Disposition) -> bool {
        self.0 & Self::from(one).0 != 0
    }

    /// Returns whether this is the only possible decision.
    #[must_use]
    pub fn is(self, one: Disposition) -> bool {
        self == one.into()
    }

    /// Returns the only possibility; `None` if there are several.
    #[must_use]
    pub fn only(self) -> Option<Disposition> {
        let mut all = self.iter();
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns what each machine of a session decides about a call; `None` if alternatives determine what happens to
    /// the call. If a machine denies every call, the alternatives of the other machines are not tried, and the machines
    /// with alternatives count as [`Disposition::Run`].
    #[must_use]
    pub fn decided(each: &[Self]) -> Option<Vec<Disposition>> {
        let denied = Self::joint(each.iter().copied()).is(Disposition::Deny);
        let each = each.iter().map(|one| match one.only() {
            None if denied => Some(Disposition::Run),
            only => only,
        });
        each.collect()
    }

    /// Returns what all machines of a session may decide together.
    pub fn joint(each: impl IntoIterator<Item = Self>) -> Self {
        let run = Self::from(Disposition::Run);
        each.into_iter().fold(run, |all, one| {
            let with = |all: Disposition| one.iter().map(move |one| all.max(one));
            all.iter().flat_map(with).collect()
        })
    }
}

/// The rule for the tools that machines define themselves. [`SessionRule::GATE`] is the rule of every
/// gate; a test removes a part of the rule to show that a proof depends on that part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionRule {
    gates_external_tools: bool,
}

impl SessionRule {
    /// The rule of every gate.
    pub const GATE: Self = Self {
        gates_external_tools: true,
    };

    /// The rule without its part on external tools: only the machine that defines a tool would decide what happens to
    /// calls to it, even if the tool can change the outside world.
    #[doc(hidden)]
    pub const WITHOUT_EXTERNAL_TOOLS: Self = Self {
        gates_external_tools: false,
    };

    /// Returns whether a machine prevents a call to a tool that another machine defines. `other` contains the machine's
    /// possible decisions about calls to a host tool of that name; the machine prevents the call unless all such calls
    /// would simply run. Calls to a tool that is not external, and so changes only plans of the machine that defines
    /// it, are never prevented.
    #[must_use]
    pub fn prevents(self, external: bool, other: Dispositions) -> bool {
        self.gates_external_tools && external && !other.is(Disposition::Run)
    }
}

/// The states of a plan, or `none`, that determine whether the plan accepts a call to an external tool
/// of its machine.
#[derive(Clone, Copy, Debug)]
pub struct StatesOfPlan<S> {
    /// The current state.
    pub now: S,
    /// The state when the batch started; `none` for a plan that the batch itself started.
    pub began: S,
}

/// Applies the batch rule to a machine's own external tool: a plan accepts a call only if the plan
/// would also have accepted it when the batch started. Returns the state at the start that prevents
/// the call. `plans` are the plans that the call may be meant for.
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
    use Disposition::{Count, Deny, Record, Run};

    fn handled(each: &[Handling]) -> Vec<Disposition> {
        let each = each.iter().map(|one| Dispositions::from(*one));
        Dispositions::joint(each).iter().collect()
    }

    #[test]
    fn a_denial_wins_over_a_record_a_record_over_counting_and_counting_over_running() {
        assert_eq!(Disposition::joint([Run, Count, Record, Deny]), Deny);
        assert_eq!(Disposition::joint([Run, Record, Count]), Record);
        assert_eq!(Disposition::joint([Count, Run]), Count);
        assert_eq!(Disposition::joint([Run, Run]), Run);
        assert_eq!(Disposition::joint([]), Run);
    }

    #[test]
    fn the_first_machine_with_the_winning_decision_decides() {
        assert_eq!(Disposition::decider(&[Run, Deny, Deny]), Some(1));
        assert_eq!(Disposition::decider(&[Record, Count]), Some(0));
        assert_eq!(Disposition::decider(&[Run, Run]), None);
        assert_eq!(Disposition::decider(&[Run, Count]), None);
    }

    #[test]
    fn what_machines_may_decide_together_is_every_joint_decision() {
        assert_eq!(handled(&[]), [Run]);
        assert_eq!(
            handled(&[Handling::Runs, Handling::MayRun]),
            [Run, Count, Deny]
        );
        assert_eq!(
            handled(&[Handling::MayRun, Handling::Takes]),
            [Record, Deny]
        );
        assert_eq!(handled(&[Handling::MayRecord, Handling::Nothing]), [Deny]);
        assert_eq!(Dispositions::from(Handling::Takes).only(), Some(Record));
        assert_eq!(Dispositions::from(Handling::MayRun).only(), None);
    }

    #[test]
    fn only_external_tools_are_gated_by_other_machines() {
        let gate = SessionRule::GATE;
        for handling in [Handling::Takes, Handling::Denies, Handling::MayRun] {
            assert!(gate.prevents(true, handling.into()) && !gate.prevents(false, handling.into()));
        }
        assert!(!gate.prevents(true, Run.into()));
        assert!(!SessionRule::WITHOUT_EXTERNAL_TOOLS.prevents(true, Deny.into()));
    }

    #[test]
    fn a_plan_that_was_not_ready_at_the_start_is_too_early() {
        let ready = |state: u8| state == 1;
        let plan = |began, now| StatesOfPlan { now, began };
        assert_eq!(too_early([plan(1, 1), plan(0, 1)], ready), Some(0));
        assert_eq!(too_early([plan(1, 1), plan(0, 0), plan(1, 0)], ready), None);
    }
}
