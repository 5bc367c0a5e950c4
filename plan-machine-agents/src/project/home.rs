//! The folder with the state of all projects. It is outside every project, so that a project cannot contain its own
//! state.

use std::env;
use std::path::{Path, PathBuf};

use plan_machine_kernel::digest::{hex, sha256};

use super::error::ProjectError;

/// The file with the address of the store that a project shares with other computers, in the folder of its state.
pub(super) const ADDRESS: &str = "store.json";

/// The folder with the state of all projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFolder {
    root: PathBuf,
    /// The folder of the user's configuration.
    config: Option<PathBuf>,
}

impl StateFolder {
    /// Returns the folder that the environment names: `PLAN_MACHINE_HOME`, or `plan-machine` in the user's folder for
    /// state. Paths that are not absolute are ignored.
    ///
    /// # Errors
    ///
    /// If the environment names no folder, and there is no home folder.
    pub fn from_environment() -> Result<Self, ProjectError> {
        let absolute = |name| {
            let path = env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let home = env::home_dir().filter(|home| home.is_absolute());
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let state = || absolute("XDG_STATE_HOME").or_else(|| below(".local/state"));
        let root = absolute("PLAN_MACHINE_HOME");
        let root = root.or_else(|| Some(state()?.join("plan-machine")));
        let config = absolute("XDG_CONFIG_HOME").or_else(|| below(".config"));
        Ok(Self {
            root: root.ok_or(ProjectError::NoHome)?,
            config: config.map(|config| config.join("plan-machine")),
        })
    }

    /// Returns the state folder at a path, without a folder for the user's configuration.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            config: None,
        }
    }

    /// Sets the folder of the user's configuration.
    #[must_use]
    pub fn with_config(mut self, config: impl Into<PathBuf>) -> Self {
        self.config = Some(config.into());
        self
    }

    /// Returns the path of the state folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder of the user's configuration.
    #[must_use]
    pub fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Returns the folder with the state of a project. `folder` is the project folder and must be canonical.
    #[must_use]
    pub fn of_project(&self, folder: &Path) -> PathBuf {
        self.projects()
            .join(digest_of(&[folder.as_os_str().as_encoded_bytes()]))
    }

    /// Returns the file that says which project a conversation belongs to.
    pub(super) fn of_conversation(&self, agent: &str, conversation: &str) -> PathBuf {
        let name = digest_of(&[agent.as_bytes(), b"\0", conversation.as_bytes()]);
        self.root.join("conversations").join(name)
    }

    /// Returns the file with the key that seals session handles.
    pub(crate) fn key(&self) -> PathBuf {
        self.root.join("key")
    }

    /// Returns the paths, some of them patterns, that no call may read: the key, the addresses of shared stores, which
    /// may contain passwords, and the drafts of both that a killed process leaves behind. The folders that contain
    /// addresses are included, because a program that reads a whole folder also reads the addresses in it.
    pub(crate) fn secrets(&self) -> [PathBuf; 6] {
        let each = self.projects().join("*");
        [
            self.key(),
            self.root.join(".key.*"),
            self.projects(),
            each.join(ADDRESS),
            each.join(format!(".{ADDRESS}.*")),
            each,
        ]
    }

    fn projects(&self) -> PathBuf {
        self.root.join("projects")
    }

    /// Returns the list of denials that belong to no project.
    pub(crate) fn audit(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }
}

/// Returns a name for a file or folder.
pub(crate) fn digest_of(pieces: &[&[u8]]) -> String {
    hex(&sha256(pieces)[..16])
}
