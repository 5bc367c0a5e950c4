//! Reads the denials that were added to a list after a position. A reader that remembers the position sees each denial
//! once, even if the list is renamed in the meantime, and each call reads a bounded number of bytes.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::list::{DeniedCall, older};
use crate::project::ProjectError;
use crate::project::files;

/// The maximum number of bytes that one call reads. It is more than the longest line that [`super::add`] writes.
const PIECE: u64 = 1 << 17;

/// The number of bytes by which a file is recognized. The first line has the time of the first denial, so two lists
/// begin differently.
const HEAD: u64 = 256;

/// A position in a list of denials: everything before it has been read. The default is the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPosition {
    /// The first bytes of the file. A different file that later has the same name ends before `offset` or begins
    /// differently.
    head: Vec<u8>,
    offset: u64,
}

impl ListPosition {
    fn at(path: &Path, file: &File, offset: u64) -> Result<Self, ProjectError> {
        let head = bytes_at(path, file, 0, offset.min(HEAD))?;
        Ok(Self { head, offset })
    }

    /// Returns whether this is a position in a file.
    fn is_in(&self, path: &Path, file: &File) -> Result<bool, ProjectError> {
        let is_long_enough = length(path, file)? >= self.offset;
        Ok(is_long_enough && bytes_at(path, file, 0, self.head.len() as u64)? == self.head)
    }
}

/// Denials that were added to a list after a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewDenials {
    /// The denials, oldest first.
    pub denials: Vec<DeniedCall>,
    /// The number of lines that cannot be read. A line that is longer than any denial may count several times.
    pub damaged: usize,
    /// The position after them, where the next call continues.
    pub end: ListPosition,
}

/// Returns the position after the last line of a list.
///
/// # Errors
///
/// If the list cannot be read.
pub fn end(list: &Path) -> Result<ListPosition, ProjectError> {
    let Some(file) = files::open(list)? else {
        return Ok(ListPosition::default());
    };
    let start = length(list, &file)?.saturating_sub(PIECE);
    let bytes = bytes_at(list, &file, start, PIECE)?;
    // A last line that is still being written belongs to what comes after the position.
    let complete = complete_lines(&bytes).unwrap_or(0);
    ListPosition::at(list, &file, start + complete as u64)
}

/// Returns the denials that were added to a list after a position, but at most one piece of them: to get the rest, the
/// caller calls this function again with the returned position. A last line without its line break is still being
/// written and is left for later. If the list was renamed because it was full, the rest of it comes first, and then the
/// new list. If the position is in neither of the two files, the list was replaced or truncated, and is read from its
/// beginning.
///
/// # Errors
///
/// If the list cannot be read.
pub fn read_after(list: &Path, position: &ListPosition) -> Result<NewDenials, ProjectError> {
    let current = files::open(list)?;
    if let Some(file) = &current
        && position.is_in(list, file)?
    {
        return read_piece(list, file, position.offset);
    }
    let renamed = older(list);
    if position.offset > 0
        && let Some(file) = files::open(&renamed)?
        && position.is_in(&renamed, &file)?
    {
        let rest = read_piece(&renamed, &file, position.offset)?;
        if rest.end != *position {
            return Ok(rest);
        }
    }
    match &current {
        Some(file) => read_piece(list, file, 0),
        None => Ok(NewDenials::default()),
    }
}

fn read_piece(path: &Path, file: &File, offset: u64) -> Result<NewDenials, ProjectError> {
    let mut bytes = bytes_at(path, file, offset, PIECE)?;
    let complete = match complete_lines(&bytes) {
        Some(complete) => complete,
        // No denial is that long, so the piece is skipped: a damaged list must not stop its readers.
        None if bytes.len() as u64 == PIECE => bytes.len(),
        None => 0,
    };
    bytes.truncate(complete);
    let mut new = NewDenials {
        end: ListPosition::at(path, file, offset + complete as u64)?,
        ..NewDenials::default()
    };
    for line in String::from_utf8_lossy(&bytes).lines() {
        match DeniedCall::read(line) {
            Some(denied) => new.denials.push(denied),
            None => new.damaged += 1,
        }
    }
    Ok(new)
}

/// Returns the number of bytes up to and including the last line break; `None` if there is none.
fn complete_lines(bytes: &[u8]) -> Option<usize> {
    let last = bytes.iter().rposition(|byte| *byte == b'\n')?;
    Some(last + 1)
}

fn length(path: &Path, file: &File) -> Result<u64, ProjectError> {
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| ProjectError::file(path, error))?;
    Ok(metadata.len())
}

