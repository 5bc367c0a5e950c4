//! The answers of a session.

/// The result of something that was sent to a session. It is stored. Its effects are delivered by
/// [`Session::effects`](super::Session::effects), and nowhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed<T> {
    /// The answer.
    pub answer: T,
    /// The number of the session's last entry afterwards.
    pub seq: u64,
    /// It was sent before under the same call id: this is the answer from then.
    pub repeated: bool,
}
