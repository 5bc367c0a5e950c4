//! The context of an event.

use std::borrow::Cow;
use std::time::SystemTime;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use plan_machine_kernel::step::START_OF_TIME;

use crate::core::types::MachineTypes;
use crate::core::value::Value as _;

/// The context of one event: the time, who sends it, and what the host knows.
#[derive(Clone, Debug, PartialEq)]
pub struct EventContext {
    /// The time.
    pub now: Instant,
    /// Who sends it, in the host's own naming; the journal stores it.
    pub actor: Option<String>,
    /// What the host knows: the `context` of the machines.
    pub context: Object,
    /// The id of a command or a signal that may be delivered twice: a session answers the second delivery like the
    /// first. Calls of a model carry their own.
    pub call_id: Option<String>,
    /// Whether calls may become steps of a plan. Background work proposes none: its calls are denied while a machine
    /// records calls instead of running them.
    pub records: bool,
}

impl EventContext {
    /// Creates a context at a time, without an actor.
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

    /// Creates a context at the current time, by the system clock.
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

    /// Adds something that the host knows.
    #[must_use]
    pub fn with(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Json>) -> Self {
        self.context.insert(key, value);
        self
    }

    /// Sets what the host knows for one machine, typed as its spec declares it.
    #[must_use]
    pub fn for_machine<L: MachineTypes>(mut self, known: &L::Context) -> Self {
        if let Json::Object(known) = known.encode() {
            for (key, value) in known {
                self.context.insert(key, value);
            }
        }
        self
    }

    /// Marks background work: none of its calls becomes a step of a plan.
    #[must_use]
    pub fn unrecorded(mut self) -> Self {
        self.records = false;
        self
    }

    /// Sets an id, so that a second delivery does nothing.
    #[must_use]
    pub fn once(mut self, call_id: impl Into<String>) -> Self {
        self.call_id = Some(call_id.into());
        self
    }
}

/// The time at which scenarios and runs start: always the same, for tests.
impl Default for EventContext {
    fn default() -> Self {
        Self::at(START_OF_TIME)
    }
}
