//! The files that this process uses.
//!
//! On Unix, a process that closes a file loses all its locks on this file, whichever part of the process took them.
//! Other processes then overwrite entries of this process, or reset the index of the log. So as long as a connection of
//! this process is open, only `SQLite` may open the database file and the index of the log.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::log::{self, LogContent};
use crate::store::StoreError;

/// A file that connections of this process use.
#[derive(Default)]
struct UsedFile {
    /// Whether its log has been checked since this process began to use it.
    is_checked: Mutex<bool>,
    /// The file from which pages are read without `SQLite`. It stays open until the last connection is closed.
    pages: Mutex<Option<SharedFile>>,
}

/// An open file. Its position is shared, so only one thread at a time may read from it.
pub(super) type SharedFile = Arc<Mutex<File>>;

static IN_USE: Mutex<BTreeMap<PathBuf, Weak<UsedFile>>> = Mutex::new(BTreeMap::new());

/// The use of a file by one connection. The connection must be closed before this value is dropped.
pub(super) struct FileUse {
    /// The content of the log when this use began; `None` if the file was already in use.
    pub(super) log: Option<LogContent>,
    file: Arc<UsedFile>,
}

impl FileUse {
    /// Begins to use a file. If no connection of this process uses it yet, its log is checked, which opens the index.
    ///
    /// # Errors
    ///
    /// If the log is damaged.
    pub(super) fn begin(path: &Path) -> Result<Self, StoreError> {
        let file = entered(path);
        // Two threads that open the file at the same time wait for each other here.
        let mut is_checked = locked(&file.is_checked);
        let log = if *is_checked {
            None
        } else {
            Some(log::refuse_damaged(path)?)
        };
        *is_checked = true;
        drop(is_checked);
        Ok(Self { log, file })
    }
}

impl Drop for FileUse {
    /// Closes the file from which pages are read, before another thread may begin to use the file.
    fn drop(&mut self) {
        let _files = locked(&IN_USE);
        if Arc::strong_count(&self.file) == 1 {
            *locked(&self.file.pages) = None;
            *locked(&self.file.is_checked) = false;
        }
    }
}

/// Opens a database file for reading its pages. If connections of this process use the file, it is opened only once.
pub(super) fn open(path: &Path) -> io::Result<SharedFile> {
    let open = || Ok(Arc::new(Mutex::new(File::open(path)?)));
    let used = locked(&IN_USE).get(path).and_then(Weak::upgrade);
    let Some(used) = used else {
        return open();
    };
    let mut pages = locked(&used.pages);
    if let Some(file) = &*pages {
        return Ok(Arc::clone(file));
    }
    let file = open()?;
    *pages = Some(Arc::clone(&file));
    Ok(file)
}

fn entered(path: &Path) -> Arc<UsedFile> {
    let mut files = locked(&IN_USE);
    files.retain(|_, file| file.strong_count() > 0);
    if let Some(file) = files.get(path).and_then(Weak::upgrade) {
        return file;
    }
    let file = Arc::<UsedFile>::default();
    files.insert(path.to_owned(), Arc::downgrade(&file));
    file
}

/// Locks a mutex, even if it is poisoned: no code panics while it holds one of these locks.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
