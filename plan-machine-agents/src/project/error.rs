//! The reasons why the gate of a project is closed.

use std::path::{Path, PathBuf};

use plan_machine_sessions::store::shell_word;
use thiserror::Error;

/// The step that a person has to take if nobody has trusted the documents.
const TRUST: &str = "run `plan-machine trust` in a terminal";

const NEVER_TRUSTED: &str = "the documents of this project are not trusted yet";
const CHANGED: &str = "the documents of this project have changed since they were trusted";
const UNPROVED: &str =
    "the documents of this project have not been proved by this version of plan-machine";

/// The reason why the files of a project or of its state cannot be used.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// There is no folder for the state.
    #[error(
        "there is no home folder; set PLAN_MACHINE_HOME to an absolute path, the folder for plan-machine's state"
    )]
    NoHome,
    /// A file or folder cannot be used.
    #[error("`{}` cannot be used: {cause}", path.display())]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// The reason why it cannot be used.
        cause: String,
    },
    /// The document of a trusted project is missing.
    #[error(
        "`{}` is missing, although this project is gated; restore it, or run `plan-machine init --agent NAME --remove` in a terminal",
        .0.display()
    )]
    NoDocument(PathBuf),
    /// A document has errors.
    #[error("{problem}; `plan-machine check {}` shows more", shell_word(document))]
    Document {
        /// The path of the session document.
        document: PathBuf,
        /// The first problem, with its file and line.
        problem: String,
    },
    /// The session document names no calls document.
    #[error(
        "the session document names no `calls` document, without which the gate cannot protect its own files; add one, such as `calls: \"plan-specs:claude_code\"`"
    )]
    NoCalls,
    /// No documents have been trusted yet.
    #[error("{}; a person has to {}", NEVER_TRUSTED, TRUST)]
    NeverTrusted,
    /// The documents have changed.
    #[error("{}; a person has to {}", CHANGED, TRUST)]
    Changed,
    /// The documents have not been proved by this version.
    #[error("{}; a person has to {}", UNPROVED, TRUST)]
    Unproved,
    /// A record of what a person has trusted, or of what was proved, is damaged.
    #[error("`{}` is damaged; a person has to {}", .0.display(), TRUST)]
    DamagedTrust(PathBuf),
    /// The record of what was installed is damaged.
    #[error(
        "`{}`, the record of what `plan-machine init` has installed, is damaged; delete it and run `plan-machine init --agent NAME` again for each of your agents",
        .0.display()
    )]
    DamagedInstallRecord(PathBuf),
    /// The address of the store that the project shares with other computers is missing.
    #[error(
        "`{}`, the file with the address of this project's session store, is missing; a person has to run `plan-machine init --agent NAME --store postgres:URL` in a terminal",
        .0.display()
    )]
    NoAddress(PathBuf),
    /// The address of the store that the project shares with other computers is not the one that a person has set.
    #[error(
        "`{}`, the file with the address of this project's session store, is damaged or was changed; a person has to run `plan-machine init --agent NAME --store postgres:URL` in a terminal",
        .0.display()
    )]
    ChangedAddress(PathBuf),
}

impl ProjectError {
    /// Returns what is wrong with the trust in the documents, and what a person has to do about it; `None` for all other
    /// errors. Both are parts of the text of the error.
    pub(crate) fn untrusted(&self) -> Option<(String, &'static str)> {
        let found = match self {
            Self::NeverTrusted => NEVER_TRUSTED.to_owned(),
            Self::Changed => CHANGED.to_owned(),
            Self::Unproved => UNPROVED.to_owned(),
            Self::DamagedTrust(path) => format!("`{}` is damaged", path.display()),
            _ => return None,
        };
        Some((found, TRUST))
    }

    #[allow(
        clippy::needless_pass_by_value,
        reason = "a cause is an error that nobody else needs"
    )]
    pub(crate) fn file(path: &Path, cause: impl ToString) -> Self {
        Self::File {
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }
}
