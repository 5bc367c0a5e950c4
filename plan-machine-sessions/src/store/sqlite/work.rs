//! The requests to the writer of a file.

use crate::identity::SessionIdentity;
use crate::store::Commit;

/// Something to write.
pub(super) enum Work {
    Append(Box<Commit>),
    /// One effect, by its entry and position, or all of them.
    Settle(SessionIdentity, Option<(u64, u32)>),
    Delete(SessionIdentity),
}

/// Whether there was something to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worked {
    Yes,
    No,
}
