//! Logs and metrics of sessions. They report every event: whether it was accepted, answered without a change, allowed
//! to run, or denied.
//!
//! Logs are written with `tracing`, under the target `plan_machine`. Every request that sends something to a session (a
//! command, tool calls, a signal, or the start of a turn) or fires its timers has a span named `session`, with the
//! field `session_identity`. Each result is an event in that span: the field `event` contains the kind of result, and
//! the field `sent` the name of the event or tool that was sent. The start of a turn has the field `turn` instead of
//! `sent`. If a host enters its own span before it calls a session, the logs also have the fields of that span. Every
//! decision on a tool call has a span named `execute_tool`, with the fields that OpenTelemetry defines for the tools of
//! agents. Metrics are recorded with `metrics`; [`names`] lists all of them.

use metrics::{SharedString, counter, gauge};
use plan_machine_kernel::denial::{DenialKind, joined};
use tracing::{Span, debug, info, info_span};

use crate::identity::SessionIdentity;
use crate::journal::{Entry, EntryKind};
use plan_machine::gate::{Decision, GateEvent, MachineSet, ToolCall};
use plan_machine::machine::{Acceptance, CallKind};

/// The names of the metrics.
pub mod names {
    /// Counts the events that are sent to sessions, the timers that fire, and the corrections of sessions by people.
    /// The labels are `machine`, `event` and `outcome`. A command is counted under the name of its event. The label
    /// `machine` is empty for host tools that may run, about which all machines decide, for restarts of a session, and
    /// for denied events whose name is declared by no machine or by several. The label `event` is `unknown` for
    /// corrections, and for names that neither a machine nor the host has declared.
    pub const EVENTS: &str = "plan.event.count";
    /// Counts commits that failed because another process committed first.
    pub const CONFLICTS: &str = "plan.commit.conflict.count";
    /// Counts the plans that are started in a plan mode. The labels are `channel` and `session`. A plan mode is a
    /// machine that has at most one plan at a time, which a person approves.
    pub const MODE_ENABLED: &str = "plan.mode.enabled.count";
    /// The number of plan modes that currently have a plan, counted from the events that this process has handled. A
    /// restart of a session does not change the number: the plans that it ends cannot be read, so they remain counted.
    pub const MODE_ACTIVE: &str = "plan.mode.active.sessions";
    /// Counts events that were denied as `not_found`, because they were sent to a plan that the session does not have,
    /// such as a plan of another session. Also counts attempts to switch to a conversation of another chat.
    pub const SESSION_MISMATCH: &str = "routing.session_mismatch.blocked.count";
}

/// The `event` label of everything whose name neither a machine nor the host has declared.
const UNKNOWN: &str = "unknown";

/// Returns the tracing span for a request to a session.
pub(crate) fn span(session: &SessionIdentity) -> Span {
    info_span!(target: "plan_machine", "session", session_identity = %session)
}

/// Reports a commit that failed because another process committed first.
pub(crate) fn conflict() {
    counter!(names::CONFLICTS).increment(1);
    debug!(target: "plan_machine", event = "conflict", "another process committed first; deciding again");
}

/// Reports the decision on a tool call, under the names that OpenTelemetry defines for agents. The reported state is
/// that of the plan that accepted or recorded the call, or the state that denied the call. A call that may run has no
/// state, because all machines of the session decide about it.
pub(crate) fn decided(session: &SessionIdentity, call: &ToolCall, decision: &Decision) {
    let (name, denial, state) = match decision {
        Decision::Applied { acceptance, .. } => ("applied", None, state_after(acceptance)),
        Decision::Recorded { acceptance, .. } => ("recorded", None, state_after(acceptance)),
        Decision::Run(_) => ("run", None, None),
        Decision::Denied(denial) => ("denied", Some(denial.kind.as_str()), Some(&*denial.state)),
        Decision::Repeated(_) => ("repeated", None, None),
    };
    let span = info_span!(
        target: "plan_machine",
        "execute_tool",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = call.name,
        gen_ai.tool.call.id = call.id,
        gen_ai.conversation.id = %session,
        plan_machine.decision = name,
        plan_machine.denial = denial,
        plan_machine.state = state,
    );
    span.in_scope(|| debug!(target: "plan_machine", event = "decided"));
}

fn state_after(acceptance: &Acceptance) -> Option<&str> {
    let plan = acceptance.plans.first().or(acceptance.ended.as_ref());
    plan.map(|plan| &*plan.state)
}

