//! Problems in a payload, a context or a stored record.

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use super::ValuePath;

/// All problems found, and which bounds apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    found: Found,
    /// Whether only the bounds stated in the spec apply.
    stated: bool,
}

/// The problems. If the only problem is an exceeded bound of a direct field of the payload, it is stored unformatted
/// and formatted when it is read: denying a blank text allocates no text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Found {
    /// No problem.
    #[default]
    None,
    /// A direct field of the payload exceeds a bound.
    Broken(&'static str, BoundViolation),
    /// These formatted problems.
    Told(Vec<String>),
}

/// How a bound is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundViolation {
    /// A text is blank.
    Blank,
    /// A value is too long.
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

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The characters of a text.
    Characters,
    /// The items of a list.
    Items,
    /// The bytes of a JSON value.
    Bytes,
}

impl BoundViolation {
    /// Formats the violation.
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
    /// Returns an empty list for new input and writes, to which every bound applies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty list for stored data and effects, to which only the spec's own bounds apply.
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

    /// Tells whether there are no problems.
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

    /// Adds a formatted problem.
    #[cold]
    pub fn push(&mut self, message: String) {
        let mut messages = std::mem::take(&mut self.found).into_messages();
        messages.push(message);
        self.found = Found::Told(messages);
    }

    /// Adds a bound that is exceeded at a path.
    #[cold]
    pub fn push_break(&mut self, at: &ValuePath<'_>, how: BoundViolation) {
        match (&self.found, at) {
            (Found::None, ValuePath::Field(ValuePath::Payload, name)) => {
                self.found = Found::Broken(name, how);
            }
            _ => self.push(how.message(at)),
        }
    }

    /// Returns the problems found.
    pub(crate) fn into_found(self) -> Found {
        self.found
    }

    /// Formats the problems.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.clone().into_messages()
    }

    /// Formats the problems and consumes them.
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
