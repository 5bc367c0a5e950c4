//! Serialization of typed events in any serde format: an event is written as its name and its payload in JSON.

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::description::EventKind;
use super::host_tool::HostTool;
use super::types::MachineTypes;
use super::value::Problems;

/// Serializes an event as its name and its payload.
///
/// # Errors
///
/// If the serializer returns an error.
pub fn serialize_event<L: MachineTypes, S: Serializer>(
    event: &L::Event,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut object = Object::new();
    let name = L::MACHINE.event(L::event_index(event)).name;
    match (L::encode(event), L::host_tool(&mut event.clone())) {
        (None, Some(call)) => {
            object.push("tool", call.tool.as_str());
            if let Some(class) = &call.class {
                object.push("class", class.as_str());
            }
            object.push("with", call.args.clone());
        }
        (with, _) => {
            object.push("do", name);
            object.push("with", with.unwrap_or_default());
        }
    }
    object.serialize(to)
}

/// Deserializes an event from its name, its payload, and the token that was shown.
///
/// # Errors
///
/// If the deserializer returns an error, the name is unknown, or the payload is invalid; all problems are reported.
pub fn deserialize_event<'de, L: MachineTypes, D: Deserializer<'de>>(
    from: D,
) -> Result<L::Event, D::Error> {
    let object = Object::deserialize(from)?;
    let text = |key: &str| object.get(key).and_then(Json::as_text);
    let with = object.get("with").cloned().unwrap_or_default();
    if let Some(tool) = text("tool") {
        let mut call = HostTool::new(tool, with);
        call.class = text("class").map(str::to_owned);
        return Ok(L::of_host_tool(call));
    }
    let name = text("do").ok_or_else(|| {
        D::Error::custom("expected an event name in `do`, or a tool name in `tool`")
    })?;
    let Some(event) = L::MACHINE.event_named(name) else {
        return Err(D::Error::custom(format!("unknown event `{name}`")));
    };
    let mut with = match with {
        Json::Object(with) => with,
        Json::Null => Object::new(),
        found => {
            let problem = format!("`with` is {found}, expected an object");
            return Err(D::Error::custom(problem));
        }
    };
    let token = with
        .remove("token")
        .and_then(|token| token.as_text()?.parse::<Token>().ok());
    let mut problems = Problems::new();
    let declared = L::MACHINE.event(event);
    if token.is_none() && matches!(declared.kind, EventKind::Command { reviewed: true, .. }) {
        problems.push(messages::missing_token(declared.shown_name()));
    }
    match L::decode(
        event,
        &with,
        token.unwrap_or(Token::OF_NOTHING),
        &mut problems,
    ) {
        Some(event) if problems.is_empty() => Ok(event),
        _ => Err(D::Error::custom(problems.messages().join("; "))),
    }
}