/// Reports everything that happened at a session's gate in one request, after the result has been stored.
pub(crate) fn told(
    session: &SessionIdentity,
    actor: Option<&str>,
    machines: &MachineSet,
    entries: &[Entry],
    others: &[GateEvent],
) {
    let modes = if entries.is_empty() {
        Vec::new()
    } else {
        machines.plan_modes()
    };
    for entry in entries {
        taken(actor, machines, entry);
        if modes.contains(&&*entry.step.machine) {
            mode(session, entry);
        }
    }
    for happened in others {
        other(actor, machines, happened);
    }
}

fn taken(actor: Option<&str>, machines: &MachineSet, entry: &Entry) {
    let step = &entry.step;
    // A turn is not an event of a machine, so it is logged but not counted as one.
    if let EntryKind::TurnBegan { turn, .. } = &entry.kind {
        let (seq, turn) = (entry.seq, turn.as_str());
        info!(target: "plan_machine", event = "turn", actor, seq, turn);
        return;
    }
    let (CallKind::Event(sent) | CallKind::HostTool(sent)) = &step.call.what;
    let label = match entry.kind {
        EntryKind::Taken => label(machines, sent),
        // A correction is not an event of a machine, even if a machine declares an event of that name.
        _ => UNKNOWN.to_owned(),
    };
    count(step.machine.clone(), label, "accepted");
    let plan = step
        .acceptance
        .plans
        .first()
        .or(step.acceptance.ended.as_ref());
    info!(
        target: "plan_machine",
        event = "accepted",
        actor,
        machine = &*step.machine,
        sent = &**sent,
        seq = entry.seq,
        plan = plan.map(|plan| plan.id.as_str()),
        state = plan.map(|plan| &*plan.state),
    );
}

/// Reports an event that changed nothing, so that denied calls are as visible in the logs as accepted ones.
fn other(actor: Option<&str>, machines: &MachineSet, happened: &GateEvent) {
    let (event, machine, sent, denial) = match happened {
        GateEvent::Taken(_) | GateEvent::TurnBegan { .. } => return,
        GateEvent::Read { machine, event } => ("read", machine.as_str(), event, None),
        GateEvent::Run { tool } => ("run", "", tool, None),
        GateEvent::Denied { event, denial } => {
            ("denied", owner(machines, event), event, Some(denial))
        }
    };
    count(machine.to_owned(), label(machines, sent), event);
    if denial.is_some_and(|denial| denial.kind == DenialKind::NotFound) {
        counter!(names::SESSION_MISMATCH).increment(1);
    }
    let why = denial.map(|denial| joined(&denial.messages));
    info!(
        target: "plan_machine",
        event,
        actor,
        machine,
        sent = sent.as_str(),
        kind = denial.map(|denial| denial.kind.as_str()),
        why = why.as_deref(),
    );
}

/// Returns the machine that declares an event; empty if no machine or several machines declare the name.
fn owner(machines: &MachineSet, sent: &str) -> &'static str {
    let mut declaring = machines
        .machines()
        .filter(|machine| machine.event_named(sent).is_some());
    match (declaring.next(), declaring.next()) {
        (Some(machine), None) => machine.name,
        _ => "",
    }
}

/// Returns the name under which an event is counted. A model can call tools by any number of invented names, each of
/// which would become a separate time series, so all names that neither a machine nor the host has declared share one
/// label.
fn label(machines: &MachineSet, sent: &str) -> String {
    let mut of_machines = machines.machines();
    let mut of_host = machines.host_tools().iter();
    let is_known = of_machines.any(|machine| machine.event_named(sent).is_some())
        || of_host.any(|tool| tool.name == sent);
    if is_known { sent } else { UNKNOWN }.to_owned()
}

/// Counts a plan that started or ended in a plan mode.
fn mode(session: &SessionIdentity, entry: &Entry) {
    let Acceptance { plans, ended, .. } = &entry.step.acceptance;
    let began = entry.step.new_id.is_some();
    if began {
        counter!(
            names::MODE_ENABLED,
            "channel" => session.channel().to_owned(),
            "session" => session.conversation().to_owned()
        )
        .increment(1);
    }
    if began && ended.is_none() {
        gauge!(names::MODE_ACTIVE).increment(1.0);
    } else if ended.is_some() && plans.is_empty() {
        gauge!(names::MODE_ACTIVE).decrement(1.0);
    }
}

fn count(machine: impl Into<SharedString>, event: impl Into<SharedString>, outcome: &'static str) {
    counter!(
        names::EVENTS,
        "machine" => machine.into(),
        "event" => event.into(),
        "outcome" => outcome
    )
    .increment(1);
}
