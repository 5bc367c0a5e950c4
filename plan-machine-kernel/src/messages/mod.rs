//! The messages for senders of denied events. The interpreter and generated code use the same messages, so tests can
//! compare their results in full.

pub mod withdrawal;

use std::fmt::Display;

use crate::command::{Pattern, nearest_command};
use crate::digest::short;
use crate::json::Json;
use crate::suggest::nearest;

fn near<'a>(name: &str, prefix: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // A call may use the name of a class as the name of a tool; that name is not a suggestion.
    let others = known.into_iter().filter(|known| *known != name);
    nearest(name, others).map_or(String::new(), |near| {
        format!("; did you mean `{prefix}{near}`?")
    })
}

/// An event that a state does not handle.
#[derive(Clone, Copy, Debug)]
pub struct UnavailableEvent<'a> {
    /// The name of the event in the message: the name of a tool, or a command as it is typed.
    pub name: &'a str,
    /// The state of the plan; `none` if there is no plan.
    pub here: &'a str,
    /// The states that handle the event, possibly including `none`.
    pub allowed_in: &'a [&'a str],
    /// The command that starts a plan, as it is typed.
    pub starts: Option<&'a str>,
    /// Whether the session can have many plans.
    pub many: bool,
}

/// The message for an event that the state does not handle. It says whether a plan is missing or already exists, and in
/// which states the event is available.
#[must_use]
pub fn not_allowed(event: UnavailableEvent<'_>) -> String {
    let UnavailableEvent { name, here, .. } = event;
    if event.allowed_in.is_empty() {
        return format!("`{name}` is not available in any state");
    }
    let places = places(event.allowed_in);
    if here != NO_PLAN {
        return match event.allowed_in {
            [NO_PLAN] => format!(
                "`{name}` is available only while there is no plan; the current plan is in {here}"
            ),
            _ => format!("`{name}` is not available in {here}, only {places}"),
        };
    }
    if event.many {
        return format!("no plan accepts `{name}` now; it is available {places}");
    }
    let starts = event
        .starts
        .map_or(String::new(), |starts| format!(" (`{starts}` starts one)"));
    format!("`{name}` is not available without a plan{starts}, only {places}")
}

/// The name of the state in which there is no plan.
const NO_PLAN: &str = "none";

/// Formats states for use in a sentence: `in READY, EXECUTING or without a plan`.
fn places(states: &[&str]) -> String {
    let names: Vec<&str> = states
        .iter()
        .copied()
        .filter(|name| *name != NO_PLAN)
        .collect();
    let mut places = Vec::new();
    if !names.is_empty() {
        places.push(format!("in {}", names.join(", ")));
    }
    if states.contains(&NO_PLAN) {
        places.push("without a plan".to_owned());
    }
    places.join(" or ")
}

/// The message for a host tool that an entry of the spec denies in every state.
#[must_use]
pub fn denied_everywhere(name: &str, entry: &str) -> String {
    format!("`{name}` is denied by `{entry}: deny`")
}

/// The message for a call that the `deny` at the end of a list of alternatives denies, because none
/// of the conditions before it holds.
#[must_use]
pub fn denied_unless(name: &str, conditions: &[&str]) -> String {
    if conditions.is_empty() {
        return format!("`{name}` is denied");
    }
    format!("`{name}` is denied unless {}", conditions.join(" or "))
}

/// The message for a tool that could run in the current state, but not in the state in which its batch of calls
/// started.
#[must_use]
pub fn not_in_this_batch(name: &str, began: &str) -> String {
    format!(
        "`{name}` cannot run in {began}, where this batch of calls began; call it again in the next batch"
    )
}

/// The message for a host tool that could not run when the current turn began.
#[must_use]
pub fn not_in_this_turn(name: &str) -> String {
    format!(
        "`{name}` could not run when this turn began; it is available after the user's next message"
    )
}

