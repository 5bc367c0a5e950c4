//! What goes into a step.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

use crate::model::EventId;

/// One event that was sent.
#[derive(Clone, Debug)]
pub struct Call {
    /// What was sent.
    pub what: What,
    /// The payload.
    pub with: Object,
    /// Which record it is for.
    pub plan_id: Option<String>,
    /// Which revision the sender has seen.
    pub expect_revision: Option<u64>,
    /// The token of what a person was shown.
    pub token: Token,
}

impl Call {
    /// An event with an empty payload, for whichever record takes it.
    #[must_use]
    pub fn new(what: What) -> Self {
        Self {
            what,
            with: Object::new(),
            plan_id: None,
            expect_revision: None,
            token: Token::Missing,
        }
    }
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An event of the machine.
    Event(EventId),
    /// A tool that the machine does not define, by its name.
    HostTool(String),
}

/// The token that came with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// None.
    Missing,
    /// The current one, whatever it is: for hosts that have just shown the plan.
    Current,
    /// This one.
    Shown(String),
}

/// What a step needs to know beside the event: time, ids and what the host knows are inputs.
pub struct Env<'a> {
    /// The time.
    pub now: Instant,
    /// Makes an id that no record has.
    pub new_id: &'a mut dyn FnMut() -> Arc<str>,
    /// The context.
    pub context: &'a Object,
    /// The tools that the host has, where it says so.
    pub host_tools: Option<&'a BTreeSet<String>>,
    /// How many bytes the step may put together; [`ROOM`] where nothing else is said.
    pub room: Cell<usize>,
}

/// How many bytes one step may put together.
pub const ROOM: usize = 256 << 20;
