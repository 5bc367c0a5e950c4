//! Conversions between typed values and JSON, for hosts with compiled machines.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::ShownToken;

use super::call::{Call, CallKind};
use super::outcome::EffectView;
use super::plans::{PlanView, RestoreError};
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;
use crate::core::record::Record;
use crate::core::types::MachineTypes;
use crate::core::value::{Problems, Value, ValuePath};

/// Returns the call that sends a typed event to whichever plan accepts it.
///
/// ```
/// use plan_machine::machine::{CallKind, call_of};
///
/// plan_machine::machine! {
///     machine Note;
///     data { text: string? }
///     command begin = "/note";
///     signal sent { to: string }
///     state none { on begin => OPEN; }
///     state OPEN { on sent => SENT next none { set text = event.to; } }
///     final state SENT;
/// }
///
/// let sent = note::event::Sent { to: "ann".to_owned() };
/// let call = call_of::<note::Machine>(note::Event::Sent(sent));
/// assert_eq!(call.what, CallKind::Event("sent".into()));
/// assert_eq!(call.with.to_string(), r#"{"to":"ann"}"#);
/// ```
#[must_use]
pub fn call_of<L: MachineTypes>(mut event: L::Event) -> Call {
    if let Some(tool) = L::host_tool(&mut event) {
        let mut call = Call::new(CallKind::HostTool(std::mem::take(&mut tool.tool).into()));
        call.with = object(std::mem::take(&mut tool.args));
        call.class = tool.class.take().map(Into::into);
        return call;
    }
    let name = L::MACHINE.event(L::event_index(&event)).name;
    let mut call = Call::new(CallKind::Event(name.into()));
    call.with = object(L::encode(&event).unwrap_or_default());
    if let Some(token) = L::token_of(&event) {
        // The token is part of a typed event, but a call stores it outside the payload.
        call.with.remove("token");
        call.token = ShownToken::Shown(token.into());
    }
    call
}

fn object(json: Json) -> Object {
    match json {
        Json::Object(object) => object,
        _ => Object::new(),
    }
}

impl EffectView {
    /// Returns the effect as a typed value, for a host that handles effects with a `match`; `None` if the machine has
    /// no such effect, or if the fields do not match it.
    #[must_use]
    pub fn typed<L: Lifecycle>(&self) -> Option<L::Effect> {
        let mut object = Object::new();
        object.push(self.name.clone(), self.fields.clone());
        let mut problems = Problems::of_stated_bounds();
        let effect = L::Effect::decode(&Json::Object(object), &ValuePath::Payload, &mut problems);
        effect.filter(|_| problems.is_empty())
    }
}

impl PlanView {
    /// Returns the typed plan: `state` is an enum, `data` a struct.
    ///
    /// # Errors
    ///
    /// If the plan does not match the machine; all problems are reported.
    pub fn typed<L: Lifecycle>(&self) -> Result<Record<L>, RestoreError> {
        AnyPlan::restore(self).map(|plan| *plan.into_record())
    }
}
