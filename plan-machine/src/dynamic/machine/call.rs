//! Events that are sent to a machine.

use std::borrow::Cow;
use std::collections::BTreeSet;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step;
use plan_machine_kernel::time::Instant;

use crate::core::id::Id;

/// One event, by its name.
pub type Call = step::Call<Cow<'static, str>>;

/// The name of what was sent.
pub type CallKind = step::CallKind<Cow<'static, str>>;

/// The inputs of a step besides the event.
pub struct Env<'a> {
    /// The time.
    pub now: Instant,
    /// An id that no plan has, for the plan that the step may start.
    pub new_id: Id,
    /// What the host knows.
    pub context: &'a Object,
    /// The tools that the host has, if it lists them: any other is unknown.
    pub host_tools: Option<&'a BTreeSet<String>>,
}
