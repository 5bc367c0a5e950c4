//! A folder that nothing leaves: each name on a path is opened by itself, and a symbolic link is never
//! followed, wherever it points.

use std::fmt::Display;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// A folder, and how large a file in it may be.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: Dir,
    max_bytes: usize,
}

/// What happens to folders that are not there.
#[derive(Clone, Copy, PartialEq)]
enum Missing {
    Make,
    Tell,
}

impl Folder {
    /// Opens a folder; it is made where it is missing.
    pub(crate) fn open(path: &Path, max_bytes: usize) -> Result<Self, String> {
        let told = |error| format!("the folder `{}` cannot be opened: {error}", path.display());
        Dir::create_ambient_dir_all(path, ambient_authority()).map_err(told)?;
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(told)?;
        Ok(Self { dir, max_bytes })
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        let (dir, name) = self.parent(path, Missing::Tell)?;
        read_text(&dir, name, self.max_bytes).map_err(|why| format!("`{path}` {why}"))
    }

    /// Replaces a file as a whole, or makes it: a reader sees the old text or the new one.
    pub(crate) fn write(&self, path: &str, content: &str) -> Result<(), String> {
        let (dir, name) = self.place(path, content)?;
        let told = |why: String| format!("`{path}` {why}");
        match dir.symlink_metadata(name) {
            Ok(found) => ordinary(&found).map_err(told)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(told(cannot("written", error))),
        }
        let temporary = temporary(&dir, content).map_err(told)?;
        let renamed = dir.rename(&temporary, &dir, name);
        renamed.and_then(|()| flush(&dir)).map_err(|error| {
            // It is gone where the renaming was what worked.
            let _ = dir.remove_file(&temporary);
            told(cannot("written", error))
        })
    }

    /// Makes a file; `false` where the name is taken, and then nothing is changed.
    pub(crate) fn write_new(&self, path: &str, content: &str) -> Result<bool, String> {
        let (dir, name) = self.place(path, content)?;
        let told = |why: String| format!("`{path}` {why}");
        let temporary = temporary(&dir, content).map_err(told)?;
        // A link, unlike a renaming, takes no name from another file.
        let linked = dir.hard_link(&temporary, &dir, name);
        let _ = dir.remove_file(&temporary);
        match linked.and_then(|()| flush(&dir)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(told(cannot("written", error))),
        }
    }

    /// Removes a file that may be there.
    pub(crate) fn remove(&self, path: &str) -> Result<(), String> {
        let (dir, name) = self.parent(path, Missing::Tell)?;
        match dir.remove_file(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(format!("`{path}` {}", cannot("removed", error)))
            }
            _ => Ok(()),
        }
    }

    /// The folder at a path; nothing and `.` name this folder itself.
    pub(crate) fn dir(&self, path: &str) -> Result<Dir, String> {
        self.walk(path, &parts(path)?, Missing::Tell)
    }

    /// Whether a path names a folder.
    pub(crate) fn is_dir(&self, path: &str) -> bool {
        self.dir(path).is_ok()
    }

    /// How large a file may be.
    pub(crate) fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Where a text may be written.
    fn place<'p>(&self, path: &'p str, content: &str) -> Result<(Dir, &'p str), String> {
        if content.len() > self.max_bytes {
            return Err(format!("`{path}` {}", too_large(self.max_bytes)));
        }
        self.parent(path, Missing::Make)
    }

    /// The folder in which a path's last name stands, and that name.
    fn parent<'p>(&self, path: &'p str, missing: Missing) -> Result<(Dir, &'p str), String> {
        let mut parts = parts(path)?;
        let name = parts
            .pop()
            .ok_or_else(|| format!("`{path}` is a folder, and a file is wanted"))?;
        Ok((self.walk(path, &parts, missing)?, name))
    }

    fn walk(&self, path: &str, parts: &[&str], missing: Missing) -> Result<Dir, String> {
        let told = |error| format!("`{path}` {}", cannot("opened", error));
        let mut dir = self.dir.try_clone().map_err(told)?;
        for part in parts {
            if missing == Missing::Make {
                match dir.create_dir(part) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                        return Err(told(error));
                    }
                    _ => {}
                }
            }
            if dir
                .symlink_metadata(part)
                .is_ok_and(|found| found.is_symlink())
            {
                return Err(format!("`{path}` {LINK}"));
            }
            dir = dir.open_dir_nofollow(part).map_err(told)?;
        }
        Ok(dir)
    }
}

const LINK: &str = "leads through a symbolic link, and those are not followed";

/// The names of which a path is made.
fn parts(path: &str) -> Result<Vec<&str>, String> {
    let refused = |why: &str| Err(format!("`{}` {why}", path.escape_debug()));
    if path.contains('\0') {
        return refused("has a nul byte in it");
    }
    if path.starts_with('/') {
        return refused("is absolute; paths begin in the workspace");
    }
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let parts: Vec<&str> = path.split('/').filter(|part| *part != ".").collect();
    if parts.iter().any(|part| part.trim().is_empty()) {
        return refused("has an empty name in it");
    }
    if parts.contains(&"..") {
        return refused("has `..` in it, and nothing outside the workspace can be reached");
    }
    Ok(parts)
}

/// The text of a file in a folder.
pub(crate) fn read_text(dir: &Dir, name: &str, max_bytes: usize) -> Result<String, String> {
    let told = |error| cannot("read", error);
    ordinary(&dir.symlink_metadata(name).map_err(told)?)?;
    let mut options = OpenOptions::new();
    // What is no ordinary file by now must not keep the reader waiting.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).map_err(told)?;
    ordinary(&file.metadata().map_err(told)?)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(max_bytes).map_or(u64::MAX, |max| max.saturating_add(1));
    file.take(limit).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() > max_bytes {
        return Err(too_large(max_bytes));
    }
    String::from_utf8(bytes).map_err(|_| "is not text: it is not UTF-8".to_owned())
}

fn ordinary(found: &Metadata) -> Result<(), String> {
    if found.is_symlink() {
        return Err(LINK.to_owned());
    }
    if found.is_dir() {
        return Err("is a folder, and a file is wanted".to_owned());
    }
    if !found.is_file() {
        return Err("is no ordinary file".to_owned());
    }
    Ok(())
}

/// A file with a text, stored, under a name that nothing else has.
fn temporary(dir: &Dir, content: &str) -> Result<String, String> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let (file, name) = loop {
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}-{made}.tmp", std::process::id());
        match dir.open_with(&name, &options) {
            Ok(file) => break (file, name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot("written", error)),
        }
    };
    let stored = |mut file: File| {
        file.write_all(content.as_bytes())?;
        file.sync_all()
    };
    stored(file).map_err(|error| {
        let _ = dir.remove_file(&name);
        cannot("written", error)
    })?;
    Ok(name)
}

/// Makes the names in a folder last.
fn flush(dir: &Dir) -> std::io::Result<()> {
    dir.open(".")?.sync_all()
}

fn too_large(max_bytes: usize) -> String {
    format!("is too large: {max_bytes} bytes are the most")
}

fn cannot(what: &str, error: impl Display) -> String {
    format!("cannot be {what}: {error}")
}
