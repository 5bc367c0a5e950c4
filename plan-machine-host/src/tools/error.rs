//! Why a tool gave no result.

/// Why a tool gave no result, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// It was not called as it can be, or not for something that it reaches; nothing was changed.
    #[error("{0}")]
    Refused(String),
    /// It began and did not succeed.
    #[error("{0}")]
    Failed(String),
    /// It was ended before it was done, and may have done a part.
    #[error("{0}")]
    Interrupted(String),
}

impl ToolError {
    pub(super) fn unknown(tool: &str) -> Self {
        Self::Refused(format!("unknown tool `{tool}`"))
    }

    /// The same, with other words.
    pub(super) fn map(self, words: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Refused(text) => Self::Refused(words(text)),
            Self::Failed(text) => Self::Failed(words(text)),
            Self::Interrupted(text) => Self::Interrupted(words(text)),
        }
    }
}
