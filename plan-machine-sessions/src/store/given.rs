//! Answers that are stored under the ids of their calls.

use crate::identity::SessionIdentity;
use crate::journal::{Chain, Digest};

/// The stored answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The number of the session's last entry when it was given.
    pub seq: u64,
    /// The call's id.
    pub call_id: String,
    /// The answer.
    pub body: String,
    /// A digest of it.
    pub digest: Digest,
}

impl StoredAnswer {
    /// Returns a new answer to a call.
    #[must_use]
    pub fn new(session: &SessionIdentity, seq: u64, call_id: String, body: String) -> Self {
        Self {
            seq,
            digest: digest(session, &call_id, &body),
            call_id,
            body,
        }
    }

    /// Returns whether it is unaltered and belongs to this session.
    #[must_use]
    pub fn is_whole(&self, session: &SessionIdentity) -> bool {
        digest(session, &self.call_id, &self.body) == self.digest
    }
}

/// Returns the digest of an answer, which binds it to its session and its call.
fn digest(session: &SessionIdentity, call_id: &str, body: &str) -> Digest {
    Chain::start(session).beside(call_id, body)
}
