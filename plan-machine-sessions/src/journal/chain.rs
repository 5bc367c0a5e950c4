//! The hash chain that links the entries of a session.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::digest::{hex, sha256};

use crate::identity::SessionIdentity;

/// A SHA-256 digest of stored text.
pub type Digest = [u8; 32];

/// The hash chain of a session, represented by the digest of its last entry. The digest of an entry covers the text of
/// the entry and the digest of the entry before it; for the first entry, it covers the identity of the session instead
/// of an earlier digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain(Digest);

/// The error about an entry that was altered, or that does not follow the last entry of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenChain;

impl fmt::Display for BrokenChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the digest of the entry does not match its text and the entries before it")
    }
}

impl Error for BrokenChain {}

impl Chain {
    /// Returns the chain before the first entry of a session.
    #[must_use]
    pub fn start(session: &SessionIdentity) -> Self {
        let (channel, conversation) = (session.channel(), session.conversation());
        // Neither the channel nor the conversation can contain a zero byte, so a zero byte separates them.
        Self(sha256(&[
            channel.as_bytes(),
            b"\0",
            conversation.as_bytes(),
        ]))
    }

    /// Returns the chain after the entry with this digest.
    #[must_use]
    pub fn at(digest: Digest) -> Self {
        Self(digest)
    }

    /// Returns the chain after the next entry, given the text of that entry.
    #[must_use]
    pub fn then(self, body: &str) -> Self {
        Self(sha256(&[&self.0, body.as_bytes()]))
    }

    /// Returns the chain after the next entry, if the stored digest of that entry matches its text and its position.
    ///
    /// # Errors
    ///
    /// If the entry was altered, or does not follow the last entry of this chain.
    pub fn onto(self, body: &str, digest: Digest) -> Result<Self, BrokenChain> {
        let next = self.then(body);
        if next.0 == digest {
            Ok(next)
        } else {
            Err(BrokenChain)
        }
    }

    /// Returns the digest of text that belongs to this position of the chain but is not an entry, such as a snapshot.
    #[must_use]
    pub fn beside(self, what: &str, body: &str) -> Digest {
        sha256(&[&self.0, what.as_bytes(), b"\0", body.as_bytes()])
    }

    /// Returns the digest of the last entry.
    #[must_use]
    pub fn digest(self) -> Digest {
        self.0
    }

    /// Returns the digest of the last entry in hexadecimal.
    #[must_use]
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }

    /// Returns the chain for a digest in hexadecimal; `None` if the text is not a digest.
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
