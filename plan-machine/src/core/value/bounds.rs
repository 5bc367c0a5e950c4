//! How long texts and lists may be, and which texts may not be blank.

use super::{BoundViolation, Problems, Unit, ValuePath};

/// The bounds of a field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The maximum number of characters of a text, items of a list, or bytes of a JSON value.
    pub max: Option<u64>,
    /// Blank texts are refused.
    pub nonblank: bool,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self {
        max: None,
        nonblank: false,
    };

    /// At most this many.
    #[must_use]
    pub const fn at_most(max: u64) -> Self {
        Self {
            max: Some(max),
            nonblank: false,
        }
    }

    /// Not blank either.
    #[must_use]
    pub const fn and_not_blank(self) -> Self {
        Self {
            nonblank: true,
            ..self
        }
    }

    /// Checks a text.
    #[inline]
    pub(super) fn text(self, text: &str, at: &ValuePath<'_>, problems: &mut Problems) {
        // A text has at most as many characters as bytes, so most need no counting.
        if let Some(max) = self.max
            && wide(text.len()) > max
        {
            self.count(text.chars().count(), Unit::Characters, at, problems);
        }
        if self.nonblank && text.trim().is_empty() {
            problems.push_break(at, BoundViolation::Blank);
        }
    }

    /// Checks a number of items.
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
