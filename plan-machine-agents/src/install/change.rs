//! A change to a file: how it is shown, and how it is made.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// The number of unchanged lines around a change.
const AROUND: usize = 3;

/// The maximum size of a configuration file, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// A file before and after a change; `None` means that there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: PathBuf,
    /// The text before.
    pub before: Option<String>,
    /// The text after.
    pub after: Option<String>,
}

impl FileChange {
    /// Returns whether anything changes.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// Returns whether a file that exists is changed or removed.
    #[must_use]
    pub fn touches_existing(&self) -> bool {
        self.before.is_some() && self.is_change()
    }

    /// Returns the changed lines, with some unchanged lines around them.
    #[must_use]
    pub fn diff(&self) -> String {
        let lines = |text: &Option<String>| -> Vec<String> {
            text.as_deref()
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect()
        };
        let (old, new) = (lines(&self.before), lines(&self.after));
        let same = old
            .iter()
            .zip(&new)
            .take_while(|(one, other)| one == other)
            .count();
        let rest = old.len().min(new.len()) - same;
        let pairs = old.iter().rev().zip(new.iter().rev());
        let tail = pairs
            .take(rest)
            .take_while(|(one, other)| one == other)
            .count();
        let path = self.path.display();
        let mut out = match (&self.before, &self.after) {
            (None, _) => format!("+++ {path} (new)\n"),
            (_, None) => format!("--- {path} (removed)\n"),
            _ => format!("--- {path}\n+++ {path}\n"),
        };
        let from = same.saturating_sub(AROUND);
        let _ = writeln!(out, "@@ line {} @@", from + 1);
        let mut add = |mark: &str, lines: &[String]| {
            for line in lines {
                let _ = writeln!(out, "{mark}{line}");
            }
        };
        add(" ", &old[from..same]);
        add("-", &old[same..old.len() - tail]);
        add("+", &new[same..new.len() - tail]);
        let end = old.len() - tail;
        add(" ", &old[end..old.len().min(end + AROUND)]);
        out
    }

    /// Makes the change. If the path is a symbolic link, its target is changed. The file keeps its permissions.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or removed.
    pub fn make(&self) -> Result<(), InstallError> {
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let failed = |error: std::io::Error| InstallError::file(&path, error);
        let Some(text) = &self.after else {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
                _ => Ok(()),
            };
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = folder.join(format!(".{name}.{}", std::process::id()));
        let written = fs::write(&draft, text).and_then(|()| match fs::metadata(&path) {
            Ok(found) => fs::set_permissions(&draft, found.permissions()),
            Err(_) => Ok(()),
        });
        let written = written.and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            // A draft that cannot be removed is harmless.
            let _ = fs::remove_file(&draft);
        }
        written.map_err(failed)
    }
}

/// Returns the text of a file; `None` if there is none.
pub(crate) fn text_of(path: &Path) -> Result<Option<String>, InstallError> {
    let size = match fs::metadata(path) {
        Ok(found) => found.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InstallError::file(path, error)),
    };
    if size > MAX_BYTES {
        return Err(InstallError::file(path, "it is too large"));
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(InstallError::file(path, error)),
    }
}
