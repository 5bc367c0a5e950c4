//! The types of a step, shared by the interpreter and the runtime.

use std::borrow::Cow;

use crate::json::{Json, Object};
use crate::time::Instant;

/// The default for the current time: 2026-01-01T00:00:00Z.
pub const START_OF_TIME: Instant = Instant::at_second(1_767_225_600);

/// The field of the context that contains the sender of a command, if the spec reads `event.actor`. A session fills in
/// this field; a host cannot.
pub const ACTOR_FIELD: &str = "event_actor";

/// An event that was sent; `E` identifies an event of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<E> {
    /// The event or host tool.
    pub what: CallKind<E>,
    /// The class that determines what the machine decides about a call to a host tool; `None` if the name of the tool
    /// determines it.
    pub class: Option<Cow<'static, str>>,
    /// The payload.
    pub with: Object,
    /// The plan that the event is addressed to.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<u64>,
    /// The token that came with the event.
    pub token: ShownToken,
    /// The batch that the call is part of, if any.
    pub batch: Option<BatchStart>,
}

impl<E> Call<E> {
    /// Returns a call that has an empty payload and is not addressed to a particular plan.
    #[must_use]
    pub fn new(what: CallKind<E>) -> Self {
        Self {
            what,
            class: None,
            with: Object::new(),
            plan_id: None,
            expect_revision: None,
            token: ShownToken::Missing,
            batch: None,
        }
    }

    /// Addresses the call to one plan, or to one revision of a plan.
    #[must_use]
    pub fn to(mut self, address: impl Into<Address>) -> Self {
        let Address {
            plan_id,
            expect_revision,
        } = address.into();
        self.plan_id = plan_id;
        self.expect_revision = expect_revision;
        self
    }

    /// Adds a payload, in which `plan_id` and `token` may appear alongside the fields of the event.
    pub fn take_payload(&mut self, with: &Object) {
        for (key, value) in with.iter() {
            match (key, value) {
                ("plan_id", Json::Text(id)) => self.plan_id = Some(id.clone()),
                ("token", Json::Text(token)) if token == "current" => {
                    self.token = ShownToken::Current;
                }
                ("token", Json::Text(token)) => self.token = ShownToken::Shown(token.clone()),
                _ => {
                    self.with.insert(key.to_owned(), value.clone());
                }
            }
        }
    }
}

/// The kind of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallKind<E> {
    /// An event of the machine.
    Event(E),
    /// A tool that the machine does not define, by name.
    HostTool(Cow<'static, str>),
}

/// The plan that an event is addressed to, and the revision of the plan that the sender has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The plan.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<u64>,
}

impl Address {
    /// No particular plan: the event goes to whichever plan accepts it.
    pub const ANY: Self = Self {
        plan_id: None,
        expect_revision: None,
    };

    /// Addresses the plan at the revision that the sender has seen: if the plan has another revision, the event is
    /// denied as stale.
    #[must_use]
    pub fn at_revision(mut self, revision: u64) -> Self {
        self.expect_revision = Some(revision);
        self
    }
}

impl From<&str> for Address {
    fn from(plan_id: &str) -> Self {
        Self {
            plan_id: Some(plan_id.to_owned()),
            expect_revision: None,
        }
    }
}

impl From<&String> for Address {
    fn from(plan_id: &String) -> Self {
        Self::from(plan_id.as_str())
    }
}

/// The token that came with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownToken {
    /// No token.
    Missing,
    /// The current token, whatever it is; for hosts that have just shown the plan.
    Current,
    /// This token, which a person was shown.
    Shown(String),
}

/// The state in which a batch of calls started, by its index in the tables. A call that cannot run in that state cannot
/// run later in the batch either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchStart(u16);

impl BatchStart {
    /// Returns the start of a batch in the state with this index.
    #[must_use]
    pub const fn at(place: u16) -> Self {
        Self(place)
    }

    /// Returns the index of the state in which the batch started.
    #[must_use]
    pub const fn place(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_starts_with_the_year_2026() {
        assert_eq!(START_OF_TIME.to_string(), "2026-01-01T00:00:00Z");
    }
}
