//! Events that are sent to a machine.

use std::borrow::Cow;
use std::collections::BTreeSet;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step;
use plan_machine_kernel::time::Instant;

use crate::core::id::Id;

/// A call with an event that is identified by its name.
pub type Call = step::Call<Cow<'static, str>>;

/// The event or host tool of a call, identified by its name.
pub type CallKind = step::CallKind<Cow<'static, str>>;

/// The inputs of a step besides the event.
pub struct Env<'a> {
    /// The current time.
    pub now: Instant,
    /// An id that no plan uses yet, for the plan that the step may start.
    pub new_id: Id,
    /// The host's context data.
    pub context: &'a Object,
    /// The names of the host's tools, if the host lists them. A call to a tool that is neither listed nor named in the
    /// spec is then denied as unknown.
    pub host_tools: Option<&'a BTreeSet<String>>,
}
