//! Logs and metrics for everything outside sessions: chats, runs and memories.
//!
//! All work that the host does for a line or for a run happens in a `tracing` span of the target `plan_machine`: `line`
//! with the field `transport_chat_hash`, or `run` with `run_id`, `run_kind`, `goal_id` and `task_id`. The spans and
//! events of sessions are nested in this span. [`names`] contains the metrics that sessions do not count.

use metrics::{counter, gauge};
use plan_machine_kernel::digest::sha256_hex;
use plan_machine_sessions::observe::names::{MODE_ACTIVE, SESSION_MISMATCH};
use plan_machine_sessions::{SessionError, SessionIdentity};
use tracing::{Span, info_span, warn};

/// The names of the metrics.
pub mod names {
    /// Counts the runs that start. The labels are `runKind` and `channel`.
    pub const RUN_STARTED: &str = "auto.run.started.count";
    /// Counts the runs that end. The labels are `runKind` and `status`.
    pub const RUN_COMPLETED: &str = "auto.run.completed.count";
    /// Counts memories found in the scope of a goal.
    pub const GOAL_SELECTED: &str = "memory.scope.goal.selected.count";
    /// Counts memories found in the scope of a task.
    pub const TASK_SELECTED: &str = "memory.scope.task.selected.count";
    /// Counts memories of another session that were requested but withheld.
    pub const CROSS_SESSION_BLOCKED: &str = "memory.scope.cross_session_blocked.count";
}

/// Returns the span of all work for a line from a chat. It contains a hash of the chat, which is enough to tell chats
/// apart but does not reveal where to send messages to the chat.
pub(crate) fn line_span(chat: &str) -> Span {
    let hash = &sha256_hex(chat)[..16];
    info_span!(target: "plan_machine", "line", transport_chat_hash = hash)
}

/// Returns the span of a run's turn.
pub(crate) fn run_span(run_id: &str, run_kind: &str, goal: Option<&str>, task: &str) -> Span {
    info_span!(target: "plan_machine", "run", run_id, run_kind, goal_id = goal, task_id = task)
}

/// Reports a session whose timers could not fire. The timers stay due, and the next line in the session gets the error
/// as its answer.
pub(crate) fn not_woken(session: &SessionIdentity, error: &SessionError) {
    warn!(target: "plan_machine", event = "not_woken", session_identity = %session, why = %error);
}

/// Counts a run that was started.
pub(crate) fn run_started(kind: &str, channel: &str) {
    counter!(names::RUN_STARTED, "runKind" => kind.to_owned(), "channel" => channel.to_owned())
        .increment(1);
}

/// Counts a run that ended.
pub(crate) fn run_completed(kind: &str, status: &str) {
    counter!(names::RUN_COMPLETED, "runKind" => kind.to_owned(), "status" => status.to_owned())
        .increment(1);
}

/// Counts a memory found in the scope of a goal.
pub(crate) fn goal_selected() {
    counter!(names::GOAL_SELECTED).increment(1);
}

/// Counts a memory found in the scope of a task.
pub(crate) fn task_selected() {
    counter!(names::TASK_SELECTED).increment(1);
}

/// Counts a memory of another session that was requested but withheld.
pub(crate) fn cross_session_blocked() {
    counter!(names::CROSS_SESSION_BLOCKED).increment(1);
}

/// Counts the plans that were open when the host started. They belong to the same metric as the plans that sessions
/// count, so that the metric is never negative.
pub(crate) fn open_plans(number: usize) {
    if number > 0 {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        gauge!(MODE_ACTIVE).increment(f64::from(number));
    }
}

/// Counts an attempt to switch to a conversation of another chat.
pub(crate) fn session_mismatch_blocked() {
    counter!(SESSION_MISMATCH).increment(1);
}
