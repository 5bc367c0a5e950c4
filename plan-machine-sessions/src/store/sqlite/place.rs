//! Finds the file that a path refers to.
//!
//! `SQLite` follows symbolic links and names the log after the file that they lead to. The checks of the log must read
//! the same file, so links are followed once, before anything is opened.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use crate::store::{StoreError, StoreErrorKind};

/// The maximum number of links to follow for a file that does not exist yet; the same limit as in Linux.
const MOST_LINKS: u32 = 40;

/// Returns the absolute path of a store's file, with all symbolic links resolved. The file does not have to exist.
pub(super) fn of(path: &Path) -> Result<PathBuf, StoreError> {
    refuse_other_names(path)?;
    let place = followed(path)?;
    // A pipe or a device is not read: that could wait forever. `SQLite` itself refuses folders.
    if fs::metadata(&place).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let message = format!("`{}` is not a regular file", place.display());
        return Err(StoreError::new(StoreErrorKind::Foreign, message));
    }
    match names(&place) {
        0 | 1 => Ok(place),
        many => Err(with_many_names(&place, many)),
    }
}

/// Refuses a string that `SQLite` would not treat as the path of a file: a URI, for example, could open a database in
/// memory.
fn refuse_other_names(path: &Path) -> Result<(), StoreError> {
    let text = path.to_string_lossy();
    if !(text.is_empty() || text == ":memory:" || text.starts_with("file:")) {
        return Ok(());
    }
    let message = format!(
        "`{text}` is not the path of a file; if the name of the file begins with `file:`, write `./` before it"
    );
    Err(StoreError::new(StoreErrorKind::Foreign, message))
}

fn followed(path: &Path) -> Result<PathBuf, StoreError> {
    let unknown = |error: std::io::Error| {
        let message = format!("`{}`: {error}", path.display());
        StoreError::new(StoreErrorKind::Unreachable, message)
    };
    let mut place = absolute(path).map_err(unknown)?;
    for _ in 0..MOST_LINKS {
        if let Ok(found) = fs::canonicalize(&place) {
            return Ok(found);
        }
        let Some(folder) = place.parent() else {
            return Ok(place);
        };
        place = match fs::read_link(&place) {
            Ok(target) => folder.join(target),
            // The file does not exist yet. If it cannot be created, `SQLite` reports the reason.
            Err(_) => return Ok(in_folder(folder, &place)),
        };
    }
    let message = format!("`{}` has too many levels of symbolic links", path.display());
    Err(StoreError::new(StoreErrorKind::Unreachable, message))
}

/// Returns the path of a file in a folder, after following the links to the folder.
fn in_folder(folder: &Path, file: &Path) -> PathBuf {
    match (fs::canonicalize(folder), file.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

/// Returns the number of names that a file has (hard links); 0 if it does not exist.
#[cfg(unix)]
fn names(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map_or(0, |found| if found.is_file() { found.nlink() } else { 1 })
}

#[cfg(not(unix))]
fn names(path: &Path) -> u64 {
    u64::from(path.exists())
}

fn with_many_names(path: &Path, many: u64) -> StoreError {
    let message = format!(
        "`{}` has {many} names (hard links). The log of a store is found under one name only, so entries could be \
         lost. Keep one of the names, or replace the others with copies",
        path.display()
    );
    StoreError::new(StoreErrorKind::Foreign, message)
}
