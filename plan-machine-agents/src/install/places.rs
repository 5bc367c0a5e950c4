//! Where the configuration of an agent is.

use std::env;
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// Whose configuration is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The configuration of one project.
    Project,
    /// The configuration of the user, for all projects.
    User,
}

/// The folders of the user.
#[derive(Clone, Debug, Default)]
pub struct UserFolders {
    /// The home folder.
    pub home: Option<PathBuf>,
    /// The folders that environment variables name. Each comes second in its pair, after the folder in the home folder
    /// that it replaces.
    pub moved: Vec<(&'static str, PathBuf)>,
}

/// The folders in the home folder that can be moved, each with the environment variable that names its new location.
const VARIABLES: [(&str, &str); 3] = [
    (".codex", "CODEX_HOME"),
    (".claude", "CLAUDE_CONFIG_DIR"),
    (".config", "XDG_CONFIG_HOME"),
];

impl UserFolders {
    /// Returns the folders that the environment names.
    #[must_use]
    pub fn from_environment() -> Self {
        let absolute = |name: &str| {
            env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let moved = VARIABLES.into_iter();
        let moved = moved.filter_map(|(folder, name)| Some((folder, absolute(name)?)));
        Self {
            home: env::home_dir().filter(|home| home.is_absolute()),
            moved: moved.collect(),
        }
    }

    /// Returns a file of the user, given its path relative to the home folder. If an environment variable names another
    /// place for the file's folder, the file there is returned.
    ///
    /// # Errors
    ///
    /// If no environment variable names a place for the file's folder, and the user has no home folder.
    pub fn file(&self, relative: &str) -> Result<PathBuf, InstallError> {
        for (folder, moved) in &self.moved {
            if let Ok(rest) = Path::new(relative).strip_prefix(folder) {
                return Ok(moved.join(rest));
            }
        }
        let home = self.home.as_ref().ok_or(InstallError::NoHome)?;
        Ok(home.join(relative))
    }
}

/// Returns the file itself, or its variant with comments (`.jsonc`) if only that one exists.
pub(super) fn existing(path: PathBuf) -> PathBuf {
    let commented = path.with_extension("jsonc");
    if path.extension().is_some_and(|ext| ext == "json") && !path.exists() && commented.is_file() {
        return commented;
    }
    path
}
