//! What goes into a step.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step;
use plan_machine_kernel::time::Instant;

use crate::model::EventId;

/// One event that was sent, by its place in the spec.
pub type Call = step::Call<EventId>;

/// What was sent, by its place in the spec.
pub type CallKind = step::CallKind<EventId>;

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
