//! The host's own files, accessible only to its user. A reader of a file that is being replaced sees either the old
//! content or the new content, never a mixture.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use crate::error::HostError;

/// The permissions of a file: only the owner has access.
const FILE: u32 = 0o600;

/// The permissions of a folder: only the owner has access.
const FOLDER: u32 = 0o700;

/// The characters that are escaped in the name of a file or folder.
const UNSAFE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// The maximum number of old versions that are set aside for each file.
const MOST_ASIDE: u32 = 1000;

/// The suffix that a file gets when it is set aside; a number follows it.
const ASIDE: &str = ".lost-";

/// Returns the content of a file, or an empty string if the file does not exist yet.
pub(crate) fn read(file: &Path) -> Result<String, HostError> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        // Other errors may be temporary, but a file that is not valid UTF-8 has to be replaced.
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(HostError::Damaged {
            file: file.to_owned(),
            why: "it is not valid UTF-8".to_owned(),
        }),
        read => read.map_err(HostError::disk(file, "read")),
    }
}

/// Renames a file within its folder, because a person may still want its content, and returns the new path.
pub(crate) fn set_aside(file: &Path) -> Result<PathBuf, HostError> {
    let named = |number: u32| {
        let mut name = file.as_os_str().to_owned();
        name.push(format!("{ASIDE}{number}"));
        PathBuf::from(name)
    };
    let is_free = |aside: &PathBuf| aside.symlink_metadata().is_err();
    let mut all = (1..MOST_ASIDE).map(named);
    // Once all other names are in use, the last name is reused, and the file with that name is overwritten: someone who
    // has accepted so many losses does not need all of these files.
    let aside = all.find(is_free).unwrap_or_else(|| named(MOST_ASIDE));
    let renamed = fs::rename(file, &aside).and_then(|()| flush(file));
    renamed.map_err(HostError::disk(file, "renamed"))?;
    Ok(aside)
}

/// Returns whether a name is one that [`set_aside`] gives to this file.
pub(crate) fn is_aside(name: &str, file: &str) -> bool {
    let rest = name.strip_prefix(file);
    rest.is_some_and(|rest| rest.starts_with(ASIDE))
}

/// Replaces a file, or creates it along with its parent folders.
///
/// # Errors
///
/// If the file cannot be written; the file is then left unchanged. If only its directory entry cannot be made durable,
/// the file may already have the new content.
pub fn write(file: &Path, text: &str) -> Result<(), HostError> {
    let stored = beside(file, text);
    let renamed = stored.and_then(|stored| Ok(stored.persist(file)?));
    let lasting = renamed.and_then(|_| flush(file));
    lasting.map_err(HostError::disk(file, "written"))
}

/// Creates a file; returns `false` and changes nothing if a file with this name already exists.
pub(crate) fn write_new(file: &Path, text: &str) -> Result<bool, HostError> {
    let stored = beside(file, text);
    let named = stored.and_then(|stored| Ok(stored.persist_noclobber(file)?));
    match named.and_then(|_| flush(file)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(HostError::disk(file, "written")(error)),
    }
}

/// Removes a file if it exists.
pub(crate) fn remove(file: &Path) -> Result<(), HostError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(HostError::disk(file, "removed")(error))
        }
        _ => Ok(()),
    }
}

/// Parses one line of a JSON Lines file. The error contains no position; the caller adds the line number.
pub(crate) fn json<T: DeserializeOwned>(line: &[u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| {
        let told = error.to_string();
        let (why, _) = told.rsplit_once(" at line ").unwrap_or((&told, ""));
        match why.strip_prefix("missing field ") {
            Some(field) => format!("{field} is missing"),
            None => why.to_owned(),
        }
    })
}

/// Creates a folder along with its parent folders.
///
/// # Errors
///
/// If the folder cannot be created.
pub fn make_folder(folder: &Path) -> Result<(), HostError> {
    private_folder(folder).map_err(HostError::disk(folder, "created"))
}

fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER)
        .create(folder)
}

/// Opens a file for appending, or creates it.
///
/// # Errors
///
/// If the file cannot be opened.
pub fn append(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(FILE).open(file)
}

/// Revokes all permissions of other users on a folder and on the files and folders in it. The folder itself may be a
/// symbolic link.
///
/// # Errors
///
/// If the permissions cannot be changed, for example because a file belongs to another user, or if the folder contains
/// a symbolic link, which may point to a location where other users can write.
pub fn make_private(folder: &Path) -> Result<(), HostError> {
    let failed = HostError::disk(folder, "made private");
    make_all_private(&folder.canonicalize().map_err(&failed)?)
}

fn make_all_private(path: &Path) -> Result<(), HostError> {
    let failed = HostError::disk(path, "made private");
    let found = path.symlink_metadata().map_err(&failed)?;
    let wanted = match found.file_type() {
        kind if kind.is_dir() => FOLDER,
        kind if kind.is_file() => FILE,
        kind if kind.is_symlink() => {
            let link = "it is a symbolic link, and files are not stored through symbolic links; replace it with its target";
            return Err(failed(io::Error::other(link)));
        }
        _ => return Ok(()),
    };
    if found.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(wanted)).map_err(&failed)?;
    }
    if found.is_dir() {
        for entry in fs::read_dir(path).map_err(&failed)? {
            make_all_private(&entry.map_err(&failed)?.path())?;
        }
    }
    Ok(())
}

/// Stores text in a temporary file next to `file`. Only the owner can access the temporary file.
fn beside(file: &Path, text: &str) -> io::Result<NamedTempFile> {
    private_folder(folder(file))?;
    let mut stored = NamedTempFile::new_in(folder(file))?;
    stored.write_all(text.as_bytes())?;
    stored.as_file().sync_all()?;
    Ok(stored)
}

/// Makes the directory entry of a file durable.
fn flush(file: &Path) -> io::Result<()> {
    File::open(folder(file))?.sync_all()
}

/// Returns the parent folder of a file.
fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != "" => folder,
        _ => Path::new("."),
    }
}

/// Encodes a conversation's key as the name of a file or folder: different keys give different names, and no name
/// can refer to a file outside the folder.
#[must_use]
pub fn folder_name(thread: &str) -> String {
    match thread {
        "" => "%".to_owned(),
        thread => utf8_percent_encode(thread, UNSAFE).to_string(),
    }
}
