//! Tests that do one thing again and again, and how often.
//!
//! The test command does it often enough to notice a fault. `scripts/soak` does it many times more.

use std::env;

/// How often to do it: as often as usual, or that many times what `PLAN_MACHINE_SOAK` says.
///
/// # Panics
/// If `PLAN_MACHINE_SOAK` is no whole number above zero: a soak that did nothing would hold.
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

/// Numbers that look random and are the same each time.
#[derive(Clone, Copy, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// The next number, below a limit.
    pub fn roll(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}
