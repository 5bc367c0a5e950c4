//! Reads the rows on a page without the help of `SQLite`, which refuses a whole table if one of its pages is damaged.
//!
//! <https://www.sqlite.org/fileformat2.html#b_tree_pages> describes the format.

use rusqlite::types::Value;

use super::pages::{HEADER, Pages, number_at};

/// A page of a table or an index.
pub(super) struct TreePage {
    pub(super) is_table: bool,
    /// The rows on the page. An interior page of a table has none.
    pub(super) rows: Vec<TreeRow>,
    /// The child pages; empty for a leaf.
    pub(super) children: Vec<u32>,
}

/// A row of a table or an index.
pub(super) struct TreeRow {
    /// The number of the row; 0 in an index, whose last value is the number of the row that it refers to.
    pub(super) number: i64,
    pub(super) values: Vec<Value>,
}

/// The kind of a page: whether it belongs to a table or an index, and whether it is a leaf.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    is_table: bool,
    is_leaf: bool,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        let (is_table, is_leaf) = match byte {
            0x02 => (false, false),
            0x05 => (true, false),
            0x0a => (false, true),
            0x0d => (true, true),
            _ => return None,
        };
        Some(Self { is_table, is_leaf })
    }

    /// Returns how many bytes of a row of this length are on the page itself.
    fn kept(self, length: usize, page: usize) -> usize {
        let least = (page - 12) * 32 / 255 - 23;
        let most = if self.is_table {
            page - 35
        } else {
            (page - 12) * 64 / 255 - 23
        };
        if length <= most {
            return length;
        }
        let kept = least + (length - least) % (page - 4);
        if kept <= most { kept } else { least }
    }
}

/// Reads a page; `None` if it belongs to neither a table nor an index. Rows that cannot be read are left out.
pub(super) fn page(pages: &Pages, number: u32) -> Option<TreePage> {
    let start = if number == 1 { HEADER } else { 0 };
    read(pages, &pages.read(number)?, start)
}

/// Reads a page that begins at the position `start` in the bytes, as [`page`] does.
pub(super) fn read(pages: &Pages, bytes: &[u8], start: usize) -> Option<TreePage> {
    let kind = Kind::of(*bytes.get(start)?)?;
    let many = usize::from(u16::from_be_bytes([bytes[start + 3], bytes[start + 4]]));
    let first = start + if kind.is_leaf { 8 } else { 12 };
    let mut read = TreePage {
        is_table: kind.is_table,
        rows: Vec::new(),
        children: Vec::new(),
    };
    for at in (first..).step_by(2).take(many) {
        let Some(&[high, low]) = bytes.get(at..at + 2) else {
            break;
        };
        let mut at = usize::from(high) << 8 | usize::from(low);
        if !kind.is_leaf {
            read.children.extend(number_at(bytes, at));
            at += 4;
        }
        if kind.is_leaf || !kind.is_table {
            read.rows.extend(row(pages, bytes, at, kind));
        }
    }
    if !kind.is_leaf {
        read.children.extend(number_at(bytes, start + 8));
    }
    Some(read)
}

/// Returns the child pages of a page of a table (an empty list for a leaf); `None` if the page is damaged.
pub(in super::super) fn children(pages: &Pages, number: u32) -> Option<Vec<u32>> {
    let page = page(pages, number)?;
    page.is_table.then_some(page.children)
}

fn row(pages: &Pages, page: &[u8], mut at: usize, kind: Kind) -> Option<TreeRow> {
    let length = usize::try_from(varint(page, &mut at)?).ok()?;
    let number = if kind.is_table {
        varint(page, &mut at)?
    } else {
        0
    };
    if length > pages.size().checked_mul(pages.many() as usize)? {
        return None;
    }
    let kept = kind.kept(length, pages.size());
    let mut bytes = page.get(at..at.checked_add(kept)?)?.to_vec();
    let mut next = number_at(page, at + kept);
    while bytes.len() < length {
        let page = pages.read(next?)?;
        let rest = page.get(4..)?;
        bytes.extend(rest.iter().take(length - bytes.len()));
        next = number_at(&page, 0);
    }
    Some(TreeRow {
        number,
        values: values(&bytes)?,
    })
}

/// Reads the values of a row.
fn values(bytes: &[u8]) -> Option<Vec<Value>> {
    let mut kind_at = 0;
    let mut at = usize::try_from(varint(bytes, &mut kind_at)?).ok()?;
    let end = at;
    let mut values = Vec::new();
    while kind_at < end {
        let kind = varint(bytes, &mut kind_at)?;
        values.push(value(bytes, kind, &mut at)?);
    }
    (kind_at == end && at == bytes.len()).then_some(values)
}

fn value(bytes: &[u8], kind: i64, at: &mut usize) -> Option<Value> {
    let length = match kind {
        0 | 8 | 9 => 0,
        1..=4 => usize::try_from(kind).ok()?,
        5 => 6,
        6 => 8,
        // No column of a store contains a floating-point number, and kinds 10 and 11 are reserved.
        7 | 10 | 11 => return None,
        _ => usize::try_from(kind.checked_sub(12)? / 2).ok()?,
    };
    let end = at.checked_add(length)?;
    let found = bytes.get(*at..end)?;
    *at = end;
    Some(match kind {
        0 => Value::Null,
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        1..=6 => Value::Integer(integer(found)),
        _ if kind % 2 == 0 => Value::Blob(found.to_vec()),
        // A text with damaged bytes does not match its digest, whatever replaces them.
        _ => Value::Text(String::from_utf8_lossy(found).into_owned()),
    })
}

/// Reads a signed number.
fn integer(bytes: &[u8]) -> i64 {
    let sign = match bytes.first() {
        Some(first) if *first >= 0x80 => -1,
        _ => 0,
    };
    bytes
        .iter()
        .fold(sign, |number, byte| number << 8 | i64::from(*byte))
}

/// Reads a variable-length number of one to nine bytes. Each byte contains seven bits of the number, except for the
/// ninth, which contains eight.
fn varint(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let mut number = 0;
    for place in 0..9 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if place == 8 {
            return Some(number << 8 | i64::from(byte));
        }
        number = number << 7 | i64::from(byte & 0x7f);
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
}
