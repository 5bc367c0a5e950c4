//! A change to a file: how it is shown, and how it is made.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::error::InstallError;
use crate::project::files;

/// The number of unchanged lines around a change.
const AROUND: usize = 3;

/// The maximum size of a configuration file, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// A file before and after a change; `None` means that there is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path of the file.
    pub path: PathBuf,
    /// The text before the change.
    pub before: Option<String>,
    /// The text after the change.
    pub after: Option<String>,
}

impl FileChange {
    /// Returns whether the file is created, changed or removed.
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

    /// Refuses the change if the file no longer has the text from which the change was planned.
    pub(super) fn check(&self) -> Result<(), InstallError> {
        if text_of(&self.path)? == self.before {
            return Ok(());
        }
        Err(InstallError::FileChanged {
            path: self.path.clone(),
        })
    }

    /// Makes the change. If the path is a symbolic link, its target is changed. The file keeps its permissions.
    ///
    /// # Errors
    ///
    /// If the file cannot be written or removed.
    pub fn make(&self) -> Result<(), InstallError> {
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let failed = |error: io::Error| InstallError::file(&path, error);
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
        // A killed process with the same id may have left a draft.
        let _ = fs::remove_file(&draft);
        let permissions = fs::metadata(&path).ok().map(|found| found.permissions());
        let written = new_draft(&draft, permissions.is_some()).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            match permissions {
                Some(permissions) => file.set_permissions(permissions),
                None => Ok(()),
            }
        });
        let written = written.and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            // A draft that cannot be removed is harmless.
            let _ = fs::remove_file(&draft);
        }
        written.map_err(failed)
    }
}

/// Creates a draft. If the draft will replace a file, which may be private, only its owner can access the draft until
/// it gets the permissions of that file.
fn new_draft(path: &Path, replaces_file: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if replaces_file {
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.open(path)
}

/// Returns the text of a file; `None` if there is none.
pub(crate) fn text_of(path: &Path) -> Result<Option<String>, InstallError> {
    let size = match fs::metadata(path) {
        Ok(found) => found.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InstallError::file(path, error)),
    };
    files::refuse_pipe(path)?;
    if size > MAX_BYTES {
        return Err(InstallError::file(path, "it is too large"));
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(InstallError::file(path, error)),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[track_caller]
    fn mode_of(file: &File) -> u32 {
        let found = file.metadata().expect("the metadata");
        found.permissions().mode() & 0o777
    }

    #[test]
    fn the_draft_of_a_file_that_exists_is_private_from_the_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let draft = new_draft(&folder.path().join("draft"), true).expect("a draft");
        assert_eq!(mode_of(&draft), 0o600);
    }

    #[test]
    fn a_changed_file_keeps_its_permissions_and_a_new_one_gets_the_usual_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let usual = File::create(folder.path().join("usual")).expect("a file");
        let path = folder.path().join("config");
        let mut change = FileChange {
            path: path.clone(),
            before: None,
            after: Some("{}".to_owned()),
        };
        // A killed process has left a draft.
        let draft = format!(".config.{}", std::process::id());
        fs::write(folder.path().join(draft), "a longer draft").expect("written");
        change.make().expect("made");
        let made = File::open(&path).expect("a file");
        assert_eq!(mode_of(&made), mode_of(&usual));
        for mode in [0o600, 0o640, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            change.after = Some(format!("{mode}"));
            change.make().expect("made");
            assert_eq!(fs::read_to_string(&path).ok(), change.after);
            let made = File::open(&path).expect("a file");
            assert_eq!(mode_of(&made), mode);
        }
        let files = fs::read_dir(folder.path()).expect("the folder");
        assert_eq!(files.count(), 2, "drafts are left");
    }
}
