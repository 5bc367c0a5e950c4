//! Notices files that become shorter while a process uses them.
//!
//! `SQLite` does not notice when a part of the write-ahead log is lost: it keeps writing after the lost part, and no
//! one can read what follows the gap. Therefore, the size of the log is compared with its size after the last change of
//! this process. This is done before the log is changed again, and after each read. A log also becomes shorter when
//! `SQLite` itself empties it; in that case, `SQLite` writes a new header.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::files::{FoundFile, FoundFiles, Mark, log_of, replaced};
use crate::store::{StoreError, StoreErrorKind};

/// The size of the header of a write-ahead log. `SQLite` writes a different header each time it starts the log over.
const HEADER: usize = 32;

/// How many times a log is inspected before it counts as shorter.
const INSPECTIONS: u32 = 3;

/// The first bytes of the header.
const MAGIC: [u8; 3] = [0x37, 0x7f, 0x06];

/// The extent of the files after the last change of this process.
#[derive(Default)]
pub(super) struct Extent {
    file: Option<FoundFile>,
    log: Option<Log>,
}

/// A log that stays open, so that it can be inspected with a single system call. `SQLite` never locks the log, so
/// closing it releases no lock; the database file itself must not be opened here.
struct Log {
    open: fs::File,
    mark: Mark,
    header: [u8; HEADER],
    size: u64,
}

impl Extent {
    /// Checks that the log has not become shorter since the last change. Other processes may empty the log and write it
    /// again while it is inspected, so a log counts as shorter only if each of several inspections finds it shorter.
    pub(super) fn is_whole(&self, path: &Path, connection: &Connection) -> Result<(), StoreError> {
        let Some(log) = &self.log else {
            return Ok(());
        };
        let is_found_whole = |_| {
            let size = size(&log.open);
            // Another process may begin to write the log between these checks.
            size >= log.size || (size == 0 && is_empty(connection)) || log.is_written_anew()
        };
        if (0..INSPECTIONS).any(is_found_whole) {
            return Ok(());
        }
        Err(cut(&log_of(path)))
    }

    /// Checks that the database file is still the file that this process changed last, and that it has not become
    /// shorter.
    pub(super) fn has_file(&self, path: &Path, found: &FoundFiles) -> Result<(), StoreError> {
        let (Some(before), Some(now)) = (&self.file, &found.file) else {
            return Ok(());
        };
        if before.mark != now.mark {
            return Err(replaced(path));
        }
        if now.size < before.size {
            return Err(cut(path));
        }
        Ok(())
    }

    /// Checks, after a change, that the files are complete, and remembers their extent.
    pub(super) fn follow(&mut self, path: &Path, found: &FoundFiles) -> Result<(), StoreError> {
        self.has_file(path, found)?;
        let known = self.log.take();
        self.file = found.file;
        let Some(now) = found.log else {
            return Ok(());
        };
        let known = known.filter(|known| known.mark == now.mark);
        let open = match known {
            Some(known) => known.open,
            None => match open_log(path) {
                Some(open) => open,
                None => return Ok(()),
            },
        };
        // The header is read before the size. If another process empties the log in between, the size belongs to a
        // later header, and is not compared.
        let header = header(&open);
        let size = size(&open);
        let is_written = |header: [u8; HEADER]| header.starts_with(&MAGIC);
        let mut others = (1..INSPECTIONS).map(|_| self::header(&open));
        if size > 0 && !is_written(header) && !others.any(is_written) {
            return Err(cut(&log_of(path)));
        }
        self.log = Some(Log {
            open,
            mark: now.mark,
            header,
            size,
        });
        Ok(())
    }
}

impl Log {
    /// Returns whether `SQLite` has started the log over since the last change of this process.
    fn is_written_anew(&self) -> bool {
        let header = header(&self.open);
        header != self.header && header.starts_with(&MAGIC)
    }
}

/// Returns whether `SQLite` reports that the log is empty, because its content was copied into the database file.
fn is_empty(connection: &Connection) -> bool {
    let frames = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1));
    frames.is_ok_and(|frames: i64| frames <= 0)
}

fn size(log: &fs::File) -> u64 {
    log.metadata().map_or(0, |found| found.len())
}

fn cut(path: &Path) -> StoreError {
    let message = format!(
        "`{}` became shorter while it was in use; the most recent writes may be lost. \
         Stop all processes that use the store before you start any of them again",
        path.display()
    );
    StoreError::new(StoreErrorKind::Unreachable, message)
}

/// Opens the log; `None` if it cannot be opened, and on systems without inode numbers, where it is impossible to tell
/// later whether the log was replaced.
fn open_log(path: &Path) -> Option<fs::File> {
    let open = fs::File::open(log_of(path)).ok();
    open.filter(|_| cfg!(unix))
}

#[cfg(unix)]
fn header(log: &fs::File) -> [u8; HEADER] {
    use std::os::unix::fs::FileExt;
    let mut header = [0; HEADER];
    // A log that is too short for a header is empty.
    let _ = log.read_exact_at(&mut header, 0);
    header
}

#[cfg(not(unix))]
fn header(_: &fs::File) -> [u8; HEADER] {
    [0; HEADER]
}