/// The message for a call of the class `guard`.
#[must_use]
pub fn guarded(name: &str, why: Option<&str>) -> String {
    let why = why.unwrap_or("it would change the gate itself");
    format!("`{name}` is denied in every state: {why}")
}

/// The message that states the class of a denied call, and the reason why the first rule for the tool did not match.
#[must_use]
pub fn class_of_call(class: &str, why: Option<&str>) -> String {
    let why = why.map_or(String::new(), |why| format!(": {why}"));
    format!("the call has the class `{class}`{why}")
}

/// The message for a call for which the step of a machine differs from the machine's earlier decision about the call.
#[must_use]
pub fn undecided(name: &str, state: &str) -> String {
    format!("cannot decide whether a call to `{name}` may run in {state}")
}

/// The message for a call by background work while a machine records calls as steps of a plan.
#[must_use]
pub fn not_in_background(name: &str, machine: &str, state: &str) -> String {
    format!(
        "`{name}` was called by background work, and is denied while a plan is being made: {machine} records calls as steps in {state}, and only the conversation itself can propose steps; background work can continue when the plan is finished or cancelled"
    )
}

/// The message for a call that must not run although it was recorded or allowed; [`withdrawal`] has the reasons.
#[must_use]
pub fn may_no_longer_run(name: &str, why: &str) -> String {
    format!("`{name}` may no longer run: {why}")
}

/// The message for an unknown tool.
#[must_use]
pub fn unknown_tool<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if name.trim().is_empty() {
        return "the call does not name a tool".to_owned();
    }
    format!("unknown tool `{name}`{}", near(name, "", known))
}

/// The message for a line that is not a command.
#[must_use]
pub fn no_command<'a>(line: &str, commands: impl IntoIterator<Item = &'a Pattern>) -> String {
    let near = nearest_command(line, commands)
        .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("no command matches `{}`{near}", line.trim())
}

/// The message for a line that does not begin like a command of the session.
#[must_use]
pub fn other_prefix(line: &str, prefix: char) -> String {
    let line = line.trim();
    format!("`{line}` is not a command here: commands begin with `{prefix}`")
}

/// The message for a call that names one of many plans although it calls a host tool.
#[must_use]
pub fn no_single_plan(name: &str) -> String {
    format!("`{name}` is a host tool, so a call to it cannot be addressed to a single plan")
}

/// The message for a token that does not belong to the current plan.
#[must_use]
pub fn stale_token(shown: &str) -> String {
    let shown = short(shown);
    format!("{shown} is not the token of the current plan; review the plan again")
}

/// The message for a decision without a token.
#[must_use]
pub fn missing_token(event: &str) -> String {
    format!("`{event}` needs the token of the plan that was shown, but no token was sent")
}

/// The message for an event that is addressed to a plan other than the current plan, or to a plan although there is no
/// plan.
#[must_use]
pub fn another_plan(held: Option<&str>, wanted: &str) -> String {
    match held {
        Some(id) => format!("the current plan is {id}, not {wanted}"),
        None => format!("there is no plan, so no plan has the id {wanted}"),
    }
}

/// The message for an id that does not belong to any plan of a machine with many plans.
#[must_use]
pub fn no_such_plan(wanted: &str) -> String {
    format!("there is no plan with the id {wanted}")
}

/// The message for an event that several plans accept.
#[must_use]
pub fn ambiguous(event: &str, ids: &[&str]) -> String {
    format!(
        "several plans accept `{event}`; name one of {}",
        ids.join(", ")
    )
}

/// The message for an event that expects a revision when there is no plan.
#[must_use]
pub fn revision_of_nothing(expected: u64) -> String {
    format!("expected revision {expected}, but there is no plan")
}

/// The message for an event that expects a revision which the plan no longer has.
#[must_use]
pub fn another_revision(expected: u64, id: &str, revision: u64) -> String {
    format!("expected revision {expected}, but {id} is at revision {revision}")
}

