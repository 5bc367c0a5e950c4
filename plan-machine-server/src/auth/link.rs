//! The keys of one-time links.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use plan_machine_kernel::digest::{hex, sha256};

/// The maximum number of unused links. If there are more, the oldest one becomes invalid.
const MOST: usize = 64;

/// The keys of links that have not been used yet, and who is signed in by them.
#[derive(Default)]
pub(super) struct OneTimeKeys(Mutex<Vec<([u8; 32], String)>>);

impl fmt::Debug for OneTimeKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneTimeKeys(…)")
    }
}

impl OneTimeKeys {
    /// Returns a new key for a person.
    pub(super) fn issue(&self, person: &str) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes)?;
        let key = hex(&bytes);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push((digest(&key), person.to_owned()));
        let surplus = open.len().saturating_sub(MOST);
        open.drain(..surplus);
        Ok(key)
    }

    /// Uses up a key; returns the person whom its link signs in, or `None` if the key is not valid. Digests are
    /// compared, so the time that a comparison takes reveals nothing about the key.
    pub(super) fn take(&self, key: &str) -> Option<String> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = digest(key);
        let at = open.iter().position(|(known, _)| *known == digest)?;
        Some(open.remove(at).1)
    }
}

fn digest(key: &str) -> [u8; 32] {
    sha256(&[key.as_bytes()])
}
