//! What came of an event, as a line of output.

use plan_machine_compiler::model::{Machine, StateId};
use plan_machine_compiler::semantics::{
    Accepted, Denied, Held, Outcome, Record, Sandbox, data_json, token,
};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};

/// The answer to one event.
#[derive(Debug)]
pub(super) enum Answer {
    /// The machine stepped, or did not.
    Stepped(Object),
    /// There was nothing to send.
    Error(String),
}

impl Answer {
    /// What a step came to.
    pub(super) fn of(sandbox: &Sandbox<'_>, outcome: &Outcome) -> Self {
        let machine = sandbox.machine();
        let held = sandbox.held();
        let mut line = Object::new();
        line.push("accepted", !matches!(outcome, Outcome::Denied(_)));
        match outcome {
            Outcome::Accepted(accepted) => push_accepted(&mut line, machine, held, accepted),
            Outcome::Run { tool, state } => {
                line.push("state", name(machine, *state));
                line.push("run", tool.as_str());
            }
            Outcome::Denied(denied) => {
                line.push("state", name(machine, denied.state));
                line.push("denied", denied_json(machine, denied));
            }
        }
        let advertised = held.advertised(machine).into_iter().map(Json::from);
        line.push("advertised", advertised.collect::<Vec<Json>>());
        Self::Stepped(line)
    }

    /// Whether there was nothing to send.
    pub(super) fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// The line.
    pub(super) fn json(self) -> Json {
        match self {
            Self::Stepped(line) => line.into(),
            Self::Error(reason) => {
                let mut line = Object::new();
                line.push("error", reason);
                line.into()
            }
        }
    }
}

fn name(machine: &Machine, state: StateId) -> &str {
    &machine.state(state).name
}

fn push_accepted(line: &mut Object, machine: &Machine, held: &Held, accepted: &Accepted) {
    let spoken_of = || accepted.records.iter().map(|at| &held.records[*at]);
    if accepted.each {
        let plans = spoken_of().map(|record| Json::from(brief(machine, record)));
        line.push("plans", plans.collect::<Vec<Json>>());
    } else {
        let record = if machine.is_many() {
            spoken_of().next()
        } else {
            held.in_slot()
        };
        push_record(line, machine, record);
    }
    if let Some(record) = accepted.ended.map(|at| &held.records[at]) {
        let mut ended = brief(machine, record);
        ended.push("data", data_json(machine, record));
        line.push("ended", ended);
    }
    line.push("reply", accepted.reply.clone());
    let effects = accepted.effects.iter().map(|effect| effect.json(machine));
    line.push("effects", effects.collect::<Vec<Json>>());
}

fn push_record(line: &mut Object, machine: &Machine, record: Option<&Record>) {
    line.push(
        "state",
        name(machine, record.map_or(StateId::NONE, Record::leaf)),
    );
    if let Some(record) = record {
        let mut plan = Object::new();
        plan.push("id", &*record.id);
        plan.push("revision", record.revision);
        plan.push("edition", record.edition);
        plan.push("token", token(machine, record));
        line.push("plan", plan);
        line.push("data", data_json(machine, record));
    }
}

/// `{id, state, revision}`
fn brief(machine: &Machine, record: &Record) -> Object {
    let mut object = Object::new();
    object.push("id", &*record.id);
    object.push("state", name(machine, record.leaf()));
    object.push("revision", record.revision);
    object
}

fn denied_json(machine: &Machine, denied: &Denied) -> Object {
    let messages = denied.messages.iter().map(|text| Json::from(text.as_str()));
    let mut object = Object::new();
    object.push("kind", denied.kind.as_str());
    object.push("messages", messages.collect::<Vec<Json>>());
    if denied.kind == DenialKind::NotAllowed {
        let states = denied.allowed_in.iter();
        let states = states.map(|state| Json::from(name(machine, *state)));
        object.push("allowed_in", states.collect::<Vec<Json>>());
    }
    object
}
