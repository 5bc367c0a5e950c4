//! Converts a typed line to the call that it represents.

use plan_machine_kernel::command::{Pattern, best_match};
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;

use super::event::{Call, CallKind};
use super::record::HeldRecords;
use crate::model::machine::EventKind;
use crate::model::types::Type;
use crate::model::{EventId, Machine};
use plan_machine_kernel::step::ShownToken;

fn commands(machine: &Machine) -> impl Iterator<Item = (EventId, &Pattern)> {
    machine
        .event_ids()
        .filter_map(|id| match &machine.event(id).kind {
            EventKind::Command(command) => Some((id, &command.pattern)),
            _ => None,
        })
}

/// Returns the call that a line represents.
///
/// # Errors
/// Returns an error if no command matches the line; the message names a similar command if there is one.
pub fn call_of_line(machine: &Machine, held: &HeldRecords, line: &str) -> Result<Call, String> {
    call_with_plans(machine, &|word| held.position(word).is_some(), line)
}

/// Returns the call that a line represents; `is_plan` returns whether a word is the id of a plan.
///
/// # Errors
/// Returns an error if no command matches the line; the message names a similar command if there is one.
pub(crate) fn call_with_plans(
    machine: &Machine,
    is_plan: &dyn Fn(&str) -> bool,
    line: &str,
) -> Result<Call, String> {
    let is_id = |name: &str, word: &str| name != "plan_id" || is_plan(word);
    let Some((event, arguments)) = best_match(commands(machine), line, &is_id) else {
        let patterns = commands(machine).map(|(_, pattern)| pattern);
        return Err(messages::no_command(line, patterns));
    };
    let mut call = Call::new(CallKind::Event(event));
    for (name, word) in arguments {
        match name.as_str() {
            "plan_id" => call.plan_id = Some(word),
            "token" => call.token = ShownToken::Shown(word),
            _ => {
                let fields = &machine.event(event).input;
                let field = fields.iter().find(|field| field.name == name);
                let value = argument(word, field.map(|field| field.ty.required()));
                call.with.insert(name, value);
            }
        }
    }
    Ok(call)
}

/// Converts a word that the user typed to a value of the field's type. A word that does not match the type stays a
/// string, and the step then denies the call.
fn argument(word: String, ty: Option<&Type>) -> Json {
    let parsed = match ty {
        Some(Type::Int) => word.parse().ok().map(Json::Int),
        Some(Type::Bool) => word.parse().ok().map(Json::Bool),
        _ => None,
    };
    parsed.unwrap_or(Json::Text(word))
}
