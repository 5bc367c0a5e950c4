//! Values in any format of serde, through JSON: generated types need no derived code of their own,
//! which would cost more of a user's build than everything else in them.

use plan_machine_kernel::json::Json;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::messages;

use super::{At, Problems, Value};
use crate::description::EventKind;
use crate::host_tool::HostTool;
use crate::lifecycle::Lifecycle;

/// Writes a value.
///
/// # Errors
///
/// Those of the format.
pub fn serialize<T: Value, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.encode().serialize(to)
}

/// Reads a value: types and bounds, all problems at once.
///
/// # Errors
///
/// Those of the format, and every problem of the value.
pub fn deserialize<'de, T: Value, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let json = Json::deserialize(from)?;
    // It may have been stored; where it is sent, the step checks it.
    let mut problems = Problems::of_stated_bounds();
    let value = T::decode(&json, &At::Payload, &mut problems);
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        _ => Err(D::Error::custom(problems.messages().join("; "))),
    }
}

/// Writes an event: its name and its payload.
///
/// # Errors
///
/// Those of the format.
pub fn serialize_event<L: Lifecycle, S: Serializer>(
    event: &L::Event,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut object = Object::new();
    let name = L::MACHINE.event(L::event_index(event)).name;
    match (L::encode(event), L::host_tool(&mut event.clone())) {
        (None, Some(call)) => {
            object.push("tool", call.tool.as_str());
            object.push("with", call.args.clone());
        }
        (with, _) => {
            object.push("do", name);
            object.push("with", with.unwrap_or_default());
        }
    }
    object.serialize(to)
}

/// Reads an event: its name, its payload, and the token of what was shown.
///
/// # Errors
///
/// Those of the format, an unknown name, and every problem of the payload.
pub fn deserialize_event<'de, L: Lifecycle, D: Deserializer<'de>>(
    from: D,
) -> Result<L::Event, D::Error> {
    let object = Object::deserialize(from)?;
    let text = |key: &str| object.get(key).and_then(Json::as_text);
    let with = object.get("with").cloned().unwrap_or_default();
    if let Some(tool) = text("tool") {
        return Ok(L::of_host_tool(HostTool::new(tool, with)));
    }
    let name =
        text("do").ok_or_else(|| D::Error::custom("`do` names the event, or `tool` a tool"))?;
    let Some(event) = L::MACHINE.event_named(name) else {
        return Err(D::Error::custom(format!("there is no event `{name}`")));
    };
    let mut with = match with {
        Json::Object(with) => with,
        Json::Null => Object::new(),
        _ => return Err(D::Error::custom("`with` is not an object")),
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
