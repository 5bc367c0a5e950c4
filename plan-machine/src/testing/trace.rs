//! Formats a run as text: the events that were sent, and their results.

use std::fmt::Write;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::ACTOR_FIELD;
use plan_machine_kernel::suggest::nearest;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;

use super::short::{self, own_names};
use super::tell;
use crate::core::description::Description;
use crate::dynamic::machine::{Call, CallKind, Machine, Outcome, PlanView, ShownToken, TimerCall};
use crate::dynamic::request::{
    self, CallName, RequestBody, RequestPlace, WrittenCall, call_in_batch, is_tool_call, resolve,
};
use crate::scenario::Sandbox;

/// Sends events to a new session, one after another, and formats the result of each event.
///
/// An event is one of these:
///
/// - a command as a person types it: `/plan on`
/// - a name with its payload: `plan_set_content {"plan_markdown": "# v1"}`; a name that the machine does not define is
///   a host tool, unless it looks like a misspelling of a name that the machine defines
/// - a line as read by `plan-machine run`, which may contain the host's context data, the sender, the time, the token
///   and the plan: `{"do": "approve", "context": {"user": "ann"}, "actor": "ann", "at": "2026-01-02T00:00:00Z"}`, or
///   `{"batch": […]}` for the calls of one model response, or `{"wait": "1h"}` to let time pass
///
/// Turns and classes of calls belong to a gate: see [`trace_gate`](super::trace_gate).
///
/// Timers that become due, during a wait or before an event with a later time, are shown with the instants at which they
/// fire.
///
/// A decision without a token uses the current token. Ids are `plan-1`, `plan-2`, …, and the time is constant unless a
/// line sets it or waits, so that the output is always the same.
#[must_use]
pub fn trace(machine: &impl Machine, events: &[&str]) -> String {
    let mut sandbox = Sandbox::new(machine);
    let mut text = String::new();
    for event in events {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{event}");
        match Line::read(machine.description(), event) {
            Ok(Line::Wait(period)) => {
                let fired = sandbox.wait(period);
                if fired.is_empty() {
                    let _ = writeln!(text, "  no timer was due");
                }
                tell_fired(&fired, &mut text);
            }
            Ok(Line::Send(sent)) => send(&mut sandbox, &sent, &mut text),
            Err(message) => {
                let _ = writeln!(text, "  error: {message}");
            }
        }
    }
    text
}

/// Fires the timers that are due by the time of a line, and then sends the calls of the line.
fn send(sandbox: &mut Sandbox<'_, impl Machine>, sent: &TraceCalls, text: &mut String) {
    let machine = sandbox.machine;
    if let Some(at) = sent.at {
        tell_fired(&sandbox.wait_until(at), text);
    }
    let start = sent.is_batch.then(|| machine.batch_start(&sandbox.held));
    for written in &sent.calls {
        let plans = machine.plans(&sandbox.held);
        let call = written.as_ref().map_err(Clone::clone);
        match call.and_then(|call| sent.call(machine.description(), &plans, call)) {
            Ok(mut call) => {
                call.batch = start;
                let outcome = sandbox.step(&call, &sent.context, sent.at);
                tell(&outcome, text);
            }
            Err(message) => {
                let _ = writeln!(text, "  error: {message}");
            }
        }
    }
}

/// One line of a trace.
enum Line {
    Send(TraceCalls),
    /// Time passes.
    Wait(Period),
}

/// The calls that one line of a trace sends.
struct TraceCalls {
    calls: Vec<Result<WrittenCall, String>>,
    is_batch: bool,
    context: Object,
    at: Option<Instant>,
}

