//! Deadlines: how long to wait for a server that does not answer.

use std::future::Future;
use std::time::Duration;

use crate::store::{StoreError, StoreErrorKind};

/// The maximum time that a store waits for its server before it returns an error. Sessions can be used again once the
/// server is back.
///
/// In an address, the parameters `connect_timeout`, `statement_deadline` and `commit_deadline` set the deadlines in
/// seconds, as in `postgres://host/plans?connect_timeout=5&statement_deadline=10&commit_deadline=2.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// The deadline for opening a connection; 10 seconds by default. A timeout in the configuration takes precedence.
    pub connect: Duration,
    /// The deadline for reading, and for settling an effect; 30 seconds by default.
    pub statement: Duration,
    /// The deadline for a commit; 30 seconds by default. After that, the store reads from the database whether the
    /// commit was stored, within the deadline for reading.
    pub commit: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            statement: Duration::from_secs(30),
            commit: Duration::from_secs(30),
        }
    }
}

impl Deadlines {
    /// Extracts the deadlines for statements and commits from an address. Also returns the address without them.
    pub(super) fn of(address: &str) -> Result<(String, Self), StoreError> {
        let mut deadlines = Self::default();
        let Some((before, settings)) = address.split_once('?') else {
            return Ok((address.to_owned(), deadlines));
        };
        let mut others = Vec::new();
        for setting in settings.split('&') {
            match setting.split_once('=') {
                Some(("statement_deadline", text)) => deadlines.statement = seconds(text)?,
                Some(("commit_deadline", text)) => deadlines.commit = seconds(text)?,
                _ => others.push(setting),
            }
        }
        Ok((format!("{before}?{}", others.join("&")), deadlines))
    }
}

fn seconds(text: &str) -> Result<Duration, StoreError> {
    let seconds = text.parse().ok();
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            let message = format!(
                "`{text}` is not a deadline: expected a positive number of seconds, such as `2.5`"
            );
            StoreError::new(StoreErrorKind::Unreachable, message)
        })
}

/// Waits for `work` until its deadline; `what` names the work in the error message.
pub(super) async fn within<T>(
    what: &str,
    deadline: Duration,
    work: impl Future<Output = T>,
) -> Result<T, StoreError> {
    let done = tokio::time::timeout(deadline, work).await;
    done.map_err(|_| late(what, deadline))
}

pub(super) fn late(what: &str, deadline: Duration) -> StoreError {
    let message = format!("the server did not answer within {deadline:?} ({what})");
    StoreError::new(StoreErrorKind::Unreachable, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_say_deadlines() {
        let address =
            "postgres://ann@host/plans?connect_timeout=5&commit_deadline=2.5&statement_deadline=7";
        let (rest, deadlines) = Deadlines::of(address).expect("a valid address");
        assert_eq!(rest, "postgres://ann@host/plans?connect_timeout=5");
        assert_eq!(deadlines.commit, Duration::from_millis(2500));
        assert_eq!(deadlines.statement, Duration::from_secs(7));
        let plain = Deadlines::of("postgres://host/plans").expect("a valid address");
        assert_eq!(
            plain,
            ("postgres://host/plans".to_owned(), Deadlines::default())
        );
        for wrong in ["", "0", "-1", "soon", "inf", "NaN"] {
            let address = format!("postgres://host/plans?commit_deadline={wrong}");
            assert!(Deadlines::of(&address).is_err(), "{wrong}");
        }
    }
}
