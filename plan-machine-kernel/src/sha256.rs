//! SHA-256, by one of two libraries with the same result.
//!
//! A crate that only compiles a machine digests a few hundred bytes per approval, so a library that builds in an
//! instant is the default. Sessions digest every stored byte: they enable the feature `sha2`, whose library takes
//! twenty times as long to build and uses the processor's own instructions.

#[cfg(not(feature = "sha2"))]
use hmac_sha256::Hash as Engine;
#[cfg(feature = "sha2")]
use sha2::{Digest as _, Sha256 as Engine};

/// A digest in progress.
pub(crate) struct Sha256(Engine);

impl Default for Sha256 {
    fn default() -> Self {
        Self(Engine::new())
    }
}

impl Sha256 {
    /// Adds bytes to the end of the digested text.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of all added bytes.
    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
