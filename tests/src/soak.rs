//! Tests that repeat one thing, and how often.
//!
//! The test command repeats it often enough to notice a fault. `scripts/soak` repeats it many times
//! more.

use std::env;

/// Returns how often to repeat it: as often as usual, times `PLAN_MACHINE_SOAK`.
///
/// # Panics
/// If `PLAN_MACHINE_SOAK` is not a whole number above zero: a soak without work would always pass.
#[must_use]
pub fn times(usual: usize) -> usize {
    let Ok(factor) = env::var("PLAN_MACHINE_SOAK") else {
        return usual;
    };
    match factor.parse() {
        Ok(0) | Err(_) => panic!("PLAN_MACHINE_SOAK is `{factor}`, not a whole number above zero"),
        Ok(factor) => usual.saturating_mul(factor),
    }
}
