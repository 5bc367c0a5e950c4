//! The timers of a machine's plans.

use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::DueTimer;

/// The timers of the plans of a machine in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanTimers {
    /// The timers that are running.
    pub running: Vec<PlanTimer>,
    /// The plans that were stored before their states had timers, by their indices. Their timers have yet to start.
    pub missing: Vec<usize>,
}

/// A timer that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanTimer {
    /// The index of the plan among the plans of its machine.
    pub plan: usize,
    /// The index of the timer among the timers of its machine.
    pub timer: u16,
    /// The instant at which the timer is due.
    pub at: Instant,
}

impl PlanTimer {
    /// Returns the timer in the form in which all timers of a session are ordered; `machine` is the index of its
    /// machine.
    pub(crate) fn of_machine(self, machine: usize) -> DueTimer {
        DueTimer {
            at: self.at,
            machine,
            plan: self.plan,
            timer: self.timer,
        }
    }
}
