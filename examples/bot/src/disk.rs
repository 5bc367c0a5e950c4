//! Files of the bot's own. A reader sees the old text or the new one, never a part.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The text of a file; where there is none yet it is empty.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| format!("`{}` cannot be read: {error}", file.display())),
    }
}

/// Replaces a file, or makes it, with the folders that it is in.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    let renamed = beside(file, text).and_then(|beside| fs::rename(beside, file));
    let lasting = renamed.and_then(|()| flush(file));
    lasting.map_err(|error| not_written(file, &error))
}

/// Makes a file; `false` where the name is taken, and then nothing is changed.
pub(crate) fn write_new(file: &Path, text: &str) -> Result<bool, String> {
    let linked = beside(file, text).and_then(|beside| {
        // A link, unlike a renaming, takes no name from another file.
        let linked = fs::hard_link(&beside, file);
        fs::remove_file(beside)?;
        linked
    });
    match linked.and_then(|()| flush(file)) {
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
        why.to_owned()
    })
}

/// Stores a text beside a file, under a name that no other process has.
fn beside(file: &Path, text: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder(file))?;
    let beside = file.with_extension(format!("{}.new", std::process::id()));
    let mut stored = File::create(&beside)?;
    stored.write_all(text.as_bytes())?;
    stored.sync_all()?;
    Ok(beside)
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
