//! The words that a command's text is made of.

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// `{x}`: one word.
    Required,
    /// `{x?}`: one word, or none.
    Optional,
    /// `{x...}`: the rest of the line, perhaps nothing.
    Rest,
}

/// A word of a command's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Must be typed, in any case; kept folded.
    Literal(String),
    /// Is filled in.
    Argument { name: String, kind: ArgumentKind },
}

impl Word {
    /// Whether the word takes the rest of the line.
    pub(super) fn is_rest(&self) -> bool {
        matches!(
            self,
            Self::Argument {
                kind: ArgumentKind::Rest,
                ..
            }
        )
    }

    /// Whether a line may leave the word out.
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