/// The message for a new plan when the maximum number of live plans is reached.
#[must_use]
pub fn too_many_alive(alive: u64, max: u64) -> String {
    let exist = if alive == 1 { "exists" } else { "exist" };
    format!(
        "the limit on live plans is {max}, and {alive} already {exist}; end a plan before you start another"
    )
}

/// The message for a timer that a plan does not have or that has already fired.
pub const TIMER_NOT_RUNNING: &str = "this timer is not running";

/// The message for a method call that would move a plan while one of its timers is due but has not fired yet.
#[must_use]
pub fn timer_is_due(at: &str) -> String {
    format!("a timer of this plan was due at {at}; fire it before sending other events")
}

/// The message for a number that became too large.
pub const OVERFLOW: &str = "a number became too large";

/// The message for a value that is too large to be stored.
pub const TOO_LARGE: &str = "a value to be stored in the plan is larger than 1 MiB";

/// The message for a value that is nested too deep to be stored.
pub const TOO_DEEP: &str = "a value to be stored in the plan is nested deeper than 128 levels";

/// The message for a step that builds more data than the interpreter allows.
pub const TOO_MUCH_WORK: &str = "the step builds more than 256 MiB of values";

/// The message for an optional value that is needed but not set.
pub const UNSET: &str = "a required value is not set";

/// The message for a reply that needs an optional value which is not set.
pub const NOTHING_TO_REPLY: &str = "the reply needs a value that is not set yet";

/// The message for a field of an effect that needs an optional value which is not set.
#[must_use]
pub fn not_set(field: &str) -> String {
    format!("`{field}` is not set")
}

/// The message for a stored record that lacks a field required by its state.
#[must_use]
pub fn lacks(field: &str, state: &str) -> String {
    format!("`{field}` is not set, but {state} needs it")
}

/// The message for a condition that must hold, as written in the spec.
#[must_use]
pub fn needs(condition: &str) -> String {
    format!("this event is accepted only if `{condition}`")
}

/// The message for several conditions of which at least one must hold.
#[must_use]
pub fn needs_one_of(conditions: &[&str]) -> String {
    let quoted: Vec<String> = conditions.iter().map(|text| format!("`{text}`")).collect();
    format!("this event is accepted only if {}", quoted.join(" or "))
}

/// The message for a position outside a list that has `end` positions.
#[must_use]
pub fn no_position(number: i64, list: &str, end: usize) -> String {
    match end {
        0 => format!("there is no position {number} in `{list}`: it is empty"),
        1 => format!("there is no position {number} in `{list}`: the only position is 0"),
        _ => format!(
            "there is no position {number} in `{list}`: positions go from 0 to {}",
            end - 1
        ),
    }
}

/// The message for a value that exceeds a bound; `unit` names what is counted, such as characters.
#[must_use]
pub fn too_much(name: impl Display, count: usize, unit: &str, max: u64) -> String {
    let are = if max == 1 { "is" } else { "are" };
    format!("`{name}` has {count} {unit}, but at most {max} {are} allowed")
}

/// The message for a `json` value that is too long, in a field without a `max`.
#[must_use]
pub fn too_long_json(name: impl Display, bytes: usize, max: u64) -> String {
    format!(
        "`{name}` has {bytes} bytes as JSON, but at most {max} are allowed: send less, or give the field a larger `max` in the spec"
    )
}

/// The message for a blank string.
#[must_use]
pub fn blank(name: impl Display) -> String {
    format!("`{name}` is blank")
}

/// The message for a missing field.
#[must_use]
pub fn missing(name: impl Display) -> String {
    format!("`{name}` is missing")
}

/// The message for a value that does not match its declared type.
#[must_use]
pub fn unfit(name: impl Display, reason: impl Display) -> String {
    format!("`{name}` {reason}")
}

/// The reasons why a value does not match its declared type.
pub mod reason {
    use std::fmt::Display;

    use crate::json::Json;

