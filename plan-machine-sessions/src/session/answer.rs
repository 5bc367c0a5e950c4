//! The answers of a session.

/// The stored result of a request to a session. Its effects are delivered only by
/// [`Session::effects`](super::Session::effects).
#[derive(Clone, Debug, PartialEq)]
pub struct Committed<T> {
    /// The answer.
    pub answer: T,
    /// The number of the session's last entry afterwards.
    pub seq: u64,
    /// Whether the same request was sent earlier with the same call id: this is then the earlier answer.
    pub repeated: bool,
}
