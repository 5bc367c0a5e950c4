//! What a denied sender is told. The interpreter and generated code say it in the same words, so
//! that a test that compares them compares everything.

use std::fmt::Display;

use crate::command::{Pattern, nearest_command};
use crate::json::Json;
use crate::suggest::nearest;

fn near<'a>(name: &str, prefix: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |near| {
        format!("; did you mean `{prefix}{near}`?")
    })
}

/// The state does not handle the event; `allowed_in` does.
#[must_use]
pub fn not_allowed(name: &str, here: &str, allowed_in: &[&str]) -> String {
    match allowed_in {
        [] => format!("`{name}` is allowed in no state"),
        _ => format!(
            "`{name}` is not allowed in {here}; it is allowed in {}",
            allowed_in.join(", ")
        ),
    }
}

/// A tool of the host that an entry denies everywhere.
#[must_use]
pub fn denied_everywhere(name: &str, entry: &str) -> String {
    format!("`{name}` is denied by `{entry}: deny`")
}

/// A tool that would run now, but not where its batch began.
#[must_use]
pub fn not_in_this_batch(name: &str, began: &str) -> String {
    format!(
        "`{name}` does not run in {began}, where this batch of calls began; call it again in the next one"
    )
}

/// Nobody knows the tool.
#[must_use]
pub fn unknown_tool<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    format!("there is no tool `{name}`{}", near(name, "", known))
}

/// A line that is no command.
#[must_use]
pub fn no_command<'a>(line: &str, commands: impl IntoIterator<Item = &'a Pattern>) -> String {
    let near = nearest_command(line, commands)
        .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("no command matches `{}`{near}", line.trim())
}

/// A tool of the host cannot be sent to one of many plans.
#[must_use]
pub fn no_single_plan(name: &str) -> String {
    format!("`{name}` is a tool of the host, which goes to no single plan")
}

/// The token is not that of the plan as it is.
#[must_use]
pub fn stale_token(shown: impl Display) -> String {
    format!("{shown} is not the token of the plan as it is now; look at it again")
}

/// A decision came without a token.
#[must_use]
pub fn missing_token(event: &str) -> String {
    format!("`{event}` needs the token of what was shown, and none was given")
}

/// Another plan is in the slot, or none is.
#[must_use]
pub fn another_plan(held: Option<&str>, wanted: &str) -> String {
    match held {
        Some(id) => format!("the plan is {id}, not {wanted}"),
        None => format!("there is no plan, and so none with the id {wanted}"),
    }
}

/// Of many plans none has the id.
#[must_use]
pub fn no_such_plan(wanted: &str) -> String {
    format!("there is no plan with the id {wanted}")
}

/// Several plans take the event.
#[must_use]
pub fn ambiguous(event: &str, ids: &[&str]) -> String {
    format!(
        "several plans take `{event}`; say which: {}",
        ids.join(", ")
    )
}

/// A revision is expected where nothing is held.
#[must_use]
pub fn revision_of_nothing(expected: u64) -> String {
    format!("revision {expected} is expected, and there is no plan")
}

/// The plan has gone on.
#[must_use]
pub fn another_revision(expected: u64, id: &str, revision: u64) -> String {
    format!("revision {expected} is expected, and {id} is at {revision}")
}

/// The bound of living plans is reached.
#[must_use]
pub fn too_many_alive(alive: u64, max: u64) -> String {
    format!("{alive} plans are alive, and {max} are allowed")
}

/// A number grew too large.
pub const OVERFLOW: &str = "a number grew beyond what fits";

/// An optional was relied upon.
pub const UNSET: &str = "a value that is needed is not set";

/// A reply relied on an optional.
pub const NOTHING_TO_REPLY: &str = "there is nothing to reply with yet";

/// An effect's field relied on an optional.
#[must_use]
pub fn not_set(field: &str) -> String {
    format!("`{field}` is not set")
}

/// A stored record that does not have what its state needs.
#[must_use]
pub fn lacks(field: &str, state: &str) -> String {
    format!("`{field}` is not set, and {state} needs it")
}

/// A condition that must hold, in its own words.
#[must_use]
pub fn needs(condition: &str) -> String {
    format!("this needs `{condition}`")
}

/// Conditions of which one must hold.
#[must_use]
pub fn needs_one_of(conditions: &[&str]) -> String {
    let quoted: Vec<String> = conditions.iter().map(|text| format!("`{text}`")).collect();
    format!("this needs {}", quoted.join(" or "))
}

/// A position outside a list whose positions end before `end`.
#[must_use]
pub fn no_position(number: i64, list: &str, end: usize) -> String {
    match end {
        0 => format!("there is no position {number} in `{list}`: it is empty"),
        _ => format!(
            "there is no position {number} in `{list}`: they go from 0 to {}",
            end - 1
        ),
    }
}

/// More than a bound allows; `unit` is what is counted.
#[must_use]
pub fn too_much(name: impl Display, count: usize, unit: &str, max: u64) -> String {
    format!("`{name}` has {count} {unit}, and {max} are allowed")
}

/// A text without anything in it.
#[must_use]
pub fn blank(name: impl Display) -> String {
    format!("`{name}` is blank")
}

/// A field that must be there.
#[must_use]
pub fn missing(name: impl Display) -> String {
    format!("`{name}` is missing")
}

/// A value of another kind than the one declared.
#[must_use]
pub fn unfit(name: impl Display, reason: impl Display) -> String {
    format!("`{name}` {reason}")
}

/// Why a value is unfit, by the kind that was wanted.
pub mod reason {
    use std::fmt::Display;

    /// A text was wanted.
    pub const TEXT: &str = "is not a text";
    /// A number was wanted.
    pub const INT: &str = "is not a whole number that fits";
    /// A truth value was wanted.
    pub const BOOL: &str = "is neither true nor false";
    /// An instant was wanted, and this is no text.
    pub const TIME: &str = "is no instant";
    /// A list was wanted.
    pub const LIST: &str = "is not a list";
    /// An object was wanted.
    pub const OBJECT: &str = "is not an object";

    /// A text that is no instant.
    #[must_use]
    pub fn instant(why: impl Display) -> String {
        format!("is no instant: {why}")
    }

    /// None of the values of an enum.
    #[must_use]
    pub fn none_of(values: &[impl AsRef<str>]) -> String {
        let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
        format!("is none of {}", values.join(", "))
    }
}

/// A key that no field has; `prefix` is the way to it, such as `context.`.
#[must_use]
pub fn undeclared<'a>(
    key: &str,
    value: &Json,
    prefix: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    // No input has these names. They address the event, wherever the caller puts them.
    if prefix.is_empty() && ["plan_id", "token"].contains(&key) && value.as_text().is_none() {
        return unfit(key, reason::TEXT);
    }
    format!("there is no `{prefix}{key}`{}", near(key, prefix, known))
}
