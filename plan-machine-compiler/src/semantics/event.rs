//! The input of a step.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Late;

use crate::model::EventId;

/// An event that was sent, given by its index in the spec.
pub type Call = step::Call<EventId>;

/// The content of a call; an event is given by its index in the spec.
pub type CallKind = step::CallKind<EventId>;

/// The inputs of a step besides the event: the time, new ids and the host's context.
pub struct Env<'a> {
    /// The current time.
    pub now: Instant,
    /// Creates an id that no other record has.
    pub new_id: &'a mut dyn FnMut() -> Arc<str>,
    /// Determines when the timers of the step start, if the step belongs to a timer that fires late.
    pub late: Option<Late>,
    /// The context that the host supplies.
    pub context: &'a Object,
    /// The names of the host tools, if the host lists them.
    pub host_tools: Option<&'a BTreeSet<String>>,
    /// The number of bytes that the step may still build; by default, this number starts at [`STEP_BUDGET`].
    pub budget: Cell<usize>,
    /// The number of parts of expressions that the step may still evaluate. Only scenarios limit this number, because
    /// they send many steps; elsewhere, the number starts at `usize::MAX`.
    pub evaluations: Cell<usize>,
}

/// The maximum number of bytes that one step may build.
pub const STEP_BUDGET: usize = 256 << 20;
