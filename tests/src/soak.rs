//! The number of repetitions in soak tests.
//!
//! An ordinary test run repeats an action often enough to notice a fault. `scripts/soak` repeats it many more times.

use std::env;

/// Returns the number of repetitions: the usual number times `PLAN_MACHINE_SOAK`.
///
/// # Panics
/// If `PLAN_MACHINE_SOAK` is not a positive integer: a soak test without any repetition would always pass.
#[must_use]
pub fn times(usual: usize) -> usize {
    let Ok(factor) = env::var("PLAN_MACHINE_SOAK") else {
        return usual;
    };
    match factor.parse() {
        Ok(0) | Err(_) => panic!("PLAN_MACHINE_SOAK is `{factor}`, expected a positive integer"),
        Ok(factor) => usual.saturating_mul(factor),
    }
}
