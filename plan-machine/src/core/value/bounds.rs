//! Limits on the length of strings and lists, and the rule that a string must not be blank.

use super::{BoundViolation, Problems, Unit, ValuePath};

/// The bounds of a field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The maximum number of characters in a string, items in a list, or bytes in a JSON value.
    pub max: Option<u64>,
    /// Whether blank strings are rejected.
    pub nonblank: bool,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self {
        max: None,
        nonblank: false,
    };

    /// Returns bounds with this maximum.
    #[must_use]
    pub const fn at_most(max: u64) -> Self {
        Self {
            max: Some(max),
            nonblank: false,
        }
    }

    /// Returns the same bounds, but with blank strings rejected.
    #[must_use]
    pub const fn and_not_blank(self) -> Self {
        Self {
            nonblank: true,
            ..self
        }
    }

    /// Checks a string.
    #[inline]
    pub(super) fn text(self, text: &str, at: &ValuePath<'_>, problems: &mut Problems) {
        // A string never has more characters than bytes, so most strings need no counting.
        if let Some(max) = self.max
            && wide(text.len()) > max
        {
            self.count(text.chars().count(), Unit::Characters, at, problems);
        }
        if self.nonblank && text.trim().is_empty() {
            problems.push_break(at, BoundViolation::Blank);
        }
    }

    /// Checks a count, such as the number of items in a list.
    #[inline]
    pub(super) fn count(
        self,
        count: usize,
        unit: Unit,
        at: &ValuePath<'_>,
        problems: &mut Problems,
    ) {
        if let Some(max) = self.max
            && wide(count) > max
        {
            problems.push_break(at, BoundViolation::TooMuch { count, unit, max });
        }
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