    /// The maximum number of characters of a value that a message shows.
    const LONGEST_FOUND: usize = 60;

    /// The value is not a string, but a string was expected.
    pub const TEXT: &str = "is not a string";
    /// The value is not an integer, but an integer was expected.
    pub const INT: &str = "is not a 64-bit integer";
    /// The value is not a boolean, but a boolean was expected.
    pub const BOOL: &str = "is neither true nor false";
    /// The value is not even a string, but an instant was expected.
    pub const TIME: &str = "is not an instant";
    /// The value is not a list, but a list was expected.
    pub const LIST: &str = "is not a list";
    /// The value is not an object, but an object was expected.
    pub const OBJECT: &str = "is not an object";

    /// The value is a string, but not an instant.
    #[must_use]
    pub fn instant(why: impl Display) -> String {
        format!("is not valid: {why}")
    }

    /// The value is not one of the enum's values.
    #[must_use]
    pub fn none_of(values: &[impl AsRef<str>], found: &Json) -> String {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", value.as_ref()))
            .collect();
        let expected = match values.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => "no value".to_owned(),
        };
        let found = found
            .as_text()
            .map_or_else(|| found.to_string(), str::to_owned);
        let found = match found.char_indices().nth(LONGEST_FOUND) {
            Some((end, _)) => format!("{}…", &found[..end]),
            None => found,
        };
        format!("is not valid: expected {expected}, found `{found}`")
    }
}

/// The message for a key that is not a declared field; `prefix` is the path to the key, such as `context.`.
#[must_use]
pub fn undeclared<'a>(
    key: &str,
    value: &Json,
    prefix: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    // No input field can have these names: in a payload, these keys always mean the plan and the
    // token of the event.
    if prefix.is_empty() && ["plan_id", "token"].contains(&key) && value.as_text().is_none() {
        return unfit(key, reason::TEXT);
    }
    format!("unknown field `{prefix}{key}`{}", near(key, prefix, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: UnavailableEvent<'_> = UnavailableEvent {
        name: "/plan done",
        here: "none",
        allowed_in: &["READY", "EXECUTING"],
        starts: Some("/plan on"),
        many: false,
    };

    #[test]
    fn a_name_is_not_suggested_for_itself() {
        assert_eq!(unknown_tool("reads", ["reads"]), "unknown tool `reads`");
        let expected = "unknown tool `reeds`; did you mean `reads`?";
        assert_eq!(unknown_tool("reeds", ["reads"]), expected);
    }

    #[test]
    fn without_a_plan_a_denial_names_the_command_that_starts_one() {
        let expected = "`/plan done` is not available without a plan (`/plan on` starts one), \
                        only in READY, EXECUTING";
        assert_eq!(not_allowed(PLAN), expected);
    }

    #[test]
    fn a_plan_that_already_exists_is_named() {
        let on = UnavailableEvent {
            name: "/plan on",
            here: "READY",
            allowed_in: &["none"],
            ..PLAN
        };
        let expected =
            "`/plan on` is available only while there is no plan; the current plan is in READY";
        assert_eq!(not_allowed(on), expected);
        let also_later = UnavailableEvent {
            allowed_in: &["none", "COMPLETED"],
            ..on
        };
        let expected = "`/plan on` is not available in READY, only in COMPLETED or without a plan";
        assert_eq!(not_allowed(also_later), expected);
    }

    #[test]
    fn of_many_plans_a_denial_says_that_none_takes_the_event() {
        let many = UnavailableEvent { many: true, ..PLAN };
        let expected = "no plan accepts `/plan done` now; it is available in READY, EXECUTING";
        assert_eq!(not_allowed(many), expected);
    }

    #[test]
    fn an_event_that_no_state_takes_is_available_nowhere() {
        let nowhere = UnavailableEvent {
            allowed_in: &[],
            ..PLAN
        };
        let expected = "`/plan done` is not available in any state";
        assert_eq!(not_allowed(nowhere), expected);
    }
}
