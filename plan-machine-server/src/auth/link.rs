//! The keys of one-time links.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use plan_machine_kernel::digest::{hex, sha256};

/// The maximum number of unused links. If there are more, the oldest one becomes invalid.
const MOST: usize = 64;

/// The keys of links that have not been used yet.
#[derive(Default)]
pub(super) struct OneTimeKeys(Mutex<Vec<[u8; 32]>>);

impl fmt::Debug for OneTimeKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneTimeKeys(…)")
    }
}

impl OneTimeKeys {
    /// Returns a new key.
    pub(super) fn issue(&self) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes)?;
        let key = hex(&bytes);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push(digest(&key));
        let surplus = open.len().saturating_sub(MOST);
        open.drain(..surplus);
        Ok(key)
    }

    /// Uses a key; returns whether it was valid. Digests are compared, so the time that a comparison takes reveals
    /// nothing about the key.
    pub(super) fn take(&self, key: &str) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = digest(key);
        match open.iter().position(|known| *known == digest) {
            Some(at) => {
                open.remove(at);
                true
            }
            None => false,
        }
    }
}

fn digest(key: &str) -> [u8; 32] {
    sha256(&[key.as_bytes()])
}
