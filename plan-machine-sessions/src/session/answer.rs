//! What a session answers.

/// The result of something that was sent to a session. It is stored. Effects that it had are delivered by
/// [`Session::effects`](super::Session::effects), and nowhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed<T> {
    /// The answer.
    pub answer: T,
    /// The number of the session's last entry after it.
    pub seq: u64,
    /// It had been sent before under the same call id: this is the answer that was given then.
    pub repeated: bool,
}
