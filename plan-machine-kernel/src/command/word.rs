//! The words that a command pattern consists of.

/// The part of a line that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// `{x}`: one word.
    Required,
    /// `{x?}`: one word, or none.
    Optional,
    /// `{x...}`: the rest of the line, possibly nothing.
    Rest,
}

/// A word of a command pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A word that must be typed, in upper or lower case. It is stored in lower case.
    Literal(String),
    /// An argument, which takes its value from the line.
    Argument { name: String, kind: ArgumentKind },
}

impl Word {
    /// Returns whether the word takes the rest of the line.
    pub(super) fn is_rest(&self) -> bool {
        matches!(
            self,
            Self::Argument {
                kind: ArgumentKind::Rest,
                ..
            }
        )
    }

    /// Returns whether a line may omit the word.
    pub(super) fn may_be_missing(&self) -> bool {
        matches!(
            self,
            Self::Argument {
                kind: ArgumentKind::Optional | ArgumentKind::Rest,
                ..
            }
        )
    }
}
