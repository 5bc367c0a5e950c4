//! Errors of an installation.

use std::path::PathBuf;

use thiserror::Error;

use crate::project::ProjectError;

/// The reason why the text of a file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// The text is not JSON, even if comments and trailing commas are allowed.
    #[error("it is not valid JSON: expected {expected} in line {line}")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// A description of the expected text or value.
        expected: &'static str,
    },
    /// The file has a duplicate key.
    #[error("it has a duplicate key `{0}`")]
    DuplicateKey(String),
    /// The text is not TOML.
    #[error("it is not valid TOML: {0}")]
    NotToml(String),
    /// A value has a type that the agent does not expect.
    #[error("expected {expected}{}", place(path))]
    Unexpected {
        /// The path of the value; empty for the whole file.
        path: String,
        /// A description of the expected text or value.
        expected: &'static str,
    },
}

/// Returns where a value is, for messages.
fn place(path: &str) -> String {
    if path.is_empty() {
        return " at the top level".to_owned();
    }
    format!(" in `{path}`")
}

/// The reason why an installation is not possible.
#[derive(Debug, Error)]
pub enum InstallError {
    /// A file cannot be edited.
    #[error("`{}` cannot be edited: {cause}", path.display())]
    Edit {
        /// The path of the file.
        path: PathBuf,
        /// The reason for the error.
        cause: EditError,
    },
    /// A file cannot be read or written.
    #[error("`{}` cannot be used: {cause}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason for the error.
        cause: String,
    },
    /// A setting switches hooks off.
    #[error(
        "`{setting}` in `{}` switches hooks off, so the gate would never be asked; remove that setting first",
        path.display()
    )]
    HooksAreOff {
        /// The path of the file with the setting.
        path: PathBuf,
        /// The setting, as in `features.hooks`.
        setting: String,
    },
    /// A file, or the record of what is installed, has changed since the changes were planned.
    #[error(
        "`{}` has changed since `init` read it, so no file was changed; run the command again",
        path.display()
    )]
    FileChanged {
        /// The path of the file.
        path: PathBuf,
    },
    /// The state or the documents of the project cannot be used.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// No shipped session has this name.
    #[error("unknown session `{name}`; expected one of {known}")]
    UnknownSession {
        /// The name of the session.
        name: String,
        /// The names of the shipped sessions.
        known: String,
    },
    /// There is no calls document for the agent.
    #[error("there is no calls document for {0} in this version of plan-machine")]
    NoCalls(&'static str),
    /// The path of the program cannot be part of a shell command that means the same in every shell.
    #[error(
        "the path `{0}` of plan-machine has characters that shells treat in different ways; move the program to a path with letters, digits, spaces and `/._-+@` only"
    )]
    Program(String),
    /// There is no home folder.
    #[error("there is no home folder, so there is no user configuration; leave out `--user`")]
    NoHome,
}

impl InstallError {
    pub(crate) fn file(path: &std::path::Path, cause: impl std::fmt::Display) -> Self {
        Self::File {
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }
}