impl Line {
    fn read(machine: &Description, line: &str) -> Result<Self, String> {
        if !line.trim_start().starts_with('{') {
            return Ok(Self::Send(TraceCalls {
                calls: vec![Ok(short(machine, line)?)],
                is_batch: false,
                context: Object::new(),
                at: None,
            }));
        }
        let json = Json::parse(line).map_err(|error| error.to_string())?;
        let request = request::request(&json, RequestPlace::Line)?;
        let context = match request.context {
            None => Object::new(),
            Some(Json::Object(context)) => context,
            Some(found) => return Err(format!("`context` is {found}, expected an object")),
        };
        let context = with_actor(machine, context, request.actor);
        let is_batch = matches!(request.body, RequestBody::Batch(_));
        let calls = match request.body {
            RequestBody::Call(written) => vec![Ok(written)],
            RequestBody::Batch(calls) => calls.iter().map(call_in_batch).collect(),
            RequestBody::Wait(period) => return Ok(Self::Wait(period)),
            RequestBody::Turn(_) => {
                return Err(
                    "found `turn`, but the trace of a machine has no turns; `trace_gate` traces a gate"
                        .to_owned(),
                );
            }
        };
        Ok(Self::Send(TraceCalls {
            calls,
            is_batch,
            context,
            at: request.at,
        }))
    }
}

impl TraceCalls {
    fn call(
        &self,
        machine: &Description,
        plans: &[PlanView],
        written: &WrittenCall,
    ) -> Result<Call, String> {
        let is_plan = |word: &str| plans.iter().any(|plan| plan.id == *word);
        let mut call = resolve(machine, is_plan, written)?;
        if self.is_batch && !is_tool_call(machine, &call) {
            return Err(
                "the batch contains an event that is not a tool call; send that event separately"
                    .to_owned(),
            );
        }
        // A trace assumes that the person has just seen the plan.
        if call.token == ShownToken::Missing {
            call.token = ShownToken::Current;
        }
        Ok(call)
    }
}

/// Adds the sender to the context, if the machine reads `event.actor`.
fn with_actor(machine: &Description, mut context: Object, actor: Option<String>) -> Object {
    let schema = Json::parse(machine.context).unwrap_or_default();
    let fields = schema
        .as_object()
        .and_then(|schema| schema.get("properties"));
    let fields = fields.and_then(Json::as_object);
    let reads = fields.is_some_and(|fields| fields.get(ACTOR_FIELD).is_some());
    if let (Some(actor), true) = (actor, reads) {
        context.insert(ACTOR_FIELD, actor);
    }
    context
}

/// Parses a command, or a name with its payload.
fn short(machine: &Description, line: &str) -> Result<WrittenCall, String> {
    if line.trim_start().starts_with('/') {
        return short::written(CallName::Do(line.to_owned()), "");
    }
    let (name, payload) = short::split(line);
    let mut own = own_names(machine);
    let name = if own.any(|own| own == name) {
        CallName::Do(name.to_owned())
    } else if let Some(near) = nearest(name, own_names(machine)) {
        return Err(short::misspelled(name, near));
    } else {
        CallName::Tool(name.to_owned())
    };
    short::written(name, payload)
}

/// Formats the timers that fired. A timer has no sender, so there is no reply.
fn tell_fired(fired: &[(TimerCall, Outcome)], text: &mut String) {
    for (timer, outcome) in fired {
        let (CallKind::Event(name) | CallKind::HostTool(name)) = &timer.call.what;
        let _ = writeln!(text, "  {name} fired at {}", timer.at);
        if let Outcome::Accepted(acceptance) = outcome {
            tell::changes(acceptance, &mut |line| {
                let _ = writeln!(text, "    {line}");
            });
        }
    }
}

fn tell(outcome: &Outcome, text: &mut String) {
    let mut line = |line: String| {
        let _ = writeln!(text, "  {line}");
    };
    match outcome {
        Outcome::Accepted(acceptance) => tell::accepted(acceptance, &mut line),
        Outcome::Run { tool, state } => line(format!("{tool} runs, in {state}")),
        Outcome::Denied(denial) => {
            line(format!("denied: {}, in {}", denial.kind, denial.state));
            tell::reasons(denial, &mut line);
        }
    }
}
