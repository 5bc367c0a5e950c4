//! SHA-256, computed by one of two libraries, which return the same digests.
//!
//! A crate that only compiles a machine digests a few hundred bytes per approval, so the default is a library that
//! builds in an instant. Sessions digest every stored byte, so they enable the `sha2` feature. Its library takes twenty
//! times as long to build, but uses the processor's SHA instructions.

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
    /// Appends bytes to the input of the digest.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of all added bytes.
    #[cfg(not(feature = "sha2"))]
    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize()
    }

    /// Returns the digest of all added bytes.
    #[cfg(feature = "sha2")]
    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

#[cfg(all(test, feature = "sha2"))]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_return_the_same_digest() {
        let bytes: Vec<u8> = (0..=255).cycle().take(300).collect();
        for length in 0..bytes.len() {
            let mut digest = Sha256::default();
            digest.update(&bytes[..length]);
            let other = hmac_sha256::Hash::hash(&bytes[..length]);
            assert_eq!(digest.finish(), other, "{length} bytes");
        }
    }
}
