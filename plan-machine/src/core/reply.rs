//! The reply to the sender of an event.

use std::borrow::Cow;
use std::fmt;

use plan_machine_kernel::json::Json;

use crate::core::id::Id;
use crate::core::record::Record;
use crate::core::types::MachineTypes;
use crate::core::value::Value;

/// The reply to the sender of an event. Strings of the plan are borrowed, not copied.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply<'h> {
    /// The name of the state, if the spec defines no other reply.
    State(&'static str),
    /// A string.
    Text(Cow<'h, str>),
    /// An identity.
    Id(Id),
    /// Any other value; boxed, so that moving a reply moves only three words.
    Json(Box<Json>),
}

impl Reply<'_> {
    /// Returns the reply with owned strings.
    pub(crate) fn into_owned(self) -> Reply<'static> {
        match self {
            Reply::State(name) => Reply::State(name),
            Reply::Text(text) => Reply::Text(Cow::Owned(text.into_owned())),
            Reply::Id(id) => Reply::Id(id),
            Reply::Json(json) => Reply::Json(json),
        }
    }

    /// Returns the same reply with a borrowed string.
    pub(crate) fn borrowed(&self) -> Reply<'_> {
        match self {
            Reply::State(name) => Reply::State(name),
            Reply::Text(text) => Reply::Text(Cow::Borrowed(text)),
            Reply::Id(id) => Reply::Id(id.clone()),
            Reply::Json(json) => Reply::Json(json.clone()),
        }
    }

    /// Returns the reply as JSON.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Reply::State(name) => Json::from(*name),
            Reply::Text(text) => Json::from(&**text),
            Reply::Id(id) => Json::from(id.as_str()),
            Reply::Json(json) => Json::clone(json),
        }
    }
}

/// Formats a string as it is, and any other value as JSON.
impl fmt::Display for Reply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::State(name) => f.write_str(name),
            Reply::Text(text) => f.write_str(text),
            Reply::Id(id) => id.fmt(f),
            Reply::Json(json) => json.fmt(f),
        }
    }
}

/// A reply that is not built yet, because the record that it refers to may still change.
#[doc(hidden)]
#[derive(Debug)]
pub enum PendingReply<L: MachineTypes> {
    /// The name of the state.
    State,
    /// A string that the record contains.
    Lent(fn(&Record<L>) -> Option<&str>),
    /// A value that is already built.
    Made(Reply<'static>),
    /// The alternative whose reply applies, for a command that goes to every record: the reply is built once all
    /// records have accepted the command.
    Late(u16),
}

impl<L: MachineTypes> PendingReply<L> {
    /// Returns a reply with a string that was built.
    #[must_use]
    pub fn text(text: String) -> Self {
        Self::Made(Reply::Text(Cow::Owned(text)))
    }

    /// Returns a reply with an identity.
    #[must_use]
    pub fn id(id: Id) -> Self {
        Self::Made(Reply::Id(id))
    }

    /// Returns a reply with any other value.
    #[must_use]
    pub fn value(value: &impl Value) -> Self {
        Self::json(value.encode())
    }

    /// Returns a reply with JSON that was built.
    #[must_use]
    pub fn json(json: Json) -> Self {
        Self::Made(Reply::Json(Box::new(json)))
    }

    #[inline]
    pub(crate) fn of(self, record: &Record<L>) -> Reply<'_> {
        match self {
            PendingReply::Lent(text) => {
                Reply::Text(Cow::Borrowed(text(record).unwrap_or_default()))
            }
            PendingReply::Made(reply) => reply,
            PendingReply::State | PendingReply::Late(_) => {
                Reply::State(L::state_name(record.state))
            }
        }
    }

    /// Returns the reply of a step after which there is no record to borrow from.
    pub(crate) fn of_gone(self, record: &Record<L>) -> Reply<'static> {
        match self {
            PendingReply::Lent(text) => {
                Reply::Text(text(record).unwrap_or_default().to_owned().into())
            }
            PendingReply::Made(reply) => reply,
            PendingReply::State | PendingReply::Late(_) => {
                Reply::State(L::state_name(record.state))
            }
        }
    }

    /// Returns the reply of a step without a record.
    pub(crate) fn of_nothing(self) -> Reply<'static> {
        match self {
            PendingReply::Made(reply) => reply,
            _ => Reply::State("none"),
        }
    }
}
