//! What is wrong with a payload, a context or a stored record.

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use super::ValuePath;

/// Everything that is wrong, and which bounds count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    found: Found,
    /// Bounds that the spec does not state do not count.
    stated: bool,
}

/// What was found. One broken bound of a payload's own field is kept as it is and put into words when it is
/// read: a denial for a blank text costs no text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Found {
    /// Nothing.
    #[default]
    None,
    /// A field of the payload breaks a bound.
    Broken(&'static str, BoundViolation),
    /// All of these.
    Told(Vec<String>),
}

/// How a bound is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundViolation {
    /// A text is blank.
    Blank,
    /// There is too much of it.
    TooMuch {
        /// So many.
        count: usize,
        /// Of these.
        unit: Unit,
        /// And so many are allowed.
        max: u64,
    },
    /// A `json` value is too long whose field has no bound of its own.
    TooLongJson {
        /// So many bytes.
        bytes: usize,
    },
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Characters of a text.
    Characters,
    /// Items of a list.
    Items,
    /// Bytes of a JSON value.
    Bytes,
}

impl BoundViolation {
    /// In words.
    pub(crate) fn message(self, at: &ValuePath<'_>) -> String {
        match self {
            BoundViolation::Blank => messages::blank(at),
            BoundViolation::TooMuch { count, unit, max } => {
                let unit = match unit {
                    Unit::Characters => "characters",
                    Unit::Items => "items",
                    Unit::Bytes => "bytes",
                };
                messages::too_much(at, count, unit, max)
            }
            BoundViolation::TooLongJson { bytes } => {
                messages::too_long_json(at, bytes, stored::MOST_JSON)
            }
        }
    }
}

impl Problems {
    /// Nothing yet in what is sent or written now: every bound counts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing yet, where only the bounds count that the spec states: in what is stored already, and in effects.
    #[must_use]
    pub fn of_stated_bounds() -> Self {
        Self {
            found: Found::None,
            stated: true,
        }
    }

    /// Nothing yet in a step. One of an earlier version is replayed by the bounds that it knew.
    #[inline]
    #[must_use]
    pub(crate) fn in_step(editions: Editions) -> Self {
        Self {
            found: Found::None,
            stated: editions.are_of_earlier_version(),
        }
    }

    /// Whether bounds count that the spec does not state.
    pub(super) fn count_unstated(&self) -> bool {
        !self.stated
    }

    /// Whether nothing is wrong.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.found, Found::None)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.found {
            Found::None => 0,
            Found::Broken(..) => 1,
            Found::Told(messages) => messages.len(),
        }
    }

    /// Another problem, in words.
    #[cold]
    pub fn push(&mut self, message: String) {
        let mut messages = std::mem::take(&mut self.found).into_messages();
        messages.push(message);
        self.found = Found::Told(messages);
    }

    /// A bound that is broken at a place.
    #[cold]
    pub fn push_break(&mut self, at: &ValuePath<'_>, how: BoundViolation) {
        match (&self.found, at) {
            (Found::None, ValuePath::Field(ValuePath::Payload, name)) => {
                self.found = Found::Broken(name, how);
            }
            _ => self.push(how.message(at)),
        }
    }

    /// What was found.
    pub(crate) fn into_found(self) -> Found {
        self.found
    }

    /// In words.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.clone().into_messages()
    }

    /// In words, for good.
    #[must_use]
    pub fn into_messages(self) -> Vec<String> {
        self.found.into_messages()
    }
}

impl Found {
    pub(crate) fn into_messages(self) -> Vec<String> {
        match self {
            Found::None => Vec::new(),
            Found::Broken(name, how) => vec![how.message(&ValuePath::Payload.field(name))],
            Found::Told(messages) => messages,
        }
    }
}
