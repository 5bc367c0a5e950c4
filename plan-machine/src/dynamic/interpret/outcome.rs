//! Converts the interpreter's results to the form that all machines share.

use plan_machine_compiler::model::{Machine as Model, StateId};
use plan_machine_compiler::semantics::{
    self, EmittedEffect, HeldRecords, Record, data_json, token,
};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers;

use crate::core::id::Id;
use crate::dynamic::machine::{Acceptance, Denial, EffectView, Outcome, PlanView};

fn name(model: &Model, state: StateId) -> String {
    model.state(state).name.clone()
}

/// Converts the result of an event.
pub(super) fn outcome(model: &Model, held: &HeldRecords, outcome: semantics::Outcome) -> Outcome {
    match outcome {
        semantics::Outcome::Accepted(accepted) => {
            let view_at = |at: &usize| view(model, &held.records[*at]);
            // A plan that has left the slot is reported as ended, not as affected by the event.
            let still = accepted
                .records
                .iter()
                .filter(|at| accepted.ended != Some(**at));
            Outcome::Accepted(Box::new(Acceptance {
                plans: still.map(view_at).collect(),
                each: accepted.each,
                ended: accepted.ended.as_ref().map(view_at),
                effects: accepted
                    .effects
                    .iter()
                    .map(|effect| emitted(model, effect))
                    .collect(),
                reply: accepted.reply,
                runs: accepted.runs,
            }))
        }
        semantics::Outcome::Run { tool, state } => Outcome::Run {
            tool,
            state: name(model, state),
        },
        semantics::Outcome::Denied(denied) => Outcome::Denied(Denial {
            kind: denied.kind,
            messages: denied.messages,
            state: name(model, denied.state),
            allowed_in: denied
                .allowed_in
                .into_iter()
                .map(|state| name(model, state))
                .collect(),
        }),
    }
}

/// Returns a record in its stored form.
pub(super) fn view(model: &Model, record: &Record) -> PlanView {
    PlanView {
        id: Id::from(&*record.id),
        previous: record.previous.as_deref().map(Id::from),
        state: name(model, record.leaf()).into(),
        revision: record.revision,
        edition: record.edition,
        token: token(model, record).into(),
        data: object(data_json(model, record)),
        timers: timers::stored(timer_names(model), &record.timers),
    }
}

/// Returns the names of a machine's timers, in their order.
pub(super) fn timer_names(model: &Model) -> impl Iterator<Item = &str> {
    model.timers().map(|(id, _)| model.event(id).name.as_str())
}

fn emitted(model: &Model, effect: &EmittedEffect) -> EffectView {
    let (name, fields) = match effect.json(model) {
        Json::Object(object) => object.into_iter().next().unwrap_or_default(),
        _ => Default::default(),
    };
    EffectView {
        name,
        plan: effect.plan.as_deref().map(Id::from),
        fields: object(fields),
    }
}

fn object(json: Json) -> Object {
    match json {
        Json::Object(object) => object,
        _ => Object::new(),
    }
}
