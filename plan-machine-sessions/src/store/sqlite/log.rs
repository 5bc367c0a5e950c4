//! Checks the write-ahead log before `SQLite` reads it.
//!
//! `SQLite` treats the first frame with a wrong checksum as the end of the log, and later overwrites what follows. This
//! is right for a transaction that was interrupted, but a flipped bit would drop transactions that were acknowledged: a
//! session would start over, and its machines would no longer deny what they denied before.
//!
//! A log consists of a header and frames, each with one page. Frames of an earlier log may follow, because `SQLite`
//! reuses the file when it starts the log over; these frames have other salts. The format is described at
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::fs;
use std::io::{self, BufReader, ErrorKind, Read, Seek as _};
use std::ops::RangeInclusive;
use std::path::Path;

use super::files::log_of;
use crate::store::{StoreError, StoreErrorKind};

/// The first four bytes of a log, without the last bit, which determines the byte order of checksums.
const MAGIC: u32 = 0x377f_0682;

/// The possible sizes of a page.
const PAGES: RangeInclusive<u32> = 512..=65_536;

/// How often a log that looks damaged is read. Another process may write to it in the meantime.
const LOOKS: u32 = 8;

/// Two numbers of 32 bits.
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

/// Refuses a log with transactions that `SQLite` would drop.
pub(super) fn refuse_damaged(path: &Path) -> Result<(), StoreError> {
    let log = log_of(path);
    let Ok(mut file) = fs::File::open(&log) else {
        // There is no log, or `SQLite` cannot read it either.
        return Ok(());
    };
    match lasting(|| damage(&mut file)) {
        Ok(None) => Ok(()),
        Ok(Some(damage)) => Err(damaged(path, damage.frame)),
        Err(error) => {
            let message = format!("`{}`: {error}", log.display());
            Err(StoreError::new(StoreErrorKind::Unreachable, message))
        }
    }
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
         from there on: `sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE)'`",
        log.display()
    );
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Returns damage that is found twice in a row. If another process writes to the log while it is read, a frame that was
/// missing the first time is present the second time, because frames are written in order.
fn lasting(mut look: impl FnMut() -> io::Result<Option<Damage>>) -> io::Result<Option<Damage>> {
    let mut last = None;
    for _ in 0..LOOKS {
        let found = look()?;
        if found.is_none() || found == last {
            return Ok(found);
        }
        last = found;
    }
    Ok(None)
}

/// Returns the first damaged place in a log; `None` if the log is intact or ends like the log of a process that was
/// killed.
fn damage(log: &mut fs::File) -> io::Result<Option<Damage>> {
    log.rewind()?;
    let mut log = BufReader::new(log);
    let mut header = Header::default();
    let mut next = Frame::default();
    if !is_filled(&mut log, header.as_flattened_mut())? || !next.is_read(&mut log)? {
        // Without a frame, there is no transaction.
        return Ok(None);
    }
    let damage = |frame| Ok(Some(Damage { header, frame }));
    let Some((mut chain, size)) = Chain::of(&header) else {
        return damage(0);
    };
    let mut page = vec![0; size];
    let (mut number, mut end) = (0, None);
    while is_filled(&mut log, &mut page)? {
        number += 1;
        match end {
            None if chain.takes(&next, &page) => {}
            None if chain.is_missing(&next, &page) => return damage(number),
            None => end = Some(number),
            // An interrupted transaction is the last one, and has no end.
            Some(end) if chain.has_end(&next) => return damage(end),
            Some(_) => {}
        }
        if !next.is_read(&mut log)? {
            break;
        }
    }
    Ok(None)
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

    /// Continues with a frame; returns `false` if it is not the next one of this log.
    fn takes(&mut self, frame: &Frame, page: &[u8]) -> bool {
        let is_next = frame.salts == self.salts && self.fits(frame, page);
        if is_next {
            self.sums = numbers(frame.sums, u32::from_be_bytes);
        }
        is_next
    }

    /// Returns whether a frame that does not continue the chain was the last one of a transaction before it was
    /// damaged.
    fn is_missing(&self, frame: &Frame, page: &[u8]) -> bool {
        if frame.salts != self.salts {
            // The checksum does not cover the salts.
            return self.fits(frame, page);
        }
        // A single bit may have told that the frame is the last one.
        let was_last = |bit: u32| self.fits(&frame.with_size(1_u32 << bit), page);
        if !frame.is_last() {
            return (0..u32::BITS).any(was_last);
        }
        // In a log that is written again, a process that is killed in the middle of a frame leaves its header before an
        // older page, which differs in more than a bit.
        !self.is_rewritten || self.is_one_bit_off(frame, page)
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
