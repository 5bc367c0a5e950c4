//! The input of a step.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step;
use plan_machine_kernel::time::Instant;

use crate::model::EventId;

/// One event that was sent, by its position in the spec.
pub type Call = step::Call<EventId>;

/// What was sent, by its position in the spec.
pub type CallKind = step::CallKind<EventId>;

/// The inputs of a step besides the event: time, ids and what the host knows.
pub struct Env<'a> {
    /// The time.
    pub now: Instant,
    /// Creates an id that no record has.
    pub new_id: &'a mut dyn FnMut() -> Arc<str>,
    /// The context.
    pub context: &'a Object,
    /// The tools that the host has, if it lists them.
    pub host_tools: Option<&'a BTreeSet<String>>,
    /// How many bytes the step may build; [`ROOM`] by default.
    pub room: Cell<usize>,
}

/// How many bytes one step may build.
pub const ROOM: usize = 256 << 20;
