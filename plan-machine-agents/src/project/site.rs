//! Finds the project that an event belongs to.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::ProjectError;
use super::files::{self, Durability};
use super::home::StateFolder;

/// The folder with the documents, in the project folder.
pub const FOLDER: &str = ".plan-machine";

/// The session document, in its folder.
pub const DOCUMENT: &str = "session.yaml";

/// The record of what was trusted, in the state folder.
pub(super) const TRUST: &str = "trust.json";

/// A gated project: where its documents and its state are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The project folder, in which calls are classified.
    pub root: PathBuf,
    /// The path of the session document.
    pub document: PathBuf,
    /// The folder with the project's state.
    pub state: PathBuf,
}

impl Site {
    /// Returns the site of the project in this folder.
    #[must_use]
    pub fn of_project(home: &StateFolder, folder: &Path) -> Self {
        let root = canonical(folder);
        Self {
            document: root.join(FOLDER).join(DOCUMENT),
            state: home.of_project(&root),
            root,
        }
    }

    /// Returns the site of the user's configuration, for calls in this folder.
    #[must_use]
    pub fn of_user(home: &StateFolder, folder: &Path) -> Option<Self> {
        let config = canonical(home.config()?);
        Some(Self {
            root: canonical(folder),
            document: config.join(DOCUMENT),
            state: home.of_project(&config),
        })
    }

    /// Returns the store with the sessions.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.state.join("sessions.db")
    }

    /// Returns whether the project is gated: it has a session document, or a person has trusted its documents before.
    fn is_gated(&self) -> bool {
        fs::symlink_metadata(&self.document).is_ok()
            || fs::symlink_metadata(self.state.join(TRUST)).is_ok()
    }
}

/// Returns the project that a folder belongs to: the nearest gated folder among the folder itself and those above it,
/// or else the user's configuration; `None` if the folder is not gated.
#[must_use]
pub fn find(home: &StateFolder, folder: &Path) -> Option<Site> {
    let folder = canonical(folder);
    let projects = folder
        .ancestors()
        .map(|above| Site::of_project(home, above));
    let mut sites = projects.chain(Site::of_user(home, &folder));
    sites.find(Site::is_gated)
}

/// Returns the project of a conversation. A conversation stays in the first gated project in which it has an event, so
/// that an agent cannot leave the gate by moving to another folder.
///
/// # Errors
///
/// If the note about the conversation cannot be read or written.
pub fn find_for(
    home: &StateFolder,
    agent: &str,
    conversation: &str,
    folder: &Path,
) -> Result<Option<Site>, ProjectError> {
    let note = home.of_conversation(agent, conversation);
    if let Some(text) = files::read_text(&note)? {
        return noted(home, &note, &text).map(Some);
    }
    let Some(site) = find(home, folder) else {
        return Ok(None);
    };
    let user = Site::of_user(home, folder);
    let is_user = user.is_some_and(|user| user.document == site.document);
    let kind = if is_user { USER } else { PROJECT };
    let text = format!("{kind}\n{}", site.root.display());
    // Without the note, or with an empty one, a conversation would lose its project after a power failure.
    files::write(&note, &text, Durability::Durable)?;
    Ok(Some(site))
}

const PROJECT: &str = "project";
const USER: &str = "user";

/// Reads the note about a conversation.
fn noted(home: &StateFolder, note: &Path, text: &str) -> Result<Site, ProjectError> {
    let damaged = || ProjectError::file(note, "it does not name a project");
    let (kind, root) = text.split_once('\n').ok_or_else(damaged)?;
    match kind {
        PROJECT => Ok(Site::of_project(home, Path::new(root))),
        USER => Site::of_user(home, Path::new(root)).ok_or_else(damaged),
        _ => Err(damaged()),
    }
}

/// Returns whether a file belongs, or may belong, to the state of the gate: it is below the state folder, or next to a
/// record of what was trusted in a project, or a link hides where it would be created. Checking only the state folder
/// is not enough, because the environment names that folder, and an agent can set the environment of its commands.
#[must_use]
pub fn is_state(home: &StateFolder, file: &Path) -> bool {
    let Ok(target) = fs::canonicalize(file) else {
        let is_dangling_link = fs::symlink_metadata(file).is_ok();
        let folder = file.parent().unwrap_or(file);
        return is_dangling_link || is_in_state(home, &canonical(&Path::new(".").join(folder)));
    };
    target
        .parent()
        .is_some_and(|folder| is_in_state(home, folder))
}

