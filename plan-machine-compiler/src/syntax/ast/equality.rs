//! Equality that ignores differences in notation.

use plan_machine_kernel::json::Json;

use super::{Condition, Invariant, LiteralKind};

/// Ignores the display text, which shows how the condition was written but does not affect its
/// meaning.
impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.expr == other.expr
    }
}

/// Ignores the display text, which shows how the invariant was written but does not affect its
/// meaning.
impl PartialEq for Invariant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.property == other.property
    }
}

/// Compares quotes only if the scalar without its quotes could be something other than a string. A missing value equals
/// `null`, which is how it is printed.
impl PartialEq for LiteralKind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Scalar { text, quoted },
                Self::Scalar {
                    text: also,
                    quoted: alike,
                },
            ) => {
                let alike = quoted == alike || (self.is_text() && other.is_text());
                (text == also && alike) || (self.is_null() && other.is_null())
            }
            (Self::List(items), Self::List(others)) => items == others,
            (Self::Map(entries), Self::Map(others)) => entries == others,
            _ => false,
        }
    }
}

impl LiteralKind {
    /// Returns whether the literal is a string, either because it is quoted or because it cannot be anything else. A
    /// scalar without quotes can be something else if it is empty, which means `null`, or if it parses as JSON.
    pub(in crate::syntax) fn is_text(&self) -> bool {
        match self {
            Self::Scalar { text, quoted } => {
                *quoted || !(text.is_empty() || Json::parse(text).is_ok())
            }
            Self::List(_) | Self::Map(_) => false,
        }
    }

    /// Returns whether the literal is `null`, or a missing value, which means `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(
            self,
            Self::Scalar { text, quoted: false } if text.is_empty() || text == "null"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str, quoted: bool) -> LiteralKind {
        let text = text.to_owned();
        LiteralKind::Scalar { text, quoted }
    }

    #[test]
    fn quotes_around_what_is_a_text_anyway_make_no_difference() {
        assert_eq!(scalar("plan-1", true), scalar("plan-1", false));
        assert_ne!(scalar("plan-1", true), scalar("plan-2", true));
    }

    #[test]
    fn quotes_around_a_number_a_truth_or_nothing_make_a_text() {
        for text in ["1", "-1.5", "true", "null", ""] {
            assert_ne!(scalar(text, true), scalar(text, false), "{text}");
        }
    }

    #[test]
    fn a_missing_value_is_null() {
        assert_eq!(scalar("", false), scalar("null", false));
        assert_ne!(scalar("", true), scalar("null", false));
    }
}
