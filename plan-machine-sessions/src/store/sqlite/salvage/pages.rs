//! The pages of a file on disk. Pages in the write-ahead log replace those in the file.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::iter;
use std::ops::RangeInclusive;
use std::path::Path;

use super::super::files::log_of;
use super::super::in_use::{self, SharedFile, locked};
use super::super::log;

/// The size of the file's header, which is a part of its first page.
pub(super) const HEADER: usize = 100;

/// The possible sizes of a page. In the header, the largest one is written as 1.
const SIZES: RangeInclusive<u32> = 512..=65_536;

/// The page size that is assumed if the header is damaged: the page size of the files that this library creates.
const USUAL: u32 = 2048;

/// The pages of a store.
pub(in super::super) struct Pages {
    file: SharedFile,
    log: RefCell<Option<fs::File>>,
    /// The position, in the log, of each page that the log contains.
    in_log: HashMap<u32, u64>,
    size: u32,
    many: u32,
}

impl Pages {
    pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
        let file = in_use::open(path)?;
        let mut header = [0; HEADER];
        // A file that is too short for a header contains no pages.
        let _ = read_at(&mut locked(&file), 0, &mut header);
        let size = size_in(&header);
        let mut log = fs::File::open(log_of(path)).ok();
        let found = log.as_mut().map(log::pages).transpose()?;
        let found = found.unwrap_or_default();
        let in_file = locked(&file).metadata()?.len() / u64::from(size);
        let in_file = u32::try_from(in_file).unwrap_or(u32::MAX);
        // A log whose pages have another size belongs to another file, so it is ignored.
        let in_log = if found.page == size as usize {
            found.places
        } else {
            HashMap::new()
        };
        let last = in_log.keys().copied().max().unwrap_or_default();
        Ok(Self {
            file,
            log: RefCell::new(log),
            in_log,
            size,
            many: in_file.max(last),
        })
    }

    /// Returns the number of pages.
    pub(super) fn many(&self) -> u32 {
        self.many
    }

    /// Returns the size of a page in bytes.
    pub(super) fn size(&self) -> usize {
        self.size as usize
    }

    /// Reads a page; `None` if there is no such page, or if it cannot be read from the disk.
    pub(super) fn read(&self, number: u32) -> Option<Vec<u8>> {
        if !(1..=self.many).contains(&number) {
            return None;
        }
        let mut page = vec![0; self.size()];
        let read = if let Some(place) = self.in_log.get(&number)
            && let Some(log) = &mut *self.log.borrow_mut()
        {
            read_at(log, *place, &mut page)
        } else {
            let place = u64::from(number - 1) * u64::from(self.size);
            read_at(&mut locked(&self.file), place, &mut page)
        };
        read.ok().map(|()| page)
    }

    /// Reads the pages in all frames of the log, including frames that are damaged or do not belong to a complete
    /// transaction.
    pub(super) fn in_frames(&self) -> impl Iterator<Item = Vec<u8>> {
        let length = self.log.borrow().as_ref().map(fs::File::metadata);
        let length = length.and_then(Result::ok).map_or(0, |log| log.len());
        log::frame_places(length, self.size()).filter_map(move |place| {
            let mut page = vec![0; self.size()];
            let mut log = self.log.borrow_mut();
            let read = read_at(log.as_mut()?, place, &mut page);
            read.ok().map(|()| page)
        })
    }

    /// Returns the pages that are not in use, which may contain rows that were deleted; `None` if the list of these pages
    /// is damaged.
    pub(super) fn unused(&self) -> Option<HashSet<u32>> {
        let first = self.read(1)?;
        let (mut trunk, many) = (number_at(&first, 32)?, number_at(&first, 36)?);
        let mut unused = HashSet::new();
        while trunk != 0 {
            let page = self.read(trunk)?;
            let listed = number_at(&page, 4)? as usize;
            let listed = (0..listed).map(|at| number_at(&page, 8 + 4 * at));
            for number in iter::once(Some(trunk)).chain(listed) {
                let is_other = (2..=self.many).contains(&number?) && unused.insert(number?);
                if !is_other {
                    return None;
                }
            }
            trunk = number_at(&page, 0)?;
        }
        (unused.len() == many as usize).then_some(unused)
    }
}

fn read_at(file: &mut fs::File, place: u64, page: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(page)
}

fn size_in(header: &[u8]) -> u32 {
    let size = match header.get(16..18) {
        Some(&[0, 1]) => 65_536,
        Some(&[high, low]) => u32::from(high) << 8 | u32::from(low),
        _ => 0,
    };
    if size.is_power_of_two() && SIZES.contains(&size) {
        size
    } else {
        USUAL
    }
}

/// Reads a four-byte number.
pub(super) fn number_at(page: &[u8], at: usize) -> Option<u32> {
    let bytes = page.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}
