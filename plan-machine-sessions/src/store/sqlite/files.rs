//! Checks whether the files of a store are still the ones that a connection opened.
//!
//! A process can keep writing to a file that was removed or replaced, but no one will ever read that data. Therefore,
//! the store does not report a change as stored until it has checked that the files are still in place.

use std::fs;
use std::path::{Path, PathBuf};

use crate::store::{StoreError, StoreErrorKind};

/// The database file and its write-ahead log, as they were when a connection opened them.
pub(super) struct Files {
    path: PathBuf,
    log: PathBuf,
    found: Found,
}

/// The identity of a file (device and inode); `None` if the file does not exist.
type Mark = Option<(u64, u64)>;

#[derive(PartialEq)]
struct Found {
    file: Mark,
    log: Mark,
}

impl Files {
    /// Records the files of a connection, which must already have read from them.
    pub(super) fn of(path: &Path) -> Self {
        let log = log_of(path);
        let found = found(path, &log);
        Self {
            path: path.to_owned(),
            log,
            found,
        }
    }

    /// Checks that both files are still in place.
    pub(super) fn are_there(&self) -> Result<(), StoreError> {
        let now = found(&self.path, &self.log);
        let gone = if now.file != self.found.file {
            &self.path
        } else if self.found.log.is_some() && now.log != self.found.log {
            &self.log
        } else {
            return Ok(());
        };
        Err(StoreError::new(
            StoreErrorKind::Unreachable,
            format!(
                "`{}` was removed or replaced while it was in use; the most recent writes may be lost",
                gone.display()
            ),
        ))
    }
}

fn found(path: &Path, log: &Path) -> Found {
    Found {
        file: mark(path),
        log: mark(log),
    }
}

#[cfg(unix)]
fn mark(path: &Path) -> Mark {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// On systems without inode numbers, only the removal of a file is noticed, not its replacement.
#[cfg(not(unix))]
fn mark(path: &Path) -> Mark {
    fs::metadata(path).ok().map(|_| (0, 0))
}

/// Returns whether the file has a write-ahead log that is not empty.
pub(super) fn has_log(path: &Path) -> bool {
    fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0)
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Encodes a path for use in a URI.
pub(super) fn in_uri(path: &Path) -> String {
    let mut text = String::new();
    for letter in path.to_string_lossy().chars() {
        match letter {
            '%' => text.push_str("%25"),
            '?' => text.push_str("%3f"),
            '#' => text.push_str("%23"),
            other => text.push(other),
        }
    }
    text
}
