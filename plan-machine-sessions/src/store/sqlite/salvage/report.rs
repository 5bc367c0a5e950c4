//! What was copied from a damaged file, and what was not.

use crate::identity::SessionIdentity;

/// What was copied from a damaged file, and what was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SalvageReport {
    /// The sessions in the new file, sorted by their numbers in the file. Sessions whose names are lost are not listed.
    pub sessions: Vec<SalvagedSession>,
    /// Descriptions of what was lost or left out, apart from entries.
    pub problems: Vec<String>,
}

/// A session that was copied from a damaged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SalvagedSession {
    /// The identity of the session.
    pub session: SessionIdentity,
    /// The number of entries that were copied.
    pub entries: u64,
    /// The number of entries that are lost.
    pub lost: u64,
}
