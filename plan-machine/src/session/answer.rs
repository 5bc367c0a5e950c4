//! What a session answers.

use crate::gate::Decision;

/// What came of something that was sent to a session. It is stored. Effects that it had are delivered by
/// [`Session::effects`](super::Session::effects), and nowhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Done<T> {
    /// The answer.
    pub answer: T,
    /// The number of the session's last entry after it.
    pub seq: u64,
    /// It had been sent before under the same call id: this is the answer that was given then.
    pub repeated: bool,
}

/// What becomes of one call of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The call had come before under the same id: this is what was decided then. A tool of the host
    /// that may run has been let run then.
    pub repeated: bool,
}
