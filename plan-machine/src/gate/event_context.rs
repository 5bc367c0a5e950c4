//! The context of an event.

use std::borrow::Cow;
use std::time::SystemTime;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use plan_machine_kernel::step::START_OF_TIME;

use crate::core::types::MachineTypes;
use crate::core::value::Value as _;

/// The context of one event: the time, the sender, and the host's context data.
#[derive(Clone, Debug, PartialEq)]
pub struct EventContext {
    /// The time of the event.
    pub now: Instant,
    /// The sender, as the host names it. The name is stored in the journal.
    pub actor: Option<String>,
    /// The host's context data, for the `context` of the machines.
    pub context: Object,
    /// The id of a command or signal that may be delivered twice: a session answers the second delivery with the answer
    /// to the first. A model's calls have their own ids.
    pub call_id: Option<String>,
    /// Whether calls may become steps of a plan. Background work does not propose steps: its calls are denied while a
    /// machine records calls to host tools.
    pub records: bool,
}

impl EventContext {
    /// Returns a context with the given time, without an actor.
    #[must_use]
    pub fn at(now: Instant) -> Self {
        Self {
            now,
            actor: None,
            context: Object::new(),
            call_id: None,
            records: true,
        }
    }

    /// Returns a context with the current time of the system clock.
    #[must_use]
    pub fn now() -> Self {
        Self::at(Instant::try_from(SystemTime::now()).unwrap_or(START_OF_TIME))
    }

    /// Sets the actor.
    #[must_use]
    pub fn by(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// Adds a value to the context data.
    #[must_use]
    pub fn with(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Json>) -> Self {
        self.context.insert(key, value);
        self
    }

    /// Sets the context data for one machine, with the type that its spec declares.
    #[must_use]
    pub fn for_machine<L: MachineTypes>(mut self, known: &L::Context) -> Self {
        if let Json::Object(known) = known.encode() {
            for (key, value) in known {
                self.context.insert(key, value);
            }
        }
        self
    }

    /// Marks the context as that of background work, whose calls never become steps of a plan.
    #[must_use]
    pub fn unrecorded(mut self) -> Self {
        self.records = false;
        self
    }

    /// Sets the id of the call, so that a second delivery changes nothing.
    #[must_use]
    pub fn once(mut self, call_id: impl Into<String>) -> Self {
        self.call_id = Some(call_id.into());
        self
    }
}

/// Returns a context with the fixed time at which scenarios and test runs start.
impl Default for EventContext {
    fn default() -> Self {
        Self::at(START_OF_TIME)
    }
}
