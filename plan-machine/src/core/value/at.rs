//! The path to a value, formatted only if there is a problem to report.

use std::fmt;

/// The path to a value, such as `points[2].text`.
#[derive(Clone, Copy, Debug)]
pub enum ValuePath<'a> {
    /// The payload itself.
    Payload,
    /// The host's context data.
    Context,
    /// A field with a name from the spec.
    Field(&'a ValuePath<'a>, &'static str),
    /// A member with a name from the input.
    Member(&'a ValuePath<'a>, &'a str),
    /// An item of a list.
    Item(&'a ValuePath<'a>, usize),
}

impl<'a> ValuePath<'a> {
    /// Returns the path to a field of this value.
    #[must_use]
    pub fn field(&'a self, name: &'static str) -> Self {
        Self::Field(self, name)
    }

    /// Returns the path to a member of this value, with a name from the input.
    #[must_use]
    pub fn member(&'a self, name: &'a str) -> Self {
        Self::Member(self, name)
    }

    /// Returns the path to an item of this value.
    #[must_use]
    pub fn item(&'a self, index: usize) -> Self {
        Self::Item(self, index)
    }

    /// Returns the prefix for the names of fields in this value.
    pub(super) fn prefix(&self) -> String {
        match self {
            ValuePath::Payload => String::new(),
            _ => format!("{self}."),
        }
    }
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValuePath::Payload => Ok(()),
            ValuePath::Context => f.write_str("context"),
            ValuePath::Field(ValuePath::Payload, name)
            | ValuePath::Member(ValuePath::Payload, name) => f.write_str(name),
            ValuePath::Field(outer, name) | ValuePath::Member(outer, name) => {
                write!(f, "{outer}.{name}")
            }
            ValuePath::Item(outer, index) => write!(f, "{outer}[{index}]"),
        }
    }
}
