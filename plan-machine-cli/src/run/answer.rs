//! Formats the result of an event as a line of output.

use plan_machine::description::Description;
use plan_machine::gate::{Gate, Step};
use plan_machine::machine::{Acceptance, Denial, EffectView, Outcome, PlanView};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers::Period;
use plan_machine_sessions::EventOutcome;

/// The answer to one event.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// The machine accepted or denied an event.
    Stepped(Object),
    /// Nothing could be sent, or the result could not be stored.
    Error(String),
}

impl Answer {
    /// Builds the answer from the result of an event; `gate` is the gate after the event.
    pub(super) fn of(machine: &Description, gate: &Gate, sent: &EventOutcome) -> Self {
        let mut line = Object::new();
        line.push("accepted", !matches!(sent.outcome, Outcome::Denied(_)));
        if sent.repeated {
            line.push("repeated", true);
        }
        match &sent.outcome {
            Outcome::Accepted(acceptance) => push_acceptance(&mut line, acceptance, &sent.emitted),
            Outcome::Run { tool, state } => {
                line.push("state", state.as_str());
                line.push("run", tool.as_str());
            }
            Outcome::Denied(denial) => {
                line.push("state", denial.state.as_str());
                line.push("denied", denied_json(denial));
            }
        }
        let here = gate.machines().iter();
        let here = here.filter(|running| running.description().name == machine.name);
        let advertised = here.flat_map(|running| running.advertised());
        line.push("advertised", advertised.map(Json::from).collect::<Vec<_>>());
        Self::Stepped(line)
    }

    /// Builds the answer to the start of a turn: the host tools that may run in it. A turn that had already begun is
    /// marked as repeated.
    pub(super) fn of_turn(machine: &Description, gate: &Gate, repeated: bool) -> Self {
        let mut line = Object::new();
        line.push("accepted", true);
        if repeated {
            line.push("repeated", true);
        }
        if let Some(turn) = gate.turn() {
            line.push("turn", turn.id.as_str());
            let open = turn.floor.of(machine.name).into_iter().flatten();
            let open: Vec<Json> = open.map(|tool| Json::from(tool.as_str())).collect();
            line.push("open", open);
        }
        Self::Stepped(line)
    }

    /// Builds the answer to a request to wait: the timers that fired, and what each of them did.
    pub(super) fn of_wait(period: Period, fired: impl Iterator<Item = (String, Step)>) -> Self {
        let mut line = Object::new();
        line.push("accepted", true);
        line.push("waited", period.to_string());
        let fired = fired.map(|(timer, step)| {
            let mut one = Object::new();
            one.push("timer", timer);
            one.push("at", step.at.to_string());
            push_acceptance(&mut one, &step.acceptance, &step.acceptance.effects);
            one.remove("reply");
            Json::from(one)
        });
        line.push("fired", fired.collect::<Vec<Json>>());
        Self::Stepped(line)
    }

    /// Returns whether this answer is an error instead of a result.
    pub(super) fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Returns the answer as a line of JSON.
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

/// Adds the plans that an event has changed, the reply, and the effects.
pub(super) fn push_acceptance(line: &mut Object, acceptance: &Acceptance, emitted: &[EffectView]) {
    if acceptance.each {
        let plans = acceptance.plans.iter().map(|plan| Json::from(brief(plan)));
        line.push("plans", plans.collect::<Vec<Json>>());
    } else {
        push_plan(line, acceptance.plans.first());
    }
    if let Some(plan) = &acceptance.ended {
        let mut ended = brief(plan);
        ended.push("data", plan.data.clone());
        line.push("ended", ended);
    }
    match &acceptance.runs {
        Some(tool) => line.push("run", tool.as_str()),
        None => line.push("reply", acceptance.reply.clone()),
    }
    let effects = emitted.iter().map(effect_json);
    line.push("effects", effects.collect::<Vec<Json>>());
}

fn push_plan(line: &mut Object, plan: Option<&PlanView>) {
    line.push("state", plan.map_or("none", |plan| &*plan.state));
    if let Some(view) = plan {
        let mut plan = Object::new();
        plan.push("id", view.id.as_str());
        plan.push("revision", view.revision);
        plan.push("edition", view.edition);
        plan.push("token", view.token.as_str());
        line.push("plan", plan);
        line.push("data", view.data.clone());
    }
}

/// Returns a plan as `{id, state, revision}`.
fn brief(plan: &PlanView) -> Object {
    let mut object = Object::new();
    object.push("id", plan.id.as_str());
    object.push("state", &*plan.state);
    object.push("revision", plan.revision);
    object
}

/// Returns an effect as `{"plan_ready":{"plan":"plan-1"}}`.
fn effect_json(effect: &EffectView) -> Json {
    let mut object = Object::new();
    object.push(effect.name.clone(), effect.fields.clone());
    object.into()
}

pub(super) fn denied_json(denial: &Denial) -> Object {
    let texts = |texts: &[String]| -> Vec<Json> {
        let texts = texts.iter().map(|text| Json::from(text.as_str()));
        texts.collect()
    };
    let mut object = Object::new();
    object.push("kind", denial.kind.as_str());
    object.push("messages", texts(&denial.messages));
    if denial.kind == DenialKind::NotAllowed {
        object.push("allowed_in", texts(&denial.allowed_in));
    }
    object
}
