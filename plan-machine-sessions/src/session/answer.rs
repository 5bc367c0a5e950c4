//! The answer that a session gives to a request.

/// The answer that a session gives to a request after it has stored the result. The answer does not contain the effects
/// of the request: only [`Session::effects`](super::Session::effects) delivers them.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed<T> {
    /// The answer.
    pub answer: T,
    /// The number of the session's last entry after the request.
    pub seq: u64,
    /// Whether the same request was sent earlier with the same call id or turn id. If so, this is the earlier answer.
    pub repeated: bool,
}
