//! When the next timer of a session is due.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use std::time::Duration;

use plan_machine_kernel::time::Instant;

/// What a commit does to the instant at which the session's next timer is due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextDue {
    /// The instant does not change.
    #[default]
    Unchanged,
    /// The next timer is due at this instant.
    At(Instant),
    /// No timer is running.
    Never,
}

impl NextDue {
    /// Returns what a commit records for a session with timers, given the instant at which its next timer is due;
    /// `None` means that no timer is running.
    pub(crate) fn of(due: Option<Instant>) -> Self {
        due.map_or(Self::Never, Self::At)
    }
}

/// Converts an instant to the milliseconds since 1970 that a store records. They are rounded up, so that a session is
/// never listed as due before its timer.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) fn rounded_up(at: Instant) -> i64 {
    let since = at.since_1970();
    let rest = i64::from(!since.subsec_nanos().is_multiple_of(1_000_000));
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX - 1) + rest
}

/// Converts stored milliseconds since 1970 to an instant. A damaged number that is out of range becomes the start of
/// 1970 or the last instant.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) fn instant_at(milliseconds: i64) -> Instant {
    let since = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0));
    Instant::from_since_1970(since).unwrap_or(Instant::LAST)
}

/// Returns an instant in milliseconds, rounded down, for comparison with stored instants.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) fn rounded_down(at: Instant) -> i64 {
    i64::try_from(at.since_1970().as_millis()).unwrap_or(i64::MAX)
}
