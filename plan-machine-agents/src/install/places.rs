//! The locations of the configuration files of an agent.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// The configuration that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The configuration of one project.
    Project,
    /// The configuration of the user, for all projects.
    User,
}

/// The home folder of the user, and the configuration files and folders that were moved out of it.
#[derive(Clone, Debug, Default)]
pub struct UserFolders {
    /// The home folder, if there is one.
    pub home: Option<PathBuf>,
    /// The files and folders that environment variables have moved: the usual path, relative to the home folder, and
    /// the path that replaces it.
    pub moved: Vec<(&'static str, PathBuf)>,
}

/// The files and folders in the home folder that can be moved, each with the environment variable that names the new
/// folder, and with the name of a file in that folder.
const VARIABLES: [(&str, &str, Option<&str>); 4] = [
    (".codex", "CODEX_HOME", None),
    (".claude", "CLAUDE_CONFIG_DIR", None),
    // Claude Code keeps this file beside its folder, unless the variable is set.
    (".claude.json", "CLAUDE_CONFIG_DIR", Some(".claude.json")),
    (".config", "XDG_CONFIG_HOME", None),
];

impl UserFolders {
    /// Returns the folders that the environment names.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::of(env::home_dir(), |name| env::var_os(name))
    }

    fn of(home: Option<PathBuf>, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let moved = VARIABLES.into_iter().filter_map(|(usual, name, file)| {
            let folder = variable(name).map(PathBuf::from);
            let folder = folder.filter(|path| path.is_absolute())?;
            let place = match file {
                Some(file) => folder.join(file),
                None => folder,
            };
            Some((usual, place))
        });
        Self {
            home: home.filter(|home| home.is_absolute()),
            moved: moved.collect(),
        }
    }

    /// Returns a file of the user, given its path relative to the home folder. If an environment variable has moved the
    /// file or its folder, the file there is returned.
    ///
    /// # Errors
    ///
    /// If no environment variable has moved the file, and the user has no home folder.
    pub fn file(&self, relative: &str) -> Result<PathBuf, InstallError> {
        for (usual, moved) in &self.moved {
            match Path::new(relative).strip_prefix(usual) {
                // Joining an empty path would add a slash.
                Ok(rest) if rest.as_os_str().is_empty() => return Ok(moved.clone()),
                Ok(rest) => return Ok(moved.join(rest)),
                Err(_) => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_moves_every_file_that_its_agent_looks_for_there() {
        let variable = |name: &str| match name {
            "CLAUDE_CONFIG_DIR" => Some(OsString::from("/srv/claude")),
            "CODEX_HOME" => Some(OsString::from("relative")),
            _ => None,
        };
        let user = UserFolders::of(Some(PathBuf::from("/home/ann")), variable);
        for (file, expected) in [
            (".claude/settings.json", "/srv/claude/settings.json"),
            (".claude.json", "/srv/claude/.claude.json"),
            (".codex/hooks.json", "/home/ann/.codex/hooks.json"),
            (".cursor/mcp.json", "/home/ann/.cursor/mcp.json"),
        ] {
            let found = user.file(file).expect("a path");
            // A comparison of paths would ignore a slash at the end.
            assert_eq!(found.to_str(), Some(expected));
        }
        let user = UserFolders::of(Some(PathBuf::from("/home/ann")), |_| None);
        let found = user.file(".claude.json").expect("a path");
        assert_eq!(found, Path::new("/home/ann/.claude.json"));
    }
}
