//! The host's description of the project in which calls run.

use std::path::{Path, PathBuf};

use crate::own_files::{OwnFiles, own_files};

/// The programs of agents, and the packages that contain them, that every project knows. Each could run with settings
/// other than those of the agent whose calls are classified. The gate of a coding agent adds the programs of all agents
/// that it supports, with [`Project::agent`]; this list is for all other users of this crate, such as
/// `plan-machine classify`, `plan-machine check`, and hosts.
const AGENTS: [&str; 10] = [
    "@anthropic-ai/claude-code",
    "@google/gemini-cli",
    "@openai/codex",
    "claude",
    "codex",
    "cursor-agent",
    "gemini",
    "goose",
    "opencode",
    "opencode-ai",
];

/// The syntax of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStyle {
    /// `/` separates names.
    Unix,
    /// `/` and `\` separate names, and a path can begin with a drive.
    Windows,
}

/// The project in which calls run: its folder, the folder that relative paths refer to, and the files and programs that
/// only a person may touch.
#[derive(Clone, Debug)]
pub struct Project {
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) own: Vec<String>,
    /// The files that no call may read.
    pub(crate) secret: Vec<String>,
    /// The folders that environment variables have moved.
    pub(crate) moved: Vec<(&'static str, PathBuf)>,
    pub(crate) agents: Vec<String>,
    pub(crate) style: PathStyle,
}

impl Project {
    /// Returns the project in this folder, with the gate's files and the agents that are known by default. A relative
    /// path is resolved against the current folder of the process. Variables that move such files, such as
    /// `PLAN_MACHINE_HOME` and `XDG_STATE_HOME`, are read from the environment of the process.
    #[must_use]
    pub fn new(root: impl AsRef<Path>) -> Self {
        let root = std::path::absolute(root.as_ref());
        let root = root.unwrap_or_else(|_| PathBuf::from("/"));
        let OwnFiles { own, secret, moved } = own_files(|name| std::env::var_os(name));
        Self {
            folder: root.clone(),
            root,
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            own,
            secret,
            moved,
            agents: AGENTS.map(str::to_owned).to_vec(),
            style: if cfg!(windows) {
                PathStyle::Windows
            } else {
                PathStyle::Unix
            },
        }
    }

    /// Sets the folder in which the agent works. Relative paths of a call refer to this folder,
    /// which is the project folder by default.
    #[must_use]
    pub fn folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = self.root.join(folder);
        self
    }

    /// Sets the person's home folder, which `~` refers to.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Adds a file that only a person may change. The path is relative to the project or to the
    /// home folder (`~/`), or absolute. A path that ends with `/` means a folder and everything in
    /// it, and `*` matches any characters of a name.
    #[must_use]
    pub fn own(mut self, path: impl Into<String>) -> Self {
        self.own.push(path.into());
        self
    }

    /// Adds a file that no call may read, such as a key. The path is written as for [`own`](Self::own), but names one
    /// file. A call that reads the folder of the file counts as a call that reads the file, because many programs read
    /// whole folders.
    #[must_use]
    pub fn secret(mut self, path: impl Into<String>) -> Self {
        self.secret.push(path.into());
        self
    }

    /// Adds the program of an agent, or a package that contains one, which no call may run.
    #[must_use]
    pub fn agent(mut self, program: impl Into<String>) -> Self {
        self.agents.push(program.into());
        self
    }

    /// Sets how paths are written. The default is the style of the system that the crate was
    /// compiled for.
    #[must_use]
    pub fn style(mut self, style: PathStyle) -> Self {
        self.style = style;
        self
    }
}
