//! What is wrong with a payload, a context or a stored record.

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use super::ValuePath;

/// Everything that is wrong, and which bounds apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    found: Found,
    /// Bounds that the spec does not state do not apply.
    stated: bool,
}

/// The problems. A single exceeded bound of a payload's own field is kept as it is and rendered when it is read: a
/// denial for a blank text allocates no text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Found {
    /// Nothing.
    #[default]
    None,
    /// A field of the payload exceeds a bound.
    Broken(&'static str, BoundViolation),
    /// All of these.
    Told(Vec<String>),
}

/// How a bound is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundViolation {
    /// A text is blank.
    Blank,
    /// It is too long.
    TooMuch {
        /// The actual number.
        count: usize,
        /// The unit.
        unit: Unit,
        /// The maximum.
        max: u64,
    },
    /// A `json` value is too long, and its field has no explicit bound.
    TooLongJson {
        /// The number of bytes.
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
    /// Renders it.
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
    /// Returns an empty list for new input and writes: every bound applies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty list to which only the spec's own bounds apply: for stored data and effects.
    #[must_use]
    pub fn of_stated_bounds() -> Self {
        Self {
            found: Found::None,
            stated: true,
        }
    }

    /// Returns an empty list for a step. A step of an earlier version is replayed with the bounds of that version.
    #[inline]
    #[must_use]
    pub(crate) fn in_step(editions: Editions) -> Self {
        Self {
            found: Found::None,
            stated: editions.are_of_earlier_version(),
        }
    }

    /// Tells whether bounds that the spec does not state apply.
    pub(super) fn count_unstated(&self) -> bool {
        !self.stated
    }

    /// Tells whether nothing is wrong.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.found, Found::None)
    }

    /// Returns the number of problems.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.found {
            Found::None => 0,
            Found::Broken(..) => 1,
            Found::Told(messages) => messages.len(),
        }
    }

    /// Adds a rendered problem.
    #[cold]
    pub fn push(&mut self, message: String) {
        let mut messages = std::mem::take(&mut self.found).into_messages();
        messages.push(message);
        self.found = Found::Told(messages);
    }

    /// Adds a bound that is exceeded at a place.
    #[cold]
    pub fn push_break(&mut self, at: &ValuePath<'_>, how: BoundViolation) {
        match (&self.found, at) {
            (Found::None, ValuePath::Field(ValuePath::Payload, name)) => {
                self.found = Found::Broken(name, how);
            }
            _ => self.push(how.message(at)),
        }
    }

    /// Returns what was found.
    pub(crate) fn into_found(self) -> Found {
        self.found
    }

    /// Renders the problems.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.clone().into_messages()
    }

    /// Renders the problems and consumes them.
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
