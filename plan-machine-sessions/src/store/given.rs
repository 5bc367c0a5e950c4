//! Answers: each answer is stored under the id of its call.

use crate::identity::SessionIdentity;
use crate::journal::{Chain, Digest};

/// The stored answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The number of the session's last entry when the answer was given.
    pub seq: u64,
    /// The key that [`Sender::key`](crate::journal::Sender::key) returns for the sender and the id of the call; in
    /// answers of formats 1 and 2, the id alone.
    pub call_id: String,
    /// The text of the answer.
    pub body: String,
    /// The digest of the session's identity, the call id and the text.
    pub digest: Digest,
}

impl StoredAnswer {
    /// Creates the answer to a call, and computes its digest.
    #[must_use]
    pub fn new(session: &SessionIdentity, seq: u64, call_id: String, body: String) -> Self {
        Self {
            seq,
            digest: digest(session, &call_id, &body),
            call_id,
            body,
        }
    }

    /// Returns whether the answer is unaltered and belongs to this session.
    #[must_use]
    pub fn is_whole(&self, session: &SessionIdentity) -> bool {
        digest(session, &self.call_id, &self.body) == self.digest
    }
}

/// Returns the digest of an answer. The digest binds the answer to its session and its call.
fn digest(session: &SessionIdentity, call_id: &str, body: &str) -> Digest {
    Chain::start(session).beside(call_id, body)
}
