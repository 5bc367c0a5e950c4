//! The chain that ties the entries of a session together.

use plan_machine_kernel::digest::{hex, sha256};

use crate::identity::SessionIdentity;

/// The SHA-256 of a stored text.
pub type Digest = [u8; 32];

/// The digests of a session's entries: each covers the previous digest and the entry's text; the first covers the
/// session's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain(Digest);

impl Chain {
    /// Returns the chain before the first entry of a session.
    #[must_use]
    pub fn start(session: &SessionIdentity) -> Self {
        let (channel, conversation) = (session.channel(), session.conversation());
        // Neither can contain a zero byte.
        Self(sha256(&[
            channel.as_bytes(),
            b"\0",
            conversation.as_bytes(),
        ]))
    }

    /// Returns the chain after a known entry.
    #[must_use]
    pub fn at(digest: Digest) -> Self {
        Self(digest)
    }

    /// Returns the chain after one more entry.
    #[must_use]
    pub fn then(self, body: &str) -> Self {
        Self(sha256(&[&self.0, body.as_bytes()]))
    }

    /// Returns the chain after one more entry, if the digest of that entry matches.
    ///
    /// # Errors
    ///
    /// If the entry was altered or moved.
    pub fn onto(self, body: &str, digest: Digest) -> Result<Self, String> {
        let next = self.then(body);
        if next.0 == digest {
            Ok(next)
        } else {
            Err("its digest does not match its text and the entries before it".to_owned())
        }
    }

    /// Returns the digest of text outside the chain, such as a snapshot.
    #[must_use]
    pub fn beside(self, what: &str, body: &str) -> Digest {
        sha256(&[&self.0, what.as_bytes(), b"\0", body.as_bytes()])
    }

    /// Returns the digest of the last entry.
    #[must_use]
    pub fn digest(self) -> Digest {
        self.0
    }

    /// Returns the digest as text.
    #[must_use]
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }

    /// Returns the chain for a digest that was written as text.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes: &[u8; 64] = text.as_bytes().try_into().ok()?;
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(bytes.chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).ok()?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(digest))
    }
}
