//! The output of a step.

use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;

use super::convert::to_json;
use super::wording::UnavailableText;
use crate::model::value::Value;
use crate::model::{EffectId, EventId, Machine, StateId, TransitionId};

/// The result of an event.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The machine accepted the event.
    Accepted(Box<Acceptance>),
    /// A host tool may run.
    Run {
        /// The name of the tool.
        tool: String,
        /// The state in which the tool may run.
        state: StateId,
    },
    /// The machine denied the event, and nothing changed.
    Denied(Denial),
}

/// An accepted event.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// The event.
    pub event: EventId,
    /// The alternatives that were taken: one alternative, or one per record for a command with `each`.
    pub transitions: Vec<TransitionId>,
    /// The indices of the records that the event was addressed to, or that the event started.
    pub records: Vec<usize>,
    /// The index of the record that was replaced or released.
    pub ended: Option<usize>,
    /// The emitted effects, in order.
    pub effects: Vec<EmittedEffect>,
    /// The reply; a list for a command with `each`.
    pub reply: Json,
    /// Whether the event went to every record.
    pub each: bool,
    /// The host tool that the host runs after the machine has counted the call, if there is one. The answer to the
    /// caller is then the tool's result, and there is no reply.
    pub runs: Option<String>,
}

impl Acceptance {
    /// Returns the acceptance of an event that has not been applied yet.
    pub(super) fn of(event: EventId) -> Self {
        Self {
            event,
            transitions: Vec::new(),
            records: Vec::new(),
            ended: None,
            effects: Vec::new(),
            reply: Json::Null,
            each: false,
            runs: None,
        }
    }
}

/// An emitted effect.
#[derive(Clone, Debug, PartialEq)]
pub struct EmittedEffect {
    /// The declared effect.
    pub effect: EffectId,
    /// The id of the plan that the effect concerns; `None` if there was no plan.
    pub plan: Option<Arc<str>>,
    /// The fields of the effect, in the order of the declaration.
    pub fields: Vec<Value>,
}

impl EmittedEffect {
    /// Returns the effect as JSON, for example `{"plan_ready":{"plan":"plan-1"}}`; unset fields are omitted.
    #[must_use]
    pub fn json(&self, machine: &Machine) -> Json {
        let effect = machine.effect(self.effect);
        let mut fields = Object::new();
        for (field, value) in effect.fields.iter().zip(&self.fields) {
            if value.is_set() {
                fields.push(field.name.clone(), to_json(machine, value, &field.ty));
            }
        }
        let mut object = Object::new();
        object.push(effect.name.clone(), fields);
        Json::Object(object)
    }
}

/// A denial: an ordinary result, not an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Denial {
    /// The kind of denial.
    pub kind: DenialKind,
    /// The messages that give the reasons.
    pub messages: Vec<String>,
    /// The state of the record that denied the event.
    pub state: StateId,
    /// The states in which the event would have been allowed; empty unless the kind is `not_allowed`.
    pub allowed_in: Vec<StateId>,
}

impl Denial {
    /// Returns a denial with one message.
    pub(crate) fn new(kind: DenialKind, state: StateId, message: impl Into<String>) -> Self {
        Self {
            kind,
            messages: vec![message.into()],
            state,
            allowed_in: Vec::new(),
        }
    }

    /// Returns a denial with several messages.
    pub(super) fn all(kind: DenialKind, state: StateId, messages: Vec<String>) -> Self {
        Self {
            kind,
            messages,
            state,
            allowed_in: Vec::new(),
        }
    }

    /// Returns a `not_allowed` denial that lists the states in which the event is available; its message is the text
    /// that the spec has for this denial, if there is one.
    pub(crate) fn not_allowed(
        machine: &Machine,
        name: &str,
        state: StateId,
        allowed_in: Vec<StateId>,
        text: UnavailableText,
    ) -> Self {
        let names: Vec<&str> = allowed_in
            .iter()
            .map(|id| machine.shown_state(*id))
            .collect();
        let built_in = || {
            messages::not_allowed(messages::UnavailableEvent {
                name,
                here: machine.shown_state(state),
                allowed_in: &names,
                starts: machine.starting_command(),
                many: machine.is_many(),
            })
        };
        let message = text.or_else(built_in);
        Self {
            allowed_in,
            ..Self::new(DenialKind::NotAllowed, state, message)
        }
    }
}
