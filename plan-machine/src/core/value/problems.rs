//! Problems in a payload, a context or a stored record.

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use super::ValuePath;

/// All problems that were found, and whether the default bounds apply in addition to those that the
/// spec states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    found: FoundProblems,
    /// Whether only the bounds that the spec states apply, without the default ones.
    stated: bool,
}

/// The problems. If the only problem is that a direct field of the payload violates a bound, the problem is stored
/// unformatted and is formatted only when it is read, so that denying a blank string does not allocate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum FoundProblems {
    /// No problem.
    #[default]
    None,
    /// A direct field of the payload violates a bound.
    Broken(&'static str, BoundViolation),
    /// Problems that are already formatted.
    Told(Vec<String>),
}

/// How a bound is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundViolation {
    /// A string is blank.
    Blank,
    /// A value is too long.
    TooMuch {
        /// The actual count.
        count: usize,
        /// The unit that is counted.
        unit: Unit,
        /// The maximum count.
        max: u64,
    },
    /// A `json` value is too long, and its field has no `max`.
    TooLongJson {
        /// The number of bytes.
        bytes: usize,
    },
}

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The characters of a string.
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
    /// Returns an empty list for new input and writes, to which all bounds apply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty list for stored data and effects, to which only the bounds that the spec states apply.
    #[must_use]
    pub fn of_stated_bounds() -> Self {
        Self {
            found: FoundProblems::None,
            stated: true,
        }
    }

    /// Returns an empty list for a step. If a step of an earlier version is being replayed, the bounds of that version
    /// apply.
    #[inline]
    #[must_use]
    pub(crate) fn in_step(editions: Editions) -> Self {
        Self {
            found: FoundProblems::None,
            stated: editions.are_of_earlier_version(),
        }
    }

    /// Returns whether the default bounds, which the spec does not state, apply.
    pub(super) fn count_unstated(&self) -> bool {
        !self.stated
    }

    /// Returns whether there are no problems.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.found, FoundProblems::None)
    }

    /// Returns the number of problems.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.found {
            FoundProblems::None => 0,
            FoundProblems::Broken(..) => 1,
            FoundProblems::Told(messages) => messages.len(),
        }
    }

    /// Adds a formatted problem.
    #[cold]
    pub fn push(&mut self, message: String) {
        let mut messages = std::mem::take(&mut self.found).into_messages();
        messages.push(message);
        self.found = FoundProblems::Told(messages);
    }

    /// Adds the problem that the value at a path violates a bound.
    #[cold]
    pub fn push_break(&mut self, at: &ValuePath<'_>, how: BoundViolation) {
        match (&self.found, at) {
            (FoundProblems::None, ValuePath::Field(ValuePath::Payload, name)) => {
                self.found = FoundProblems::Broken(name, how);
            }
            _ => self.push(how.message(at)),
        }
    }

    /// Returns the problems found.
    pub(crate) fn into_found(self) -> FoundProblems {
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

impl FoundProblems {
    pub(crate) fn into_messages(self) -> Vec<String> {
        match self {
            FoundProblems::None => Vec::new(),
            FoundProblems::Broken(name, how) => vec![how.message(&ValuePath::Payload.field(name))],
            FoundProblems::Told(messages) => messages,
        }
    }
}
