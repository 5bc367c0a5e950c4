//! The reasons why a call must not run although it was recorded or allowed.

/// The batch of the call belongs to another gate.
pub const FOREIGN_BATCH: &str = "the batch of this call was started by another gate";
/// Another gate or session allowed the call.
pub const FOREIGN_CALL: &str = "the call was allowed by another gate or session";
/// The gate belongs to a session, and only the session can read the journal that shows whether the call may still run.
pub const IN_SESSION: &str =
    "this gate belongs to a session; confirm the call with `Session::confirm`";
/// The class of the call has changed.
pub const OTHER_CLASS: &str = "the class of the call has changed since the call was allowed";
/// A timer has become due.
pub const TIMER_IS_DUE: &str = "a timer has become due since the call was allowed";
/// The host has removed the tool.
pub const NO_TOOL: &str = "the host no longer has this tool";
/// A machine would let the host run one of the machine's own tools.
pub const OWN_TOOL: &str = "a machine cannot let the host run one of the machine's own tools";
/// A damaged plan might have denied the call.
pub const DAMAGED_PLAN: &str =
    "a plan is damaged, so it is unknown whether it would have denied the call";
/// The plan has no step with the call.
pub const NOT_RECORDED: &str = "the plan has not recorded this call";
/// The event that should start a step is a call to a host tool.
pub const STARTS_NO_STEP: &str = "a call to a host tool cannot start a step";
/// The event has not started the step of the call.
pub const STEP_NOT_STARTED: &str = "the event did not start the step of this call";
/// The session has been restarted.
pub const RESTARTED: &str = "the session has been restarted since the call was allowed";
/// The session that allowed the call has been deleted or replaced.
pub const REPLACED: &str = "the session has been deleted or replaced since the call was allowed";

/// A machine has been in another state, or has had another plan.
#[must_use]
pub fn changed(machine: &str) -> String {
    format!("{machine} has changed since the call was allowed")
}

/// A machine does not let the tool run in its current state.
#[must_use]
pub fn closed(machine: &str, state: &str) -> String {
    format!("{machine} does not allow this tool to run in {state}")
}

/// A machine does not record calls of the class that the call has now.
#[must_use]
pub fn class_not_recorded(machine: &str, class: &str) -> String {
    format!("{machine} does not record calls of the class `{class}`, which this call now has")
}

/// Too many entries would have to be read to find out whether a machine has changed.
#[must_use]
pub fn too_many_entries(most: u32) -> String {
    format!("at least {most} entries have been stored since the call was allowed")
}
