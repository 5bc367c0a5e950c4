//! What expressions, requirements and bounds of generated code come down to.

use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use crate::core::denied::{DenialReason, Fault};
use crate::core::value::{BoundViolation, Problems, Unit, Value, ValuePath};

/// A sum, where it fits.
///
/// # Errors
///
/// Where it does not.
#[inline]
pub fn add(left: i64, right: i64) -> Result<i64, Fault> {
    left.checked_add(right).ok_or(Fault::Overflow)
}

/// A difference, where it fits.
///
/// # Errors
///
/// Where it does not.
#[inline]
pub fn subtract(left: i64, right: i64) -> Result<i64, Fault> {
    left.checked_sub(right).ok_or(Fault::Overflow)
}

/// A text that was put together to be stored, where it is not too large.
///
/// # Errors
///
/// Where it is.
pub fn stored_text(text: String) -> Result<String, Fault> {
    match text.len() {
        bytes if bytes > stored::MOST_BYTES => Err(Fault::TooLarge),
        _ => Ok(text),
    }
}

/// A value of JSON that was put together to be stored, where it is not too large.
///
/// # Errors
///
/// Where it is.
pub fn stored_json(json: Json) -> Result<Json, Fault> {
    match stored::bytes_of(&json) {
        bytes if bytes > stored::MOST_BYTES => Err(Fault::TooLarge),
        _ => Ok(json),
    }
}

/// How many; nothing in memory has more than fits.
#[must_use]
#[inline]
pub fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// A revision or edition as a number of the language.
#[must_use]
#[inline]
pub fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An item of a list, if there is one at the position.
#[must_use]
#[inline]
pub fn item_at<T>(list: &[T], position: i64) -> Option<&T> {
    usize::try_from(position).ok().and_then(|at| list.get(at))
}

/// A position below `end`.
///
/// # Errors
///
/// A denial that says so.
#[inline]
pub fn position(number: i64, end: usize, list: &str) -> Result<usize, DenialReason> {
    match usize::try_from(number) {
        Ok(at) if at < end => Ok(at),
        _ => Err(DenialReason::no_position(number, list, end)),
    }
}

/// Whether a condition of an alternative holds; one that relies on what is not there does not.
///
/// # Errors
///
/// Where a number grew too large.
pub fn holds(condition: Result<bool, Fault>) -> Result<bool, DenialReason> {
    match condition {
        Ok(holds) => Ok(holds),
        Err(Fault::Unset) => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}

/// Notes a requirement that failed. One that relies on a failed one is skipped.
///
/// # Errors
///
/// Where a number grew too large.
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
        // After a requirement that failed, a message may read something that is not set.
        Err(Fault::Unset) => messages.push(messages::needs(condition)),
        Err(fault) => return Err(fault.into()),
    }
    Ok(())
}

/// Whether a list may grow to so many items.
pub fn room(count: usize, max: u64, at: &ValuePath<'_>, problems: &mut Problems) {
    if u64::try_from(count).unwrap_or(u64::MAX) > max {
        let unit = Unit::Items;
        problems.push_break(at, BoundViolation::TooMuch { count, unit, max });
    }
}

/// Whether an effect keeps the bounds that the spec states of it.
///
/// # Errors
///
/// Where it does not.
pub fn in_bounds(effect: &impl Value) -> Result<(), DenialReason> {
    let mut problems = Problems::of_stated_bounds();
    effect.inner_bounds(&ValuePath::Payload, &mut problems);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(DenialReason::limit(problems))
    }
}
