//! Turns a written call into a call to the machine.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::suggest::did_you_mean;

use super::read::{CallName, WrittenCall, token};
use crate::core::description::{Description, Event, EventKind};
use crate::dynamic::command::call_of_line;
use crate::dynamic::machine::{Call, CallKind, ShownToken};

/// Returns the call that a request contains; `is_plan` returns whether a word is the id of a plan.
///
/// # Errors
///
/// If the machine has no such command or event, or if the request gives an argument twice, gives different plan ids or
/// tokens, or gives a class that the machine does not name or that does not belong to a call to a host tool.
pub fn resolve(
    machine: &Description,
    is_plan: impl Fn(&str) -> bool,
    written: &WrittenCall,
) -> Result<Call, String> {
    let mut call = match &written.name {
        CallName::Do(line) if line.trim_start().starts_with('/') => {
            call_of_line(machine, is_plan, line)?
        }
        CallName::Do(name) => Call::new(CallKind::Event(own_event(machine, name)?.name.into())),
        CallName::Tool(name) => match event_named(machine, name).filter(|event| is_tool(event)) {
            Some(tool) => Call::new(CallKind::Event(tool.name.into())),
            None => Call::new(CallKind::HostTool(name.clone().into())),
        },
    };
    match call.what {
        // The arguments of a host tool are passed on unchanged: the host checks them.
        CallKind::HostTool(_) => call.with = written.with.clone(),
        CallKind::Event(_) => take_payload(&mut call, &written.with)?,
    }
    if let Some(class) = &written.class {
        call.class = Some(named_class(machine, &call, class)?.into());
    }
    if let Some(id) = &written.plan_id {
        once(&mut call.plan_id, id.clone(), "plan_id")?;
    }
    take_token(&mut call, written.token.clone())?;
    call.expect_revision = written.expect_revision;
    Ok(call)
}

/// Returns whether a call may be part of a model's response.
#[must_use]
pub fn is_tool_call(machine: &Description, call: &Call) -> bool {
    match &call.what {
        CallKind::HostTool(_) => true,
        CallKind::Event(name) => event_named(machine, name).is_some_and(is_tool),
    }
}

fn event_named(machine: &Description, name: &str) -> Option<&'static Event> {
    machine.event_named(name).map(|at| machine.event(at))
}

fn is_tool(event: &Event) -> bool {
    matches!(event.kind, EventKind::Tool { .. })
}

/// Returns whether the machine itself defines the event.
fn is_own(event: &Event) -> bool {
    !matches!(event.kind, EventKind::External | EventKind::OtherTools)
}

fn own_event(machine: &Description, name: &str) -> Result<&'static Event, String> {
    match event_named(machine, name) {
        Some(event) if is_own(event) => Ok(event),
        Some(_) => Err(format!(
            "`{name}` is a host tool; send it as {{\"tool\":\"{name}\"}}"
        )),
        None => {
            let own = machine.events.iter().filter(|event| is_own(event));
            let near = did_you_mean(name, own.map(|event| event.name));
            Err(format!("unknown event `{name}`{near}"))
        }
    }
}

/// Returns the class of a call to a host tool. The machine must have an entry for the class.
fn named_class(machine: &Description, call: &Call, class: &str) -> Result<&'static str, String> {
    if !matches!(call.what, CallKind::HostTool(_)) {
        return Err("`class` is set, but this is not a call to a host tool".to_owned());
    }
    let is_external = |event: &&Event| matches!(event.kind, EventKind::External);
    let known = || machine.events.iter().filter(is_external);
    let found = known().find(|event| event.name == class);
    found.map(|event| event.name).ok_or_else(|| {
        let near = did_you_mean(class, known().map(|event| event.name));
        format!(
            "{} has no entries for the class `{class}`{near}",
            machine.name
        )
    })
}

/// Moves `plan_id` and `token` out of the payload. They may appear there, because no input field of an event can have
/// these names. `null` counts as missing. Any other value that is not a string stays in the payload, where the step
/// rejects it.
fn take_payload(call: &mut Call, with: &Object) -> Result<(), String> {
    for (key, value) in with.iter() {
        match (key, value) {
            ("plan_id" | "token", Json::Null) => {}
            ("plan_id", Json::Text(id)) => once(&mut call.plan_id, id.clone(), "plan_id")?,
            ("token", Json::Text(text)) => take_token(call, token(text.clone()))?,
            (_, value) => {
                if call.with.insert(key.to_owned(), value.clone()).is_some() {
                    return Err(twice(key));
                }
            }
        }
    }
    Ok(())
}

fn take_token(call: &mut Call, token: ShownToken) -> Result<(), String> {
    match (&call.token, token) {
        (_, ShownToken::Missing) => {}
        (ShownToken::Missing, token) => call.token = token,
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
    format!("`{key}` is given twice: give it in only one place")
}
