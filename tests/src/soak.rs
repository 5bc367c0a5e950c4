//! The number of repetitions in soak tests, and of random cases.
//!
//! An ordinary test run repeats an action often enough to notice a fault. `scripts/soak` repeats it many more times.

use std::env;

/// Returns the number of repetitions: the usual number times `PLAN_MACHINE_SOAK`.
///
/// # Panics
/// If `PLAN_MACHINE_SOAK` is not a positive integer: a soak test without any repetition would always pass.
#[must_use]
pub fn times(usual: usize) -> usize {
    let factor = asked("PLAN_MACHINE_SOAK");
    factor.map_or(usual, |factor| usual.saturating_mul(factor as usize))
}

/// Returns the number of random cases: the usual number, or `PLAN_MACHINE_CASES`.
///
/// # Panics
/// If `PLAN_MACHINE_CASES` is not a positive integer: a test without any case would always pass.
#[must_use]
pub fn cases(usual: u32) -> u32 {
    asked("PLAN_MACHINE_CASES").unwrap_or(usual)
}

fn asked(name: &str) -> Option<u32> {
    let text = env::var(name).ok()?;
    match text.parse() {
        Ok(0) | Err(_) => panic!("{name} is `{text}`, expected a positive integer"),
        Ok(asked) => Some(asked),
    }
}