/// Returns the path of a file without symbolic links, so that the file that is checked is also the one that is opened,
/// even if a link is replaced in between. If the file is a link to a missing target, or its folder does not exist, this
/// returns the path itself.
#[must_use]
pub fn without_links(file: &Path) -> PathBuf {
    let in_folder = || {
        let is_missing = fs::symlink_metadata(file).is_err();
        let name = file.file_name().filter(|_| is_missing)?;
        let folder = Path::new(".").join(file.parent()?);
        Some(fs::canonicalize(folder).ok()?.join(name))
    };
    let found = fs::canonicalize(file).ok().or_else(in_folder);
    found.unwrap_or_else(|| file.to_owned())
}

/// Returns whether files in a folder belong to the state of the gate. The path must be canonical.
fn is_in_state(home: &StateFolder, folder: &Path) -> bool {
    folder.starts_with(canonical(home.root())) || folder.join(TRUST).exists()
}

/// Returns a path without symbolic links. The path of a folder that no longer exists is only made absolute.
fn canonical(folder: &Path) -> PathBuf {
    fs::canonicalize(folder)
        .or_else(|_| std::path::absolute(folder))
        .unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gated(root: &Path) {
        fs::create_dir_all(root.join(FOLDER)).expect("a folder");
        fs::write(root.join(FOLDER).join(DOCUMENT), "session: A\n").expect("a document");
    }

    #[test]
    fn the_nearest_project_above_a_folder_is_found() {
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let project = place.path().join("project");
        fs::create_dir_all(project.join("src/deep")).expect("folders");
        assert_eq!(find(&home, &project.join("src/deep")), None);
        gated(&project);
        let found = find(&home, &project.join("src/deep")).expect("a project");
        assert_eq!(found.root, canonical(&project));
    }

    #[test]
    fn a_trusted_project_without_a_document_is_still_gated() {
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let site = Site::of_project(&home, place.path());
        files::write(&site.state.join(TRUST), "{}", Durability::Fleeting).expect("a record");
        assert_eq!(find(&home, place.path()), Some(site));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_the_state_is_recognized_under_every_name() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let own = place.path().join("own");
        fs::create_dir_all(&own).expect("a folder");
        let site = Site::of_project(&home, place.path());
        assert!(is_state(&home, &site.store()), "a file that does not exist");
        assert!(!is_state(&home, &own.join("plans.db")));
        files::write(&site.state.join(TRUST), "{}", Durability::Fleeting).expect("a record");
        fs::write(site.store(), "").expect("a store");
        fs::write(own.join("plans.db"), "").expect("another store");
        symlink(site.store(), own.join("link.db")).expect("a link");
        symlink(&site.state, own.join("folder")).expect("a link to the folder");
        symlink(site.state.join("later.db"), own.join("dangling.db")).expect("a link");
        for file in ["link.db", "folder/later.db", "dangling.db"] {
            assert!(is_state(&home, &own.join(file)), "{file}");
        }
        assert!(!is_state(&home, &own.join("plans.db")));
        let resolved = |file: &str| without_links(&own.join(file));
        assert_eq!(resolved("link.db"), canonical(&site.store()));
        assert_eq!(
            resolved("folder/later.db"),
            canonical(&site.state).join("later.db")
        );
        assert_eq!(resolved("dangling.db"), own.join("dangling.db"));
        // Another state folder in the environment does not hide this one.
        let other = StateFolder::at(place.path().join("other"));
        assert!(is_state(&other, &site.store()));
        assert!(!is_state(&other, &own.join("plans.db")));
    }

    #[test]
    fn a_conversation_stays_in_its_project() {
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        gated(&one);
        gated(&other);
        let outside = place.path().join("outside");
        fs::create_dir_all(&outside).expect("a folder");
        let at = |folder: &Path| find_for(&home, "codex", "c1", folder).expect("no error");
        assert_eq!(at(&outside), None);
        let first = at(&one).expect("a project");
        for folder in [&other, &outside, &one] {
            assert_eq!(at(folder).as_ref(), Some(&first), "{}", folder.display());
        }
        let second = find_for(&home, "codex", "c2", &other).expect("no error");
        assert_ne!(second, Some(first));
    }
}
