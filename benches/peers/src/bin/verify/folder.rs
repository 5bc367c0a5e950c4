//! A temporary folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, process};

/// The number of folders that this process created.
static CREATED: AtomicUsize = AtomicUsize::new(0);

/// A folder that is removed when this value is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> io::Result<Self> {
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let name = format!("plan-machine-verify-{}-{number}", process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
