//! How long texts and lists may be, and which texts may not be blank.

use plan_machine_kernel::messages;

use super::At;

/// The bounds of a field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// The most characters of a text, items of a list, bytes of a JSON value.
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

    /// At most so many.
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

    /// A text keeps them.
    #[inline]
    pub(super) fn text(self, text: &str, at: &At<'_>, problems: &mut Vec<String>) {
        // A text has at most as many characters as bytes, so most need no counting.
        if let Some(max) = self.max
            && wide(text.len()) > max
        {
            let count = text.chars().count();
            if wide(count) > max {
                problems.push(messages::too_much(at, count, "characters", max));
            }
        }
        if self.nonblank && text.trim().is_empty() {
            problems.push(messages::blank(at));
        }
    }

    /// So many of something keep them.
    #[inline]
    pub(super) fn count(self, count: usize, unit: &str, at: &At<'_>, problems: &mut Vec<String>) {
        if let Some(max) = self.max
            && wide(count) > max
        {
            problems.push(messages::too_much(at, count, unit, max));
        }
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
