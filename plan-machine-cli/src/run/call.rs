//! A written call → a call of this machine.

use plan_machine_compiler::model::machine::EventKind;
use plan_machine_compiler::model::{EventId, Machine};
use plan_machine_compiler::semantics::{Call, Held, Token, What, call_of_line};
use plan_machine_kernel::json::{Json, Object};

use super::input::{Name, Written, token};
use crate::output::did_you_mean;

/// The call that was written.
pub(super) fn resolve(machine: &Machine, held: &Held, written: Written) -> Result<Call, String> {
    let mut call = match &written.name {
        Name::Do(line) if line.trim_start().starts_with('/') => call_of_line(machine, held, line)?,
        Name::Do(name) => Call::new(What::Event(own_event(machine, name)?)),
        Name::Tool(name) => match machine.event_named(name).filter(|id| is_tool(machine, *id)) {
            Some(tool) => Call::new(What::Event(tool)),
            None => Call::new(What::HostTool(name.clone())),
        },
    };
    match call.what {
        // What a tool of the host gets is the host's affair.
        What::HostTool(_) => call.with = written.with,
        What::Event(_) => take_payload(&mut call, written.with)?,
    }
    if let Some(id) = written.plan_id {
        once(&mut call.plan_id, id, "plan_id")?;
    }
    take_token(&mut call, written.token)?;
    call.expect_revision = written.expect_revision;
    Ok(call)
}

/// Whether a call may be one of a model's response.
pub(super) fn is_tool_call(machine: &Machine, call: &Call) -> bool {
    match &call.what {
        What::HostTool(_) => true,
        What::Event(event) => is_tool(machine, *event),
    }
}

fn is_tool(machine: &Machine, event: EventId) -> bool {
    matches!(machine.event(event).kind, EventKind::Tool { .. })
}

fn own_event(machine: &Machine, name: &str) -> Result<EventId, String> {
    let is_own = |id: &EventId| {
        let kind = &machine.event(*id).kind;
        !matches!(kind, EventKind::External | EventKind::Other)
    };
    match machine.event_named(name) {
        Some(event) if is_own(&event) => Ok(event),
        Some(_) => Err(format!(
            "`{name}` is a tool of the host; send it as {{\"tool\":\"{name}\"}}"
        )),
        None => {
            let own = machine.event_ids().filter(is_own);
            let near = did_you_mean(name, own.map(|id| machine.event(id).name.as_str()));
            Err(format!("there is no event `{name}`{near}"))
        }
    }
}

/// `plan_id` and `token` may stand in the payload; no input of an event has these names. What is
/// no text stays there, where the step finds it.
fn take_payload(call: &mut Call, with: Object) -> Result<(), String> {
    for (key, value) in with {
        match (key.as_str(), value) {
            ("plan_id" | "token", Json::Null) => {}
            ("plan_id", Json::Text(id)) => once(&mut call.plan_id, id, "plan_id")?,
            ("token", Json::Text(text)) => take_token(call, token(text))?,
            (_, value) => {
                if call.with.insert(key.as_str(), value).is_some() {
                    return Err(twice(&key));
                }
            }
        }
    }
    Ok(())
}

fn take_token(call: &mut Call, token: Token) -> Result<(), String> {
    match (&call.token, token) {
        (_, Token::Missing) => {}
        (Token::Missing, token) => call.token = token,
        (known, token) if *known == token => {}
        _ => return Err(twice("token")),
    }
    Ok(())
}

fn once(place: &mut Option<String>, value: String, key: &str) -> Result<(), String> {
    match place.replace(value) {
        Some(before) if place.as_ref() != Some(&before) => Err(twice(key)),
        _ => Ok(()),
    }
}

fn twice(key: &str) -> String {
    format!("`{key}` is given twice")
}