/// Returns the bytes of a file from an offset, at most `most`.
fn bytes_at(path: &Path, mut file: &File, offset: u64, most: u64) -> Result<Vec<u8>, ProjectError> {
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(offset))
        .and_then(|_| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| ProjectError::file(path, error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::*;
    use crate::audit::add;
    use crate::audit::list::tests::denied;

    fn list() -> (TempDir, PathBuf) {
        let place = tempfile::tempdir().expect("a folder");
        let list = place.path().join("audit.jsonl");
        (place, list)
    }

    fn append(list: &Path, text: &str) {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(list);
        let mut file = file.expect("a list");
        file.write_all(text.as_bytes()).expect("written");
    }

    /// Reads everything after a position, and moves the position.
    fn rest(list: &Path, position: &mut ListPosition) -> (Vec<DeniedCall>, usize) {
        let (mut denials, mut damaged) = (Vec::new(), 0);
        loop {
            let new = read_after(list, position).expect("read");
            if new.end == *position {
                assert!(new.denials.is_empty());
                return (denials, damaged);
            }
            *position = new.end;
            denials.extend(new.denials);
            damaged += new.damaged;
        }
    }

    #[test]
    fn each_denial_after_a_position_is_read_once() {
        let (_place, list) = list();
        let mut position = end(&list).expect("an end");
        assert_eq!(rest(&list, &mut position), (vec![], 0));
        add(&list, &denied("one")).expect("added");
        assert_eq!(rest(&list, &mut position), (vec![denied("one")], 0));
        assert_eq!(position, end(&list).expect("an end"));
        add(&list, &denied("two")).expect("added");
        add(&list, &denied("three")).expect("added");
        let expected = vec![denied("two"), denied("three")];
        assert_eq!(rest(&list, &mut position), (expected, 0));
        assert_eq!(rest(&list, &mut position), (vec![], 0));
    }

    #[test]
    fn a_line_that_is_still_being_written_is_left_for_later() {
        let (_place, list) = list();
        add(&list, &denied("one")).expect("added");
        let line = fs::read_to_string(&list).expect("a line");
        let (beginning, remainder) = line.split_at(20);
        append(&list, beginning);
        let mut position = end(&list).expect("an end");
        assert_eq!(rest(&list, &mut position), (vec![], 0));
        append(&list, remainder);
        assert_eq!(rest(&list, &mut position), (vec![denied("one")], 0));
    }

    #[test]
    fn damaged_and_endless_lines_are_skipped_and_counted() {
        let (_place, list) = list();
        let mut position = ListPosition::default();
        append(&list, "{\n\u{0}\n");
        add(&list, &denied("one")).expect("added");
        assert_eq!(rest(&list, &mut position), (vec![denied("one")], 2));
        append(&list, &"x".repeat(300_000));
        let (denials, damaged) = rest(&list, &mut position);
        assert_eq!((denials, damaged), (vec![], 2));
        append(&list, "\n");
        add(&list, &denied("two")).expect("added");
        assert_eq!(rest(&list, &mut position), (vec![denied("two")], 1));
    }

    #[test]
    fn one_call_reads_a_bounded_piece() {
        let (_place, list) = list();
        for _ in 0..200 {
            add(&list, &denied(&"x".repeat(1900))).expect("added");
        }
        let new = read_after(&list, &ListPosition::default()).expect("read");
        assert!((1..100).contains(&new.denials.len()));
        let mut position = new.end;
        let (later, _) = rest(&list, &mut position);
        assert_eq!(new.denials.len() + later.len(), 200);
    }

    #[test]
    fn no_denial_is_lost_when_a_full_list_is_renamed() {
        let (_place, list) = list();
        let mut position = end(&list).expect("an end");
        let reason = |number: usize| format!("{number} {}", "x".repeat(1900));
        let mut seen = Vec::new();
        for number in 0..1200 {
            add(&list, &denied(&reason(number))).expect("added");
            if number % 90 == 0 {
                seen.extend(rest(&list, &mut position).0);
            }
        }
        assert!(older(&list).exists());
        seen.extend(rest(&list, &mut position).0);
        let expected: Vec<DeniedCall> = (0..1200).map(|number| denied(&reason(number))).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_list_that_was_truncated_or_replaced_is_read_from_its_beginning() {
        let (_place, list) = list();
        let mut position = ListPosition::default();
        for reason in ["one", "two"] {
            add(&list, &denied(reason)).expect("added");
        }
        assert_eq!(rest(&list, &mut position).0.len(), 2);
        fs::write(&list, "").expect("truncated");
        assert_eq!(rest(&list, &mut position), (vec![], 0));
        add(&list, &denied("three")).expect("added");
        assert_eq!(rest(&list, &mut position), (vec![denied("three")], 0));
        fs::remove_file(&list).expect("removed");
        for reason in ["four", "five", "six"] {
            add(&list, &denied(reason)).expect("added");
        }
        let expected = vec![denied("four"), denied("five"), denied("six")];
        assert_eq!(rest(&list, &mut position), (expected, 0));
    }
}
