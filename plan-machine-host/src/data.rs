//! Keeps track of the files in the data folder: which files must exist, which are missing, have lost their content
//! or are damaged, and which new files are removed again if the host refuses to start.
//!
//! ```text
//! parts.txt                           the files below, one per line; those with content are marked
//! sessions.db chats.yaml memory.jsonl
//! history/*.jsonl                     conversations, as the model saw them
//! users/*/plan/…                      planning files and their archive
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::chats::Chats;
use crate::disk;
use crate::error::HostError;

/// The file that lists the parts of the data folder.
const LIST: &str = "parts.txt";

/// The file of the conversations. It exists as soon as there is a conversation.
pub(crate) const CHATS: &str = "chats.yaml";

/// The parts that a host must be able to read when it starts, if they exist.
const READ_AT_START: [&str; 2] = [LIST, CHATS];

/// The files that are not listed: the list itself, the temporary files of the database, and files whose loss does not
/// matter.
const UNLISTED: [&str; 5] = [
    LIST,
    "lock",
    "lines.txt",
    "sessions.db-wal",
    "sessions.db-shm",
];

/// The prefix of temporary files. A host that is killed while writing leaves such a file behind.
const TEMPORARY: &str = ".tmp";

/// The mark of a part that has content, after its name.
const FILLED: &str = "\tfilled";

/// Maps the name of each part to whether the part has content now or had content before.
type Parts = BTreeMap<String, bool>;

/// The list of the parts of a data folder: the files that must exist.
#[derive(Debug)]
pub struct Inventory {
    folder: PathBuf,
    /// Whether the folder had a list when this inventory was opened.
    was_listed: bool,
    /// Why the list cannot be read, if it is damaged.
    list_damage: Option<String>,
    known: Mutex<Parts>,
}

impl Inventory {
    /// Reads the list of a folder's parts; the list of a new folder is empty. A damaged list is one of the parts that
    /// [`Inventory::damaged`] returns.
    ///
    /// # Errors
    ///
    /// If the list cannot be read.
    pub fn open(folder: &Path) -> Result<Self, HostError> {
        let (text, list_damage) = match disk::read(&folder.join(LIST)) {
            Err(HostError::Damaged { why, .. }) => (String::new(), Some(why)),
            read => (read?, None),
        };
        let lines = text.lines().filter(|line| !line.is_empty());
        let parts = lines.map(|line| match line.strip_suffix(FILLED) {
            Some(part) => (part.to_owned(), true),
            None => (line.to_owned(), false),
        });
        Ok(Self {
            folder: folder.to_owned(),
            was_listed: !text.is_empty(),
            list_damage,
            known: Mutex::new(parts.collect()),
        })
    }

    /// Returns an error if the list is damaged: if the host replaced it with a new list, nobody could tell which parts
    /// are missing.
    pub(crate) fn undamaged(self) -> Result<Self, HostError> {
        match self.list_damage {
            Some(why) => Err(HostError::Damaged {
                file: self.folder.join(LIST),
                why,
            }),
            None => Ok(self),
        }
    }

    /// Writes the list if the folder has none yet, before anything else is created. If the host is killed while it
    /// starts, the next host therefore does not conclude that the list is lost.
    ///
    /// # Errors
    ///
    /// If the list cannot be written.
    pub fn begin(&self) -> Result<(), HostError> {
        if self.was_listed {
            return Ok(());
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&known)
    }

