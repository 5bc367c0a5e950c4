//! Checks the write-ahead log before `SQLite` reads it.
//!
//! `SQLite` treats the first frame with a wrong checksum as the end of the log, and later overwrites what follows. This
//! is right for a transaction that was interrupted, but a flipped bit would drop transactions that were acknowledged: a
//! session would start over, and its machines would no longer deny what they denied before.
//!
//! A log consists of a header and frames, each with one page. Frames of an earlier log may follow, because `SQLite`
//! reuses the file when it starts the log over; these frames have other salts. A process that is killed before it adds
//! its frames to the index leaves frames with the salts of this log, which other processes overwrite in part. Frames
//! that the index does not count were not acknowledged. The format is described at
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufReader, ErrorKind, Read, Seek as _};
use std::ops::RangeInclusive;
use std::path::Path;
use std::thread;

use super::files::{LOOK_AGAIN, index_of, log_of};
use super::index::{self, FoundIndex, LogIndex};
use crate::store::{StoreError, StoreErrorKind};

/// The first four bytes of a log, without the last bit, which determines the byte order of checksums.
const MAGIC: u32 = 0x377f_0682;

/// The possible sizes of a page.
const PAGES: RangeInclusive<u32> = 512..=65_536;

/// The maximum number of times that a log that looks damaged is read. Another process may write to it in the meantime.
const LOOKS: u32 = 8;

/// The maximum number of times that an unfinished index is read again if its log seems to be damaged. Another process
/// may be writing the index.
const INDEX_READS: u32 = 500;

/// Two 32-bit numbers.
type Pair = [u8; 8];

/// The header: the magic number and version, the page size and checkpoint number, the salts, and the checksum.
type Header = [Pair; 4];

/// The first damaged place in a log with this header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Damage {
    header: Header,
    /// The number of the damaged frame, starting at 1; 0 for the header.
    frame: u64,
}

/// Why a log is refused.
#[derive(Debug, PartialEq)]
enum Refusal {
    Damaged(Damage),
    /// The log has fewer transactions than its index says.
    Cut(LogIndex),
}

/// The content of a log that is not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogContent {
    /// The log contains only complete transactions, and perhaps frames of an earlier log.
    Transactions,
    /// The log also contains frames that a killed process did not add to the index.
    Leftovers,
}

/// Refuses a log with transactions that `SQLite` would drop, and a log that lacks transactions.
pub(super) fn refuse_damaged(path: &Path) -> Result<LogContent, StoreError> {
    match lasting(|| check(path)) {
        Ok(Ok(content)) => Ok(content),
        Ok(Err(Refusal::Damaged(damage))) => Err(damaged(path, damage.frame)),
        Ok(Err(Refusal::Cut(index))) => Err(cut(path, index.frames)),
        Err(error) => {
            let message = format!("`{}`: {error}", log_of(path).display());
            Err(StoreError::new(StoreErrorKind::Unreachable, message))
        }
    }
}

/// Returns whether a log is damaged or lacks transactions.
pub(super) fn is_incomplete(path: &Path) -> io::Result<bool> {
    Ok(lasting(|| check(path))?.is_err())
}

/// The content of a log, or the reason why the log is refused.
type LogCheck = Result<LogContent, Refusal>;

fn check(path: &Path) -> io::Result<LogCheck> {
    // The index is read first: a process may add transactions in the meantime, to the log and then to the index.
    let index = index::of(path);
    let checked = compared(path, index.whole())?;
    if checked.is_ok() || !matches!(index, FoundIndex::Unfinished) {
        return Ok(checked);
    }
    compared(path, finished_index(path).whole())
}

/// Waits until an index is finished, but not for long: the process that wrote it may have been killed.
fn finished_index(path: &Path) -> FoundIndex {
    for _ in 0..INDEX_READS {
        thread::sleep(LOOK_AGAIN);
        let index = index::of(path);
        if !matches!(index, FoundIndex::Unfinished) {
            return index;
        }
    }
    FoundIndex::Unfinished
}

