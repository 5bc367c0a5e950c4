//! The requests that are sent to the writer of a file.

use crate::identity::SessionIdentity;
use crate::store::Commit;

/// A change that the writer is to make.
pub(super) enum Work {
    Append(Box<Commit>),
    /// Settles one effect, identified by the number of its entry and its position in that entry, or all effects of the
    /// session if the second field is `None`.
    Settle(SessionIdentity, Option<(u64, u32)>),
    /// Corrects what the file records about a session besides its entries.
    Repair(SessionIdentity),
    Delete(SessionIdentity),
}

/// Whether the request changed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataChange {
    Yes,
    No,
}
