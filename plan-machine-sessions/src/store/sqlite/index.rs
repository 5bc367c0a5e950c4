//! The index of the write-ahead log (`-shm`), which a process leaves behind if it is killed.
//!
//! `SQLite` writes to the index after the log is on disk, and before the log is emptied or written from its start
//! again. So the log never has fewer transactions than its index says, unless someone truncated, emptied or removed it.
//! <https://www.sqlite.org/walformat.html#the_wal_index_file_format> describes the format.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::files::index_of;

/// The size of the header, of which there are two copies.
const HEADER: usize = 48;

/// The first number of a header.
const VERSION: u32 = 3_007_000;

/// The state of a log according to its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogIndex {
    /// The number of frames up to the end of the last transaction.
    pub(super) frames: u64,
    /// The number of these frames whose content is also in the database file.
    copied: u64,
    pub(super) salts: [u8; 8],
}

impl LogIndex {
    /// Returns whether the log contains changes that the database file does not contain.
    pub(super) fn needs_log(&self) -> bool {
        self.copied < self.frames
    }

    /// Returns whether this index belongs to an earlier log than the one with these salts. `SQLite` increments the
    /// first salt each time it starts the log over.
    pub(super) fn is_earlier(&self, salts: [u8; 8]) -> bool {
        let first = |[a, b, c, d, ..]: [u8; 8]| u32::from_be_bytes([a, b, c, d]);
        let ahead = first(salts).wrapping_sub(first(self.salts));
        (1..=u32::MAX / 2).contains(&ahead)
    }

    /// Returns whether this index contains no transaction and belongs to another log than the one with these salts:
    /// the log was started over, or is about to be.
    pub(super) fn is_before(&self, salts: [u8; 8]) -> bool {
        self.frames == 0 && self.salts != salts
    }
}

/// The state in which the index of a log was found.
pub(super) enum FoundIndex {
    Missing,
    /// A process is writing the index, or was killed while writing it.
    Unfinished,
    Whole(LogIndex),
}

impl FoundIndex {
    /// Returns the content of the index.
    pub(super) fn whole(&self) -> Option<LogIndex> {
        match self {
            Self::Whole(index) => Some(*index),
            Self::Missing | Self::Unfinished => None,
        }
    }
}

/// Reads an index. No connection of this process may be open, because the process would lose its locks.
pub(super) fn of(path: &Path) -> FoundIndex {
    let Ok(mut index) = fs::File::open(index_of(path)) else {
        return FoundIndex::Missing;
    };
    let mut bytes = [0; 2 * HEADER + 4];
    let read = index.read_exact(&mut bytes).ok();
    let whole = read.and_then(|()| whole(&bytes));
    whole.map_or(FoundIndex::Unfinished, FoundIndex::Whole)
}

fn whole(bytes: &[u8]) -> Option<LogIndex> {
    let (header, rest) = bytes.split_at(HEADER);
    let is_whole = rest.starts_with(header) && number(header, 0)? == VERSION && header[12] != 0;
    let (frames, copied) = (number(header, 16)?, number(rest, HEADER)?);
    let salts = header[32..40].try_into().ok()?;
    is_whole.then_some(LogIndex {
        frames: u64::from(frames),
        copied: u64::from(copied),
        salts,
    })
}

/// Reads a number in the byte order of this computer, which the index is written in.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_ne_bytes(bytes.try_into().ok()?))
}
