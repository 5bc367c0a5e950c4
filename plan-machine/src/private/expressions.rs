//! The functions that expressions, requirements and bounds compile to.

use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use crate::core::denied::{DenialReason, Fault};
use crate::core::value::{BoundViolation, Problems, Unit, Value, ValuePath};

/// Returns a sum.
///
/// # Errors
///
/// If the sum overflows.
#[inline]
pub fn add(left: i64, right: i64) -> Result<i64, Fault> {
    left.checked_add(right).ok_or(Fault::Overflow)
}

/// Returns a difference.
///
/// # Errors
///
/// If the difference overflows.
#[inline]
pub fn subtract(left: i64, right: i64) -> Result<i64, Fault> {
    left.checked_sub(right).ok_or(Fault::Overflow)
}

/// Checks the size of a string that was built to be stored.
///
/// # Errors
///
/// If the string is too large.
pub fn stored_text(text: String) -> Result<String, Fault> {
    match text.len() {
        bytes if bytes > stored::MOST_BYTES => Err(Fault::TooLarge),
        _ => Ok(text),
    }
}

/// Checks the size and the depth of a JSON value that was built to be stored.
///
/// # Errors
///
/// If the value is too large or too deep.
pub fn stored_json(json: Json) -> Result<Json, Fault> {
    match stored::bytes_of(&json) {
        bytes if bytes > stored::MOST_BYTES => Err(Fault::TooLarge),
        _ if stored::is_deeper(&json, stored::MOST_DEPTH) => Err(Fault::TooDeep),
        _ => Ok(json),
    }
}

/// Converts a length to an integer of the spec language; no length in memory exceeds its range.
#[must_use]
#[inline]
pub fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Converts a revision or edition to an integer of the spec language.
#[must_use]
#[inline]
pub fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the item of a list at this position, if there is one.
#[must_use]
#[inline]
pub fn item_at<T>(list: &[T], position: i64) -> Option<&T> {
    usize::try_from(position).ok().and_then(|at| list.get(at))
}

/// Checks that a position is below `end`.
///
/// # Errors
///
/// Returns a denial if the position is not below `end`.
#[inline]
pub fn position(number: i64, end: usize, list: &str) -> Result<usize, DenialReason> {
    match usize::try_from(number) {
        Ok(at) if at < end => Ok(at),
        _ => Err(DenialReason::no_position(number, list, end)),
    }
}

/// Returns whether the condition of an alternative holds. A condition that relies on an unset value does not hold.
///
/// # Errors
///
/// If a number overflows.
pub fn holds(condition: Result<bool, Fault>) -> Result<bool, DenialReason> {
    match condition {
        Ok(holds) => Ok(holds),
        Err(Fault::Unset) => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}

/// Adds a message if a requirement does not hold. Once a requirement has failed, later ones that rely on an unset value
/// are skipped.
///
/// # Errors
///
/// If a number overflows.
pub fn require(
    holds: Result<bool, Fault>,
    messages: &mut Vec<String>,
    message: impl FnOnce() -> Result<String, Fault>,
    condition: &str,
) -> Result<(), DenialReason> {
    match holds {
        Ok(true) => return Ok(()),
        Err(Fault::Unset) if !messages.is_empty() => return Ok(()),
        Ok(false) | Err(Fault::Unset) => {}
        Err(fault) => return Err(fault.into()),
    }
    match message() {
        Ok(message) => messages.push(message),
        // The message may refer to a value that is not set, because the requirement does not hold.
        Err(Fault::Unset) => messages.push(messages::needs(condition)),
        Err(fault) => return Err(fault.into()),
    }
    Ok(())
}

/// Reports a problem if a list would grow beyond `max` items.
pub fn room(count: usize, max: u64, at: &ValuePath<'_>, problems: &mut Problems) {
    if u64::try_from(count).unwrap_or(u64::MAX) > max {
        let unit = Unit::Items;
        problems.push_break(at, BoundViolation::TooMuch { count, unit, max });
    }
}

/// Checks that an effect is within the bounds of the spec.
///
/// # Errors
///
/// If the effect exceeds a bound.
pub fn in_bounds(effect: &impl Value) -> Result<(), DenialReason> {
    let mut problems = Problems::of_stated_bounds();
    effect.inner_bounds(&ValuePath::Payload, &mut problems);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(DenialReason::limit(problems))
    }
}
