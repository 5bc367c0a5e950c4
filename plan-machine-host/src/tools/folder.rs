//! A confined folder: each component of a path is opened separately, and a symbolic link is never followed, not even
//! within the folder.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use cap_tempfile::TempFile;

use super::ToolError;

/// The maximum size of a file that is read or written.
const MAX_BYTES: usize = 1024 * 1024;

/// The reason why a path cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unusable {
    #[error("goes through a symbolic link, which is not followed")]
    Link,
    #[error("is a folder, expected a file")]
    Folder,
    #[error("is not a regular file")]
    Special,
    #[error("is too large: at most {MAX_BYTES} bytes are allowed")]
    TooLarge,
    #[error("is not UTF-8 text")]
    NotText,
    #[error("cannot be {0}: {1}")]
    Failed(&'static str, io::Error),
}

impl Unusable {
    /// Returns the error, worded for the model.
    fn of(self, path: &str) -> ToolError {
        ToolError::Refused(format!("`{path}` {self}"))
    }
}

/// A confined folder.
#[derive(Debug)]
pub(super) struct Folder(Dir);

impl Folder {
    /// Opens a folder; it is created if it is missing.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Dir::create_ambient_dir_all(path, ambient_authority())?;
        Dir::open_ambient_dir(path, ambient_authority()).map(Self)
    }

    /// Returns the content of a file.
    pub(super) fn read(&self, path: &str) -> Result<String, ToolError> {
        let (dir, name) = self.parent(path, false)?;
        read_text(&dir, name).map_err(|why| why.of(path))
    }

    /// Replaces a whole file, or creates it. A reader sees either the old content or the new content.
    pub(super) fn write(&self, path: &str, content: &str) -> Result<(), ToolError> {
        if content.len() > MAX_BYTES {
            return Err(Unusable::TooLarge.of(path));
        }
        let (dir, name) = self.parent(path, true)?;
        if let Ok(found) = dir.symlink_metadata(name) {
            ordinary(&found).map_err(|why| why.of(path))?;
        }
        let replaced = replace(&dir, name, content);
        replaced.map_err(|error| Unusable::Failed("written", error).of(path))
    }

    /// Returns the folder at a path; an empty path and `.` name this folder itself.
    pub(super) fn dir(&self, path: &str) -> Result<Dir, ToolError> {
        self.walk(path, &parts(path)?, false)
    }

    /// Returns the parent folder of a path, and the last component of the path.
    fn parent<'p>(&self, path: &'p str, make: bool) -> Result<(Dir, &'p str), ToolError> {
        let mut parts = parts(path)?;
        let name = parts.pop().ok_or_else(|| Unusable::Folder.of(path))?;
        Ok((self.walk(path, &parts, make)?, name))
    }

    fn walk(&self, path: &str, parts: &[&str], make: bool) -> Result<Dir, ToolError> {
        let told = |error: io::Error| Unusable::Failed("opened", error).of(path);
        let mut dir = self.0.try_clone().map_err(told)?;
        for part in parts {
            if make
                && let Err(error) = dir.create_dir(part)
                && error.kind() != ErrorKind::AlreadyExists
            {
                return Err(told(error));
            }
            let found = dir.symlink_metadata(part);
            if found.is_ok_and(|found| found.is_symlink()) {
                return Err(Unusable::Link.of(path));
            }
            dir = dir.open_dir_nofollow(part).map_err(told)?;
        }
        Ok(dir)
    }
}

/// Returns the components of a path.
fn parts(path: &str) -> Result<Vec<&str>, ToolError> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.retain(|part| *part != "." && !path.is_empty());
    let why = if path.contains('\0') {
        "contains a nul byte"
    } else if path.starts_with('/') {
        "is absolute, but paths must be relative to the workspace"
    } else if parts.iter().any(|part| part.trim().is_empty()) {
        "contains an empty name"
    } else if parts.contains(&"..") {
        "contains `..`, but paths must stay inside the workspace"
    } else {
        return Ok(parts);
    };
    let path = path.escape_debug();
    Err(ToolError::Refused(format!("`{path}` {why}")))
}

/// Returns the content of a file in a folder.
pub(super) fn read_text(dir: &Dir, name: &str) -> Result<String, Unusable> {
    let told = |error| Unusable::Failed("read", error);
    ordinary(&dir.symlink_metadata(name).map_err(told)?)?;
    let mut options = OpenOptions::new();
    // The file may have been replaced with something other than a regular file, which must not block the reader.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).map_err(told)?;
    ordinary(&file.metadata().map_err(told)?)?;
    let mut bytes = Vec::new();
    let one_more = MAX_BYTES as u64 + 1;
    file.take(one_more).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() > MAX_BYTES {
        return Err(Unusable::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| Unusable::NotText)
}

fn ordinary(found: &Metadata) -> Result<(), Unusable> {
    match found.file_type() {
        kind if kind.is_symlink() => Err(Unusable::Link),
        kind if kind.is_dir() => Err(Unusable::Folder),
        kind if kind.is_file() => Ok(()),
        _ => Err(Unusable::Special),
    }
}

/// Stores content under a name, and makes the directory entry durable.
fn replace(dir: &Dir, name: &str, content: &str) -> io::Result<()> {
    let mut file = TempFile::new(dir)?;
    file.write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.replace(name)?;
    dir.open(".")?.sync_all()
}
