//! The types of a step, which the interpreter and the runtime share.

use std::borrow::Cow;

use crate::json::{Json, Object};
use crate::time::Instant;

/// The default time is 2026-01-01T00:00:00Z.
pub const START_OF_TIME: Instant = Instant::at_second(1_767_225_600);

/// One event that was sent; `E` identifies an event of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<E> {
    /// What was sent.
    pub what: CallKind<E>,
    /// The payload.
    pub with: Object,
    /// The plan it is for.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<u64>,
    /// The token of what a person was shown.
    pub token: ShownToken,
    /// The batch that it is part of.
    pub batch: Option<BatchStart>,
}

impl<E> Call<E> {
    /// Returns an event with an empty payload, for whichever plan accepts it.
    #[must_use]
    pub fn new(what: CallKind<E>) -> Self {
        Self {
            what,
            with: Object::new(),
            plan_id: None,
            expect_revision: None,
            token: ShownToken::Missing,
            batch: None,
        }
    }

    /// Returns the same call for one plan, or for one revision of it.
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

    /// Sets a payload in which `plan_id` and `token` may appear among the fields of the event.
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

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallKind<E> {
    /// An event of the machine.
    Event(E),
    /// A tool that the machine does not define, by its name.
    HostTool(Cow<'static, str>),
}

/// Which plan an event is for, and what its sender has seen of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The plan.
    pub plan_id: Option<String>,
    /// The revision that the sender has seen.
    pub expect_revision: Option<u64>,
}

impl Address {
    /// Whichever plan accepts the event.
    pub const ANY: Self = Self {
        plan_id: None,
        expect_revision: None,
    };

    /// The plan as its sender has seen it: a later revision refuses the event as stale.
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
    /// None.
    Missing,
    /// The current one, whatever it is: for hosts that have just shown the plan.
    Current,
    /// This one.
    Shown(String),
}

/// The state in which a batch of calls started, by its position in the tables: a call that would not run there does
/// not run later in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchStart(u16);

impl BatchStart {
    /// Returns a batch that started in the state at this position.
    #[must_use]
    pub const fn at(place: u16) -> Self {
        Self(place)
    }

    /// Returns the position of the state in which it started.
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
