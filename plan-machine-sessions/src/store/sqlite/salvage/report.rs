//! The report about the copy of a damaged file.

use crate::identity::SessionIdentity;

/// The data that was copied from a damaged file, and the data that was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SalvageReport {
    /// The sessions in the new file, sorted by their numbers in the file. Sessions whose names are lost are not listed.
    pub sessions: Vec<SalvagedSession>,
    /// Descriptions of the data that was lost or left out, apart from entries.
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
