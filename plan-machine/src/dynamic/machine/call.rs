//! Events that are sent to a machine.

use std::borrow::Cow;
use std::collections::BTreeSet;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step;
use plan_machine_kernel::time::Instant;

use crate::core::id::Id;

/// An event, by name.
pub type Call = step::Call<Cow<'static, str>>;

/// The name of an event or host tool.
pub type CallKind = step::CallKind<Cow<'static, str>>;

/// The inputs of a step besides the event.
pub struct Env<'a> {
    /// The current time.
    pub now: Instant,
    /// An id that no plan has, for the plan that the step may start.
    pub new_id: Id,
    /// The host's context data.
    pub context: &'a Object,
    /// The tools that the host has, if it lists them: any other tool is unknown.
    pub host_tools: Option<&'a BTreeSet<String>>,
}