fn compared(path: &Path, index: Option<LogIndex>) -> io::Result<LogCheck> {
    let found = match fs::File::open(log_of(path)) {
        Ok(mut log) => examined(&mut log, index)?,
        Err(error) if error.kind() == ErrorKind::NotFound => Examined::default(),
        // `SQLite` cannot read this log either.
        Err(_) => return Ok(Ok(LogContent::Transactions)),
    };
    if let Some(damage) = found.damage {
        return Ok(Err(Refusal::Damaged(damage)));
    }
    // A log whose content is in the database file may have been emptied. But if only a part of the log is left, its
    // pages would hide newer pages in the database file.
    let matters = |index: &LogIndex| index.needs_log() || (found.frames > 0 && index.frames > 0);
    let is_cut = |index: &LogIndex| {
        if index.salts == found.salts {
            return found.frames < index.frames;
        }
        // After a power failure, the index may be that of an earlier log, whose content is in the database file.
        index.needs_log() || !index.is_earlier(found.salts)
    };
    Ok(
        match index.filter(|index| matters(index) && is_cut(index)) {
            Some(index) => Err(Refusal::Cut(index)),
            None if found.has_leftovers => Ok(LogContent::Leftovers),
            None => Ok(LogContent::Transactions),
        },
    )
}

fn cut(path: &Path, frames: u64) -> StoreError {
    let (path, log, index) = (path.display(), log_of(path), index_of(path));
    let message = format!(
        "`{}` was cut, emptied, removed or replaced: it had at least {frames} frames, and changes that were acknowledged \
         are lost. Nothing was written. If you have put intact copies of `{path}` and its log in their place, remove \
         `{}`. If you have none, copy all files, and then discard what is lost: \
         `sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'`",
        log.display(),
        index.display(),
    );
    StoreError::new(StoreErrorKind::Damaged, message)
}

