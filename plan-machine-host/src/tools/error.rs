//! The errors of tools.

/// The reason why a tool returned no result, worded for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The call was not carried out: it is invalid, it names a file that is outside the workspace or cannot be used,
    /// the shell cannot be started, or the plan that recorded the call was cancelled. A write that failed may have
    /// created folders and, in rare cases, may already have replaced the file.
    #[error("{0}")]
    Refused(String),
    /// The tool started but did not succeed.
    #[error("{0}")]
    Failed(String),
    /// The tool was stopped before it was done, and may have run in part.
    #[error("{0}")]
    Interrupted(String),
}

impl ToolError {
    pub(super) fn unknown(tool: &str) -> Self {
        Self::Refused(format!("unknown tool `{tool}`"))
    }

    /// Returns an error of the same kind with different text.
    pub(super) fn map(self, words: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Refused(text) => Self::Refused(words(text)),
            Self::Failed(text) => Self::Failed(words(text)),
            Self::Interrupted(text) => Self::Interrupted(words(text)),
        }
    }
}
