//! The clock of a host.

use std::sync::Arc;

use plan_machine::Instant;
use plan_machine::gate::EventContext;

/// A function that returns the current time. Tests and demos use a clock that they advance themselves.
pub type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// Returns the clock of the system.
#[must_use]
pub fn system() -> Clock {
    Arc::new(|| EventContext::now().now)
}