fn damaged(path: &Path, frame: u64) -> StoreError {
    let (path, log) = (path.display(), log_of(path));
    let place = match frame {
        0 => "its header".to_owned(),
        number => format!("frame {number}"),
    };
    let message = format!(
        "`{}` is damaged ({place}), and changes that were acknowledged may be lost. Nothing was written. Put an intact \
         copy of `{path}` and its log in their place. If there is none, copy both files, and then give up all changes \
         from that point on: `sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'`",
        log.display()
    );
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Returns a refusal only if it is found twice in a row. If another process writes to the log while it is read, a frame
/// that was missing the first time is present the second time, because frames are written in order.
fn lasting(mut check: impl FnMut() -> io::Result<LogCheck>) -> io::Result<LogCheck> {
    let mut last = None;
    for _ in 0..LOOKS {
        let found = check()?;
        if found.is_ok() || last.as_ref() == Some(&found) {
            return Ok(found);
        }
        last = Some(found);
    }
    Ok(Ok(LogContent::Transactions))
}

/// The result of examining a log.
#[derive(Default)]
struct Examined {
    /// The first damage; `None` if the log is intact, or ends like the log of a process that was killed.
    damage: Option<Damage>,
    salts: Pair,
    /// The number of frames up to the end of the last complete transaction.
    frames: u64,
    /// Whether frames of this log follow that the index does not count.
    has_leftovers: bool,
}

fn examined(log: &mut fs::File, index: Option<LogIndex>) -> io::Result<Examined> {
    let mut found = Examined::default();
    log.rewind()?;
    let mut log = BufReader::new(log);
    let mut header = Header::default();
    let mut next = Frame::default();
    if !is_filled(&mut log, header.as_flattened_mut())? || !next.is_read(&mut log)? {
        // Without a frame, there is no transaction.
        return Ok(found);
    }
    let damage = |frame| Some(Damage { header, frame });
    let Some((mut chain, size)) = Chain::of(&header) else {
        found.damage = damage(0);
        return Ok(found);
    };
    found.salts = chain.salts;
    chain.is_rewritten |= index.is_some_and(|index| index.is_before(chain.salts));
    let index = index.filter(|index| index.salts == chain.salts);
    let is_counted = |frame| index.is_none_or(|index| frame <= index.frames);
    let mut page = vec![0; size];
    let (mut number, mut end) = (0, None);
    while is_filled(&mut log, &mut page)? {
        number += 1;
        match end {
            None if chain.takes(&next, &page) => {
                if next.is_last() {
                    found.frames = number;
                }
            }
            None if chain.is_missing(&next, &page, is_counted(number)) => {
                found.damage = damage(number);
            }
            None => {
                end = Some(number);
                found.has_leftovers = next.salts == chain.salts;
            }
            // Without frames of killed processes, an interrupted transaction is the last one, and has no end.
            Some(end) if is_counted(end) && chain.has_end(&next) => found.damage = damage(end),
            Some(_) => {}
        }
        if found.damage.is_some() || !next.is_read(&mut log)? {
            break;
        }
    }
    Ok(found)
}

/// The pages in a log, as its last complete transaction left them.
#[derive(Default)]
pub(super) struct LogPages {
    /// The size of a page in bytes; 0 if the log has no intact header.
    pub(super) page: usize,
    /// Where each page begins in the log.
    pub(super) places: HashMap<u32, u64>,
}

/// Finds the pages in a log.
pub(super) fn pages(log: &mut fs::File) -> io::Result<LogPages> {
    let mut found = LogPages::default();
    log.rewind()?;
    let mut log = BufReader::new(log);
    let mut header = Header::default();
    if !is_filled(&mut log, header.as_flattened_mut())? {
        return Ok(found);
    }
    let Some((mut chain, size)) = Chain::of(&header) else {
        return Ok(found);
    };
    found.page = size;
    let (mut frame, mut page) = (Frame::default(), vec![0; size]);
    let mut place = size_of::<Header>() as u64;
    let mut transaction = HashMap::new();
    while frame.is_read(&mut log)? && is_filled(&mut log, &mut page)? && chain.takes(&frame, &page)
    {
        let [number, _] = numbers(frame.page_and_size, u32::from_be_bytes);
        transaction.insert(number, place + size_of::<Frame>() as u64);
        place += (size_of::<Frame>() + size) as u64;
        if frame.is_last() {
            found.places.extend(transaction.drain());
        }
    }
    Ok(found)
}

/// Returns where the pages in the frames of a log of this length begin, whether or not the frames are intact.
pub(super) fn frame_places(length: u64, page: usize) -> impl Iterator<Item = u64> {
    let start = (size_of::<Header>() + size_of::<Frame>()) as u64;
    let is_whole = move |place: &u64| place.saturating_add(page as u64) <= length;
    (start..length)
        .step_by(size_of::<Frame>() + page)
        .take_while(is_whole)
}

/// Fills the buffer from the log; returns `false` if the log ends first.
fn is_filled(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// The header of a frame.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// The number of the page, followed by the size of the database after the transaction. The size is 0 unless the
    /// frame is the last one of its transaction.
    page_and_size: Pair,
    salts: Pair,
    sums: Pair,
}

impl Frame {
    /// Reads the next frame header; returns `false` if the log ends first.
    fn is_read(&mut self, log: &mut impl Read) -> io::Result<bool> {
        for part in [&mut self.page_and_size, &mut self.salts, &mut self.sums] {
            if !is_filled(log, part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_last(&self) -> bool {
        let [_, size] = numbers(self.page_and_size, u32::from_be_bytes);
        size != 0
    }

    fn with_size(mut self, size: u32) -> Self {
        let [.., a, b, c, d] = &mut self.page_and_size;
        [*a, *b, *c, *d] = size.to_be_bytes();
        self
    }
}

/// The frames of a log up to a certain frame. The checksum of a frame continues that of the frame before it.
struct Chain {
    salts: Pair,
    /// Whether frames of an earlier log may follow, because `SQLite` has started the log over.
    is_rewritten: bool,
    sums: [u32; 2],
    word: fn([u8; 4]) -> u32,
}

impl Chain {
    /// Returns the start of a log, and the size of a page; `None` if the header is damaged.
    fn of(header: &Header) -> Option<(Self, usize)> {
        let [what, sizes, salts, sums] = *header;
        let [magic, _] = numbers(what, u32::from_be_bytes);
        let [page, checkpoints] = numbers(sizes, u32::from_be_bytes);
        let chain = Self {
            salts,
            is_rewritten: checkpoints != 0,
            sums: numbers(sums, u32::from_be_bytes),
            word: match magic & 1 {
                0 => u32::from_le_bytes,
                _ => u32::from_be_bytes,
            },
        };
        let is_whole = magic & !1 == MAGIC
            && page.is_power_of_two()
            && PAGES.contains(&page)
            && chain.added([0, 0], &[what, sizes, salts]) == chain.sums;
        let page = usize::try_from(page).ok()?;
        is_whole.then_some((chain, page))
    }

    /// Continues with a frame; returns `false` if the frame is not the next frame of this log.
    fn takes(&mut self, frame: &Frame, page: &[u8]) -> bool {
        let is_next = frame.salts == self.salts && self.fits(frame, page);
        if is_next {
            self.sums = numbers(frame.sums, u32::from_be_bytes);
        }
        is_next
    }

    /// Returns whether a frame that does not continue the chain was the last frame of a transaction before the frame
    /// was damaged. A frame that the index does not count may be that of a process that was killed.
    fn is_missing(&self, frame: &Frame, page: &[u8], is_counted: bool) -> bool {
        if frame.salts != self.salts {
            // The checksum does not cover the salts.
            return self.fits(frame, page);
        }
        // If the size had only one bit set, the frame does not look like the last one after that bit has flipped.
        let was_last = |bit: u32| self.fits(&frame.with_size(1_u32 << bit), page);
        if !frame.is_last() {
            return (0..u32::BITS).any(was_last);
        }
        // In a log that is written again, a process that is killed in the middle of a frame leaves the header of that
        // frame before an older page, which differs from the new one in more than one bit.
        (is_counted && !self.is_rewritten) || self.is_one_bit_off(frame, page)
    }

    /// Returns whether the checksum of a frame would be right if one bit were different.
    fn is_one_bit_off(&self, frame: &Frame, page: &[u8]) -> bool {
        let (page, _) = page.as_chunks();
        let mut pairs = [&[frame.page_and_size, frame.sums], page].concat();
        let fits = |pairs: &[Pair]| {
            let sums = self.added(self.sums, &pairs[..1]);
            self.added(sums, &pairs[2..]) == numbers(pairs[1], u32::from_be_bytes)
        };
        for bit in 0..pairs.as_flattened().len() * 8 {
            pairs.as_flattened_mut()[bit / 8] ^= 1 << (bit % 8);
            if fits(&pairs) {
                return true;
            }
            pairs.as_flattened_mut()[bit / 8] ^= 1 << (bit % 8);
        }
        false
    }

    /// Returns whether a frame of this log is the last one of a transaction.
    fn has_end(&self, frame: &Frame) -> bool {
        frame.salts == self.salts && frame.is_last()
    }

    /// Returns whether the checksum of a frame continues that of the frame before it.
    fn fits(&self, frame: &Frame, page: &[u8]) -> bool {
        let (page, _) = page.as_chunks();
        let sums = self.added(self.sums, &[frame.page_and_size]);
        self.added(sums, page) == numbers(frame.sums, u32::from_be_bytes)
    }

    fn added(&self, sums: [u32; 2], pairs: &[Pair]) -> [u32; 2] {
        pairs.iter().fold(sums, |[first, second], pair| {
            let [a, b] = numbers(*pair, self.word);
            let first = first.wrapping_add(a).wrapping_add(second);
            [first, second.wrapping_add(b).wrapping_add(first)]
        })
    }
}

fn numbers(pair: Pair, word: fn([u8; 4]) -> u32) -> [u32; 2] {
    let (words, _) = pair.as_chunks::<4>();
    [word(words[0]), word(words[1])]
}
