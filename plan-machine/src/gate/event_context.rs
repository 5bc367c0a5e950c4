//! What surrounds an event.

use std::borrow::Cow;
use std::time::SystemTime;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use plan_machine_kernel::step::START_OF_TIME;

use crate::core::types::MachineTypes;
use crate::core::value::Value as _;

/// What surrounds one event: the time, who sends it, and what the host knows.
#[derive(Clone, Debug, PartialEq)]
pub struct EventContext {
    /// The time.
    pub now: Instant,
    /// Who sends it, as the host names people and programs; the journal keeps it.
    pub actor: Option<String>,
    /// What the host knows: the `context` of the machines.
    pub context: Object,
    /// The identity of a command or a signal, where it may be delivered twice: a session answers the
    /// second as it answered the first. Calls of a model carry their own.
    pub call_id: Option<String>,
    /// Whether calls may become steps of a plan. What works beside the conversation proposes none: its calls are denied
    /// while a machine records calls instead of running them.
    pub records: bool,
}

impl EventContext {
    /// At a time, without an actor.
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

    /// At this moment, by the clock of the system.
    #[must_use]
    pub fn now() -> Self {
        Self::at(Instant::try_from(SystemTime::now()).unwrap_or(START_OF_TIME))
    }

    /// Sent by this actor.
    #[must_use]
    pub fn by(mut self, actor: impl Into<String>) -> Self {
        self.actor = Some(actor.into());
        self
    }

    /// With something that the host knows.
    #[must_use]
    pub fn with(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Json>) -> Self {
        self.context.insert(key, value);
        self
    }

    /// With what the host knows for one machine, typed as its spec declares it.
    #[must_use]
    pub fn for_machine<L: MachineTypes>(mut self, known: &L::Context) -> Self {
        if let Json::Object(known) = known.encode() {
            for (key, value) in known {
                self.context.insert(key, value);
            }
        }
        self
    }

    /// From work beside the conversation: none of its calls becomes a step of a plan.
    #[must_use]
    pub fn unrecorded(mut self) -> Self {
        self.records = false;
        self
    }

    /// Under an identity of its own, so that a second delivery does nothing.
    #[must_use]
    pub fn once(mut self, call_id: impl Into<String>) -> Self {
        self.call_id = Some(call_id.into());
        self
    }
}

/// The time at which scenarios and runs begin: the same each time, for tests.
impl Default for EventContext {
    fn default() -> Self {
        Self::at(START_OF_TIME)
    }
}
