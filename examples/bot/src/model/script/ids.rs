//! Calls and their ids.

use std::fmt::Write as _;

use super::Line;
use crate::model::{Call, Message};

/// The calls of a line, with ids that do not come again while anything in the messages differs.
pub(super) fn calls(line: &Line, messages: &[Message]) -> Vec<Call> {
    let mut hash = Fnv::default();
    // A hash takes every text.
    let _ = write!(hash, "{messages:?}");
    let numbered = (1..).zip(&line.calls);
    numbered
        .map(|(place, (tool, args))| Call {
            id: format!("script-{:016x}-{place}", hash.0),
            tool: tool.clone(),
            args: args.clone(),
        })
        .collect()
}

/// FNV-1a: the hash of the standard library may change from release to release, and with it the ids.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl std::fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
