//! Converts a line that a person typed to the event that it represents.

pub use plan_machine_kernel::command::Pattern;
use plan_machine_kernel::command::best_match;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
pub use plan_machine_kernel::suggest::nearest;

use crate::core::description::{Argument, Description, Event, EventKind};
use crate::dynamic::machine::{Call, CallKind, ShownToken};

/// Returns the call that a line represents; `is_plan` returns whether a word is the id of a plan in the session.
///
/// # Errors
///
/// If no command matches the line; the message names the most similar command, if there is one.
pub fn call_of_line(
    machine: &Description,
    is_plan: impl Fn(&str) -> bool,
    line: &str,
) -> Result<Call, String> {
    let patterns = patterns(machine);
    let accepts = |name: &str, word: &str| name != "plan_id" || is_plan(word);
    let known = patterns.iter().map(|(event, pattern)| (*event, pattern));
    let Some((event, arguments)) = best_match(known, line, &accepts) else {
        let patterns = patterns.iter().map(|(_, pattern)| pattern);
        return Err(messages::no_command(line, patterns));
    };
    let mut call = Call::new(CallKind::Event(event.name.into()));
    for (name, word) in arguments {
        match name.as_str() {
            "plan_id" => call.plan_id = Some(word),
            "token" => call.token = ShownToken::Shown(word),
            _ => {
                let value = argument(event, &name, word);
                call.with.insert(name, value);
            }
        }
    }
    Ok(call)
}

fn patterns(machine: &Description) -> Vec<(&Event, Pattern)> {
    let commands = machine.events.iter().filter_map(|event| match &event.kind {
        EventKind::Command { text, .. } => Some((event, Pattern::parse(text).ok()?)),
        _ => None,
    });
    commands.collect()
}

/// Converts a typed word to JSON. A word that does not match the type of its argument stays a string, which the step
/// rejects.
fn argument(event: &Event, name: &str, word: String) -> Json {
    let EventKind::Command { arguments, .. } = &event.kind else {
        return Json::Text(word);
    };
    let declared = arguments.iter().find(|(known, _)| *known == name);
    let parsed = match declared.map(|(_, argument)| argument) {
        Some(Argument::Int) => word.parse().ok().map(Json::Int),
        Some(Argument::Bool) => word.parse().ok().map(Json::Bool),
        None => None,
    };
    parsed.unwrap_or(Json::Text(word))
}