    /// Returns the listed parts that no longer exist.
    ///
    /// If the list itself is missing although the folder has conversations, the list is lost. In that case, every part
    /// in `always` must exist: these are the parts that a host creates whenever it starts.
    #[must_use]
    pub fn lost(&self, always: &[&str]) -> Vec<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = |part: &str| self.folder.join(part).exists();
        let is_list_lost = !self.was_listed && is_there(CHATS);
        let is_list_missing = is_list_lost && self.list_damage.is_none();
        let always = always.iter().filter(|_| is_list_lost).copied();
        let all = known.keys().map(String::as_str).chain(always);
        let parts = all.filter(|part| !is_there(part));
        let list = is_list_missing.then_some(LIST);
        list.into_iter().chain(parts).map(str::to_owned).collect()
    }

    /// Returns the listed parts that had content and are empty now.
    #[must_use]
    pub fn emptied(&self) -> Vec<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = known.iter().filter(|(_, filled)| **filled);
        let emptied = filled.filter(|(part, _)| size(&self.folder.join(part)) == Some(0));
        emptied.map(|(part, _)| part.clone()).collect()
    }

    /// Returns the parts that exist but cannot be read, and why. A host does not start with such a part.
    #[must_use]
    pub fn damaged(&self) -> Vec<(String, String)> {
        let emptied = self.emptied();
        let chats = match Chats::check(&self.folder.join(CHATS)) {
            Err(HostError::Damaged { why, .. }) => Some(why),
            // Other errors may be temporary. They are reported when the file is opened.
            _ => None,
        };
        let parts = [(LIST, self.list_damage.clone()), (CHATS, chats)];
        let damaged = parts
            .into_iter()
            .filter_map(|(part, why)| Some((part.to_owned(), why?)));
        damaged
            .filter(|(part, _)| !emptied.contains(part))
            .collect()
    }

    /// Describes the parts that [`Inventory::lost`], [`Inventory::emptied`] and [`Inventory::damaged`] have returned.
    #[must_use]
    pub fn describe_loss(
        &self,
        missing: &[String],
        emptied: &[String],
        damaged: &[(String, String)],
    ) -> String {
        let damaged: Vec<String> = damaged
            .iter()
            .map(|(part, why)| format!("{part} ({why})"))
            .collect();
        let clauses = [
            (missing, "a part is missing from", "parts are missing from"),
            (
                emptied,
                "a part has lost its content in",
                "parts have lost their content in",
            ),
            (
                damaged.as_slice(),
                "a part cannot be read in",
                "parts cannot be read in",
            ),
        ];
        let folder = self.folder.display();
        let clauses = clauses.into_iter().filter(|(parts, ..)| !parts.is_empty());
        let clauses = clauses.map(|(parts, one, many)| {
            let lost = if parts.len() == 1 { one } else { many };
            format!("{lost} the data folder `{folder}`: {}", parts.join(", "))
        });
        clauses.collect::<Vec<String>>().join("; ")
    }

    /// Adds a file outside the folder to the list, by its absolute path.
    ///
    /// # Errors
    ///
    /// If the list cannot be written.
    pub fn add(&self, file: &str) -> Result<(), HostError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(file) {
            known.insert(file.to_owned(), false);
            self.write(&known)?;
        }
        Ok(())
    }

    /// Accepts the loss of parts: removes them from the list. An unreadable part that a host reads when it starts is
    /// renamed first. Returns the new paths of the renamed parts.
    ///
    /// # Errors
    ///
    /// If a part cannot be renamed, or if the list cannot be written.
    pub fn accept_loss(&self, lost: &[String]) -> Result<Vec<PathBuf>, HostError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let unreadable = READ_AT_START.iter().filter(|part| {
            let is_lost = lost.iter().any(|name| name == **part);
            is_lost && self.folder.join(part).exists()
        });
        let aside = unreadable.map(|part| disk::set_aside(&self.folder.join(part)));
        let aside = aside.collect::<Result<Vec<PathBuf>, HostError>>()?;
        known.retain(|part, _| !lost.contains(part));
        self.write(&known)?;
        Ok(aside)
    }

    fn write(&self, parts: &Parts) -> Result<(), HostError> {
        let lines = parts.iter().map(|(part, filled)| {
            let mark = if *filled { FILLED } else { "" };
            format!("{part}{mark}")
        });
        let lines: Vec<String> = lines.collect();
        disk::write(&self.folder.join(LIST), &(lines.join("\n") + "\n"))
    }

    /// Adds new parts to the list, and notes which parts have content. A missing part is removed from the list only if
    /// the host itself removes such parts; every other missing part stays listed. A part that has lost its content
    /// stays marked as having content.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read or the list cannot be written.
    pub fn take_stock(&self) -> Result<(), HostError> {
        let mut there = Parts::new();
        walk(&self.folder, &mut |path| {
            there.extend(self.part(path).map(|part| (part, false)));
            Ok(())
        })?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known.iter().filter(|(part, _)| !comes_and_goes(part));
        there.extend(kept.map(|(part, filled)| (part.clone(), *filled)));
        for (part, filled) in &mut there {
            let has_content = || size(&self.folder.join(part)).is_some_and(|size| size > 0);
            *filled = *filled || has_content();
        }
        if there != *known {
            self.write(&there)?;
            *known = there;
        }
        Ok(())
    }

    /// Returns the name under which a file is listed, or `None` if the file is not listed.
    fn part(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(&self.folder).ok()?.to_str()?;
        let is_aside = READ_AT_START.iter().any(|part| disk::is_aside(name, part));
        let is_part = !UNLISTED.contains(&name) && !is_aside && !is_temporary(path);
        is_part.then(|| name.to_owned())
    }

    /// Removes the temporary files of a host that was killed.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, or if a temporary file cannot be removed.
    pub fn sweep(&self) -> Result<(), HostError> {
        walk(&self.folder, &mut |path| {
            if is_temporary(path) {
                disk::remove(path)?;
            }
            Ok(())
        })
    }
}

