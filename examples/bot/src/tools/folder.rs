//! A folder that nothing leaves: each name on a path is opened by itself, and a symbolic link is never
//! followed, wherever it points.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use cap_tempfile::TempFile;

/// The largest file that is read or written.
const MAX_BYTES: usize = 1024 * 1024;

const LINK: &str = "leads through a symbolic link, and those are not followed";
const FOLDER: &str = "is a folder, and a file is wanted";

/// A folder.
#[derive(Debug)]
pub(super) struct Folder(Dir);

impl Folder {
    /// Opens a folder; it is made where it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let made = Dir::create_ambient_dir_all(path, ambient_authority());
        let dir = made.and_then(|()| Dir::open_ambient_dir(path, ambient_authority()));
        dir.map(Self)
            .map_err(|error| format!("the folder `{}` cannot be opened: {error}", path.display()))
    }

    /// The text of a file.
    pub(super) fn read(&self, path: &str) -> Result<String, String> {
        let (dir, name) = self.parent(path, false)?;
        read_text(&dir, name).map_err(|why| format!("`{path}` {why}"))
    }

    /// Replaces a file as a whole, or makes it: a reader sees the old text or the new one.
    pub(super) fn write(&self, path: &str, content: &str) -> Result<(), String> {
        let told = |why: String| format!("`{path}` {why}");
        if content.len() > MAX_BYTES {
            return Err(told(too_large()));
        }
        let (dir, name) = self.parent(path, true)?;
        if let Ok(found) = dir.symlink_metadata(name) {
            ordinary(&found).map_err(told)?;
        }
        replace(&dir, name, content).map_err(|error| told(cannot("written", &error)))
    }

    /// The folder at a path; nothing and `.` name this folder itself.
    pub(super) fn dir(&self, path: &str) -> Result<Dir, String> {
        self.walk(path, &parts(path)?, false)
    }

    /// The folder in which a path's last name stands, and that name.
    fn parent<'p>(&self, path: &'p str, make: bool) -> Result<(Dir, &'p str), String> {
        let mut parts = parts(path)?;
        let name = parts.pop().ok_or_else(|| format!("`{path}` {FOLDER}"))?;
        Ok((self.walk(path, &parts, make)?, name))
    }

    fn walk(&self, path: &str, parts: &[&str], make: bool) -> Result<Dir, String> {
        let told = |error: io::Error| format!("`{path}` {}", cannot("opened", &error));
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
                return Err(format!("`{path}` {LINK}"));
            }
            dir = dir.open_dir_nofollow(part).map_err(told)?;
        }
        Ok(dir)
    }
}

/// The names of which a path is made.
fn parts(path: &str) -> Result<Vec<&str>, String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.retain(|part| *part != "." && !path.is_empty());
    let why = if path.contains('\0') {
        "has a nul byte in it"
    } else if path.starts_with('/') {
        "is absolute; paths begin in the workspace"
    } else if parts.iter().any(|part| part.trim().is_empty()) {
        "has an empty name in it"
    } else if parts.contains(&"..") {
        "has `..` in it, and nothing outside the workspace can be reached"
    } else {
        return Ok(parts);
    };
    Err(format!("`{}` {why}", path.escape_debug()))
}

/// The text of a file in a folder.
pub(super) fn read_text(dir: &Dir, name: &str) -> Result<String, String> {
    let told = |error| cannot("read", &error);
    ordinary(&dir.symlink_metadata(name).map_err(told)?)?;
    let mut options = OpenOptions::new();
    // What is no ordinary file by now must not keep the reader waiting.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).map_err(told)?;
    ordinary(&file.metadata().map_err(told)?)?;
    let mut bytes = Vec::new();
    let one_more = MAX_BYTES as u64 + 1;
    file.take(one_more).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|_| "is not text: it is not UTF-8".to_owned())
}

fn ordinary(found: &Metadata) -> Result<(), String> {
    match found.file_type() {
        kind if kind.is_symlink() => Err(LINK.to_owned()),
        kind if kind.is_dir() => Err(FOLDER.to_owned()),
        kind if kind.is_file() => Ok(()),
        _ => Err("is no ordinary file".to_owned()),
    }
}

/// Stores a text under a name, and makes the name last.
fn replace(dir: &Dir, name: &str, content: &str) -> io::Result<()> {
    let mut file = TempFile::new(dir)?;
    file.write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.replace(name)?;
    dir.open(".")?.sync_all()
}

fn too_large() -> String {
    format!("is too large: {MAX_BYTES} bytes are the most")
}

fn cannot(be: &str, error: &io::Error) -> String {
    format!("cannot be {be}: {error}")
}
