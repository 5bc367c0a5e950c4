//! Files of the bot's own. A reader sees the old text or the new one, never a part.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

/// The text of a file; where there is none yet it is empty.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| format!("`{}` cannot be read: {error}", file.display())),
    }
}

/// Replaces a file, or makes it, with the folders that it is in.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    let stored = beside(file, text);
    let renamed = stored.and_then(|stored| Ok(stored.persist(file)?));
    let lasting = renamed.and_then(|_| flush(file));
    lasting.map_err(|error| not_written(file, &error))
}

/// Makes a file; `false` where the name is taken, and then nothing is changed.
pub(crate) fn write_new(file: &Path, text: &str) -> Result<bool, String> {
    let stored = beside(file, text);
    let named = stored.and_then(|stored| Ok(stored.persist_noclobber(file)?));
    match named.and_then(|_| flush(file)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(not_written(file, &error)),
    }
}

/// Removes a file that may be there.
pub(crate) fn remove(file: &Path) -> Result<(), String> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("`{}` cannot be removed: {error}", file.display()))
        }
        _ => Ok(()),
    }
}

/// Reads one line of a file of JSON lines. Whoever has the file knows which line it is.
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

/// Stores a text beside a file, for whomever may read the file.
fn beside(file: &Path, text: &str) -> io::Result<NamedTempFile> {
    fs::create_dir_all(folder(file))?;
    let mut like_any_file = tempfile::Builder::new();
    like_any_file.permissions(Permissions::from_mode(0o666));
    let mut stored = like_any_file.tempfile_in(folder(file))?;
    stored.write_all(text.as_bytes())?;
    stored.as_file().sync_all()?;
    Ok(stored)
}

/// Makes the name of a file last.
fn flush(file: &Path) -> io::Result<()> {
    File::open(folder(file))?.sync_all()
}

/// The folder that a file is in.
fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != "" => folder,
        _ => Path::new("."),
    }
}

fn not_written(file: &Path, error: &io::Error) -> String {
    format!("`{}` cannot be written: {error}", file.display())
}
