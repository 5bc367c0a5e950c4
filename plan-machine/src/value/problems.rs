//! What is wrong with a payload, a context or a stored record.

use plan_machine_kernel::messages;

use super::At;

/// Everything that is wrong. One broken bound of a payload's own field is kept as it is and put into
/// words when it is read: a denial for a blank text costs no text.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Problems {
    /// Nothing.
    #[default]
    None,
    /// A field of the payload breaks a bound.
    Broken(&'static str, Break),
    /// All of these.
    Told(Vec<String>),
}

/// How a bound is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
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

impl Break {
    /// In words.
    pub(crate) fn message(self, at: &At<'_>) -> String {
        match self {
            Break::Blank => messages::blank(at),
            Break::TooMuch { count, unit, max } => {
                let unit = match unit {
                    Unit::Characters => "characters",
                    Unit::Items => "items",
                    Unit::Bytes => "bytes",
                };
                messages::too_much(at, count, unit, max)
            }
        }
    }
}

impl Problems {
    /// Whether nothing is wrong.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Problems::None)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Problems::None => 0,
            Problems::Broken(..) => 1,
            Problems::Told(messages) => messages.len(),
        }
    }

    /// Another problem, in words.
    #[cold]
    pub fn push(&mut self, message: String) {
        let mut messages = std::mem::take(self).into_messages();
        messages.push(message);
        *self = Problems::Told(messages);
    }

    /// A bound that is broken at a place.
    #[cold]
    pub fn push_break(&mut self, at: &At<'_>, how: Break) {
        match (&self, at) {
            (Problems::None, At::Field(At::Payload, name)) => {
                *self = Problems::Broken(name, how);
            }
            _ => self.push(how.message(at)),
        }
    }

    /// In words.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.clone().into_messages()
    }

    /// In words, for good.
    #[must_use]
    pub fn into_messages(self) -> Vec<String> {
        match self {
            Problems::None => Vec::new(),
            Problems::Broken(name, how) => vec![how.message(&At::Payload.field(name))],
            Problems::Told(messages) => messages,
        }
    }
}
