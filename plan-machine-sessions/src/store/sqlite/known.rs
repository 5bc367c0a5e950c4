//! The files of a store, as this process last found them. All connections of the process share this data.
//!
//! Once a process has found that a file became shorter, or was removed or replaced, it no longer uses the store. The
//! files may look like a valid store again, for example after the rest of a log was dropped, but they do not contain
//! everything that was acknowledged. A session whose entries are lost would start over, and its machines would no
//! longer deny what they denied before.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::connect::FileConnection;
use super::extent::Extent;
use crate::store::StoreError;

/// The files that a process uses and, if it no longer uses them, the reason.
pub(super) struct KnownFiles {
    path: PathBuf,
    /// The extent of the files after the last change, which outlives the connections.
    extent: Mutex<Extent>,
    refused: OnceLock<StoreError>,
}

impl KnownFiles {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            extent: Mutex::default(),
            refused: OnceLock::new(),
        }
    }

    /// Returns an error if an earlier check has failed: the store is no longer used after that.
    pub(super) fn are_usable(&self) -> Result<(), StoreError> {
        self.refused.get().cloned().map_or(Ok(()), Err)
    }

    /// Checks, before a change and after a read or an error, that the files are in place and complete. A change to a
    /// log whose index was replaced would overwrite the entries of other processes.
    pub(super) fn are_there(&self, on: &FileConnection) -> Result<(), StoreError> {
        let extent = self.locked();
        let found = on.files.are_there();
        let are_there = found
            .and_then(|found| extent.has_file(&self.path, &found))
            .and_then(|()| extent.is_whole(&self.path, &on.connection));
        self.remember(are_there)
    }

    /// Checks, after a change, that the files are in place and complete, and remembers their extent.
    pub(super) fn follow(&self, on: &FileConnection) -> Result<(), StoreError> {
        let mut extent = self.locked();
        let found = on.files.are_there();
        self.remember(found.and_then(|found| extent.follow(&self.path, &found)))
    }

    /// Forgets the extent of the files, which were closed: another process may empty and remove the log.
    pub(super) fn closed(&self) {
        *self.locked() = Extent::default();
    }

    /// Refuses the store from now on if a check failed.
    fn remember(&self, checked: Result<(), StoreError>) -> Result<(), StoreError> {
        if let Err(error) = &checked {
            let _ = self.refused.set(error.clone());
        }
        checked
    }

    fn locked(&self) -> MutexGuard<'_, Extent> {
        // No code panics while it holds this lock, so the data is consistent even if the lock is poisoned.
        self.extent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
