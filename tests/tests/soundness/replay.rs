//! Replays traces that the compiler reports.

use plan_machine_compiler::model::{Checked, Machine, StateId};
use plan_machine_compiler::semantics::{
    Acceptance, Call, CallKind, EventContext, HeldRecords, Outcome, Record, Sandbox, ShownToken,
    call_of_line, data_json,
};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers::Period;

use crate::waits::wait;

/// The result of replaying a trace.
pub(crate) struct Replayed<'m> {
    pub before: HeldRecords,
    pub last: Last,
    /// The session at the end.
    pub session: Sandbox<'m>,
}

/// The last step of a trace.
pub(crate) enum Last {
    /// There was no step, or only time that passed.
    Nothing,
    /// The machine accepted the step.
    Accepted(Box<Acceptance>),
    /// The step was a call that runs.
    Ran(Call),
}

/// Replays a trace, and compares each step with the trace.
pub(crate) fn replay<'m>(
    machine: &'m Checked<Machine>,
    trace: &[Json],
) -> Result<Replayed<'m>, String> {
    let mut replayed = Replayed {
        before: HeldRecords::default(),
        last: Last::Nothing,
        session: Sandbox::new(machine),
    };
    for json in trace {
        let step = json.as_object().ok_or("a step that is not an object")?;
        let record = match step.get("wait").and_then(Json::as_text) {
            Some(_) if step.get("context").or(step.get("at")).is_some() => {
                return Err(format!("{json} cannot be sent: a wait has no context"));
            }
            Some(period) => replayed.wait(period.parse()?)?,
            None => replayed.send(step)?,
        };
        let leaf = record.map_or(StateId::NONE, Record::leaf);
        let state = &machine.state(leaf).name;
        if step.get("state").and_then(Json::as_text) != Some(state) {
            return Err(format!("{json} led to {state}"));
        }
        let data = record.map(|record| data_json(machine, record));
        if step.get("data") != data.as_ref() {
            return Err(format!("{json} left {data:?}"));
        }
    }
    Ok(replayed)
}

impl Replayed<'_> {
    /// Sends the event of a step; returns the record that the step shows.
    fn send(&mut self, step: &Object) -> Result<Option<&Record>, String> {
        let machine = self.session.machine();
        let call = call_of(machine, self.session.held(), step)?;
        let mut around = EventContext::default();
        if let Some(context) = step.get("context").and_then(Json::as_object) {
            around.context = context.clone();
        }
        if let Some(at) = step.get("at").and_then(Json::as_text) {
            around.at = Some(at.parse().map_err(|_| format!("{at} is not an instant"))?);
        }
        self.before = self.session.held().clone();
        match self.session.step(&call, &around) {
            Outcome::Accepted(accepted) => self.last = Last::Accepted(accepted),
            Outcome::Run { .. } => self.last = Last::Ran(call.clone()),
            other @ Outcome::Denied(_) => {
                return Err(format!("{step} was not accepted: {other:?}"));
            }
        }
        Ok(followed(machine, self.session.held(), &call))
    }

    /// Waits until a timer fires or is spent; returns the record that the step shows.
    fn wait(&mut self, period: Period) -> Result<Option<&Record>, String> {
        let mut fired = wait(&mut self.session, period);
        let held = self.session.held();
        let Some(only) = fired.pop() else {
            self.last = Last::Nothing;
            return Ok(held.in_slot().or(held.records.last()));
        };
        if !fired.is_empty() {
            return Err(format!("several timers fire after {period}"));
        }
        self.before = only.before;
        let record = if self.session.machine().is_many() {
            only.accepted.records.last().map(|at| &held.records[*at])
        } else {
            held.in_slot()
        };
        self.last = Last::Accepted(only.accepted);
        Ok(record)
    }
}

/// Returns the record that a step of a trace shows. In a machine with many plans, this is the record that the step
/// names, or the latest one if it names none.
pub(crate) fn followed<'h>(
    machine: &Machine,
    held: &'h HeldRecords,
    call: &Call,
) -> Option<&'h Record> {
    if !machine.is_many() {
        return held.in_slot();
    }
    match &call.plan_id {
        Some(id) => held.position(id).map(|at| &held.records[at]),
        None => held.records.last(),
    }
}

fn call_of(machine: &Machine, held: &HeldRecords, step: &Object) -> Result<Call, String> {
    let text = |key: &str| step.get(key).and_then(Json::as_text);
    let mut call = match (text("tool"), text("do")) {
        (Some(tool), _) => Call::new(CallKind::HostTool(tool.to_owned().into())),
        (None, Some(line)) if line.starts_with('/') => call_of_line(machine, held, line)?,
        (None, Some(name)) => {
            let event = machine.event_named(name).ok_or("an unknown event")?;
            Call::new(CallKind::Event(event))
        }
        _ => return Err("a step without an event".to_owned()),
    };
    if let Some(id) = text("plan_id") {
        call.plan_id = Some(id.to_owned());
    }
    if text("token") == Some("current") {
        call.token = ShownToken::Current;
    }
    if let Some(with) = step
        .get("with")
        .and_then(Json::as_object)
        .filter(|with| !with.is_empty())
    {
        call.with = with.clone();
    }
    Ok(call)
}
