//! Checks whether the files of a store are still the ones that a connection opened.
//!
//! A process can keep writing to a file that was removed or replaced, but no one will ever read that data. Therefore,
//! the store does not report a change as stored until it has checked that the files are still in place.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::store::{StoreError, StoreErrorKind};

/// How long to wait before retrying while another process commits. A commit takes little time, so retrying soon keeps
/// the total wait short.
pub(super) const LOOK_AGAIN: Duration = Duration::from_micros(250);

/// The database file, its write-ahead log and the index of the log, as they were when a connection opened them.
pub(super) struct Files {
    path: PathBuf,
    log: PathBuf,
    index: PathBuf,
    found: FoundFiles,
}

/// The identity of a file (device and inode).
pub(super) type Mark = (u64, u64);

/// A file that exists.
#[derive(Clone, Copy)]
pub(super) struct FoundFile {
    pub(super) mark: Mark,
    pub(super) size: u64,
}

/// The files that exist.
pub(super) struct FoundFiles {
    pub(super) file: Option<FoundFile>,
    pub(super) log: Option<FoundFile>,
    /// The index, through which processes tell each other what the log contains and who uses it. Processes that have
    /// different indexes overwrite each other's entries.
    index: Option<FoundFile>,
}

impl Files {
    /// Records the files of a connection, which must already have read from them.
    pub(super) fn of(path: &Path) -> Self {
        let (log, index) = (log_of(path), index_of(path));
        let found = FoundFiles::at(path, &log, &index);
        Self {
            path: path.to_owned(),
            log,
            index,
            found,
        }
    }

    /// Checks that all files are still in place, and returns them.
    pub(super) fn are_there(&self) -> Result<FoundFiles, StoreError> {
        let (now, before) = (
            FoundFiles::at(&self.path, &self.log, &self.index),
            &self.found,
        );
        let mark = |file: &Option<FoundFile>| file.map(|file| file.mark);
        let is_other = |before: &Option<FoundFile>, now: &Option<FoundFile>| {
            before.is_some() && mark(before) != mark(now)
        };
        let gone = if mark(&now.file) != mark(&before.file) {
            &self.path
        } else if is_other(&before.log, &now.log) {
            &self.log
        } else if is_other(&before.index, &now.index) {
            &self.index
        } else {
            return Ok(now);
        };
        Err(replaced(gone))
    }
}

impl FoundFiles {
    fn at(path: &Path, log: &Path, index: &Path) -> Self {
        Self {
            file: found_file(path),
            log: found_file(log),
            index: found_file(index),
        }
    }
}

/// Returns the error for a file that is not the one that was in use.
pub(super) fn replaced(path: &Path) -> StoreError {
    let message = format!(
        "`{}` was removed or replaced while it was in use; the most recent writes may be lost. \
         Stop all processes that use the store before you start any of them again",
        path.display()
    );
    StoreError::new(StoreErrorKind::Unreachable, message)
}

/// Returns a file; `None` if it does not exist.
pub(super) fn found_file(path: &Path) -> Option<FoundFile> {
    let found = fs::metadata(path).ok()?;
    Some(FoundFile {
        mark: mark(&found),
        size: found.len(),
    })
}

#[cfg(unix)]
fn mark(found: &fs::Metadata) -> Mark {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

/// On systems without inode numbers, only the removal of a file is noticed, not its replacement.
#[cfg(not(unix))]
fn mark(_: &fs::Metadata) -> Mark {
    (0, 0)
}

/// Returns whether the file has a write-ahead log that is not empty.
pub(super) fn has_log(path: &Path) -> bool {
    log_size(path) > 0
}

/// Returns whether another process seems to be using the file: the index of the log exists.
pub(super) fn is_in_use(path: &Path) -> bool {
    index_of(path).exists()
}

/// Returns the size of the write-ahead log in bytes.
pub(super) fn log_size(path: &Path) -> u64 {
    fs::metadata(log_of(path)).map_or(0, |log| log.len())
}

pub(super) fn log_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

pub(super) fn index_of(path: &Path) -> PathBuf {
    beside(path, "-shm")
}

fn left_of(path: &Path) -> PathBuf {
    beside(path, "-left")
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut file = path.as_os_str().to_owned();
    file.push(end);
    PathBuf::from(file)
}

/// Records the sizes and modification times of the database file and of its log when a process leaves the log without
/// emptying it.
///
/// The record does not have to be on disk: without it, the next process checks the whole file.
pub(super) fn mark_left(path: &Path) {
    let mut options = fs::OpenOptions::new();
    // All records have the same length, so an old one is overwritten in place. Truncating it first would take longer
    // than all other steps of this function, because the file system writes a truncated file to disk when it is closed.
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let Some(state) = state(path) else { return };
    // Without the record, the next process takes longer, but loses nothing.
    let _ = options
        .open(left_of(path))
        .and_then(|mut file| file.write_all(state.as_bytes()));
}

/// Returns whether the database file and its log still have the sizes and modification times that [`mark_left`] has
/// recorded.
pub(super) fn is_left(path: &Path) -> bool {
    let left = fs::read_to_string(left_of(path)).ok();
    left.is_some() && left == state(path)
}

/// Removes the record of [`mark_left`].
pub(super) fn forget_left(path: &Path) {
    let _ = fs::remove_file(left_of(path));
}

/// Returns the sizes and modification times of the database file and of its log, as a line of fixed length; `None` if
/// the system does not report them.
fn state(path: &Path) -> Option<String> {
    let one = |path: &Path| {
        let found = fs::metadata(path).ok()?;
        let changed = found.modified().ok()?;
        let changed = changed.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(format!("{:20} {changed:20}", found.len()))
    };
    Some(format!("{} {}\n", one(path)?, one(&log_of(path))?))
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
