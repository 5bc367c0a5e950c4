//! What logs and metrics tell of sessions: each event that was taken, read, let run or denied.
//!
//! Logs go through `tracing`, under the target `plan_machine`, with the fields `session_identity`,
//! `run_id`, `run_kind`, `goal_id`, `task_id`, `transport_chat_hash` and `event` beside what was sent
//! and what came of it. Metrics go through `metrics`; [`names`] has all of them.

use metrics::{counter, gauge};
use plan_machine_kernel::digest::sha256_hex;
use tracing::info;

use crate::gate::{Happened, Surroundings, Trail};
use crate::journal::Entry;
use crate::machine::Taken;
use crate::session::SessionIdentity;

/// The names of the metrics.
pub mod names {
    /// Counts events at the gates of sessions; labels `machine`, `event`, `outcome`.
    pub const EVENTS: &str = "plan.event.count";
    /// Counts commits that another process was faster with.
    pub const CONFLICTS: &str = "plan.commit.conflict.count";
    /// Counts plans that came into a slot; labels `channel`, `session`.
    pub const MODE_ENABLED: &str = "plan.mode.enabled.count";
    /// How many slots hold a plan, as far as this process has seen.
    pub const MODE_ACTIVE: &str = "plan.mode.active.sessions";
    /// Counts runs that a scheduler started; labels `runKind`, `channel`.
    pub const RUN_STARTED: &str = "auto.run.started.count";
    /// Counts runs that ended; labels `runKind`, `status`.
    pub const RUN_COMPLETED: &str = "auto.run.completed.count";
    /// Counts memories that were found in the scope of a goal.
    pub const GOAL_SELECTED: &str = "memory.scope.goal.selected.count";
    /// Counts memories that were found in the scope of a task.
    pub const TASK_SELECTED: &str = "memory.scope.task.selected.count";
    /// Counts memories of another session that were asked for and not given.
    pub const CROSS_SESSION_BLOCKED: &str = "memory.scope.cross_session_blocked.count";
    /// Counts events that were sent to a session for a plan of another.
    pub const SESSION_MISMATCH: &str = "routing.session_mismatch.blocked.count";
}

/// A run was started.
pub fn run_started(kind: &str, channel: &str) {
    counter!(names::RUN_STARTED, "runKind" => kind.to_owned(), "channel" => channel.to_owned())
        .increment(1);
}

/// A run ended.
pub fn run_completed(kind: &str, status: &str) {
    counter!(names::RUN_COMPLETED, "runKind" => kind.to_owned(), "status" => status.to_owned())
        .increment(1);
}

/// A memory was found in the scope of a goal.
pub fn goal_selected() {
    counter!(names::GOAL_SELECTED).increment(1);
}

/// A memory was found in the scope of a task.
pub fn task_selected() {
    counter!(names::TASK_SELECTED).increment(1);
}

/// A memory of another session was asked for and not given.
pub fn cross_session_blocked() {
    counter!(names::CROSS_SESSION_BLOCKED).increment(1);
}

/// An event was sent to a session for a plan of another, and nothing came of it.
pub fn session_mismatch_blocked() {
    counter!(names::SESSION_MISMATCH).increment(1);
}

/// Another process was faster.
pub(crate) fn conflict(session: &SessionIdentity) {
    counter!(names::CONFLICTS).increment(1);
    tracing::debug!(
        target: "plan_machine",
        session_identity = %session,
        event = "conflict",
        "another process was faster; deciding anew"
    );
}

/// What happened at a session's gate, now that it is stored.
pub(crate) fn told(
    session: &SessionIdentity,
    around: &Surroundings,
    entries: &[Entry],
    others: &[Happened],
) {
    let chat = around.trail.transport_chat.as_deref().map(chat_hash);
    let teller = Teller {
        session,
        actor: around.actor.as_deref(),
        trail: &around.trail,
        chat: chat.as_deref(),
    };
    for entry in entries {
        teller.taken(entry);
    }
    for other in others {
        teller.other(other);
    }
}

/// What logs show of a chat: enough to tell one from another, not enough to write to it.
fn chat_hash(chat: &str) -> String {
    sha256_hex(chat)[..16].to_owned()
}

struct Teller<'a> {
    session: &'a SessionIdentity,
    actor: Option<&'a str>,
    trail: &'a Trail,
    chat: Option<&'a str>,
}

impl Teller<'_> {
    fn taken(&self, entry: &Entry) {
        let step = &entry.step;
        count(&step.machine, entry.event(), "accepted");
        self.mode(entry);
        let plan = step.taken.plans.first().or(step.taken.ended.as_ref());
        info!(
            target: "plan_machine",
            session_identity = %self.session,
            run_id = self.trail.run_id.as_deref(),
            run_kind = self.trail.run_kind.as_deref(),
            goal_id = self.trail.goal_id.as_deref(),
            task_id = self.trail.task_id.as_deref(),
            transport_chat_hash = self.chat,
            event = "accepted",
            actor = self.actor,
            machine = &*step.machine,
            sent = entry.event(),
            seq = entry.seq,
            plan = plan.map(|plan| plan.id.as_str()),
            state = plan.map(|plan| plan.state.as_str()),
        );
    }

    fn other(&self, happened: &Happened) {
        let (event, machine, sent, kind, why) = match happened {
            Happened::Taken(_) => return,
            Happened::Read { machine, event } => ("read", machine.as_str(), event, None, None),
            Happened::Run { tool } => ("run", "", tool, None, None),
            Happened::Denied { event, denial } => {
                let why = denial.messages.join("; ");
                ("denied", "", event, Some(denial.kind.as_str()), Some(why))
            }
        };
        count(machine, sent, event);
        info!(
            target: "plan_machine",
            session_identity = %self.session,
            run_id = self.trail.run_id.as_deref(),
            run_kind = self.trail.run_kind.as_deref(),
            goal_id = self.trail.goal_id.as_deref(),
            task_id = self.trail.task_id.as_deref(),
            transport_chat_hash = self.chat,
            event,
            actor = self.actor,
            machine,
            sent = sent.as_str(),
            kind,
            why = why.as_deref(),
        );
    }

    /// A plan that came into a slot, or left it.
    fn mode(&self, entry: &Entry) {
        let Taken { plans, ended, .. } = &entry.step.taken;
        let began = entry.step.new_id.is_some();
        if began {
            counter!(
                names::MODE_ENABLED,
                "channel" => self.session.channel().to_owned(),
                "session" => self.session.conversation().to_owned()
            )
            .increment(1);
        }
        match (
            began && ended.is_none(),
            ended.is_some() && plans.is_empty(),
        ) {
            (true, _) => gauge!(names::MODE_ACTIVE).increment(1.0),
            (_, true) => gauge!(names::MODE_ACTIVE).decrement(1.0),
            _ => {}
        }
    }
}

fn count(machine: &str, event: &str, outcome: &'static str) {
    counter!(
        names::EVENTS,
        "machine" => machine.to_owned(),
        "event" => event.to_owned(),
        "outcome" => outcome
    )
    .increment(1);
}