/// Returns the size of a file, or `None` if the file does not exist or its metadata cannot be read.
fn size(file: &Path) -> Option<u64> {
    fs::metadata(file).ok().map(|found| found.len())
}

fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(TEMPORARY))
}

/// Returns whether the host itself removes a part once it is no longer needed. Such a part is a file of an open plan,
/// or the progress of an execution.
fn comes_and_goes(part: &str) -> bool {
    let is_open_plan = part.starts_with("users/") && !part.contains("/plan/archive/");
    is_open_plan || part.starts_with("executions/")
}

/// Visits all files in a folder and its subfolders; symbolic links are not followed.
fn walk(
    folder: &Path,
    visit: &mut impl FnMut(&Path) -> Result<(), HostError>,
) -> Result<(), HostError> {
    let failed = HostError::disk(folder, "read");
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(&failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(&failed)?;
        // If the type cannot be read, the entry was removed in the meantime.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), visit)?,
            Ok(kind) if kind.is_file() => visit(&entry.path())?,
            _ => {}
        }
    }
    Ok(())
}

/// The files that the host creates while it starts. If the host refuses to start, it removes these files again. Only
/// the holder of the folder's lock may remove them.
#[derive(Debug, Default)]
pub struct NewFiles(Vec<PathBuf>);

impl NewFiles {
    /// Notes a path that may be created, along with its parent folders.
    pub fn note(&mut self, path: &Path) {
        let missing = |path: &&Path| **path != *"" && path.symlink_metadata().is_err();
        let first = path.ancestors().take_while(missing).last();
        self.0.extend(first.map(Path::to_owned));
    }

    /// Removes every path that did not exist when it was noted.
    pub fn take_back(self) {
        for path in self.0.iter().rev() {
            // A file that cannot be removed is left in place: the error that prevented the start is reported instead.
            let _ = fs::remove_dir_all(path).or_else(|_| fs::remove_file(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_list_is_replaced_only_if_its_loss_is_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(LIST), b"\xff").expect("written");
        let open = || Inventory::open(folder.path()).expect("opened");
        assert!(open().undamaged().is_err());
        let why = "it is not valid UTF-8";
        assert_eq!(open().damaged(), [(LIST.to_owned(), why.to_owned())]);
        let aside = open().accept_loss(&[LIST.to_owned()]).expect("accepted");
        assert_eq!(fs::read(&aside[0]).expect("the old list"), b"\xff");
        assert!(open().undamaged().is_ok());
    }
}
