//! Functions for generated code only. They are not part of the public interface.

mod digests;
mod expressions;
mod generated;
mod proofs;
mod through;
mod values;

pub use generated::{is_same_text, is_version, spec_digest};
pub use plan_machine_kernel::digest::{Digester, Token};
pub use plan_machine_kernel::json::{Json, Object};
#[cfg(feature = "markdown")]
pub use plan_machine_kernel::markdown::{is_complete, section, with_section};
pub use plan_machine_kernel::messages;
pub use plan_machine_kernel::time::Instant;
pub use plan_machine_kernel::timers::{Period, Timer};
#[cfg(feature = "serde")]
pub use serde;

pub use crate::core::accepted::{AcceptedStep, Address};
pub use crate::core::cx::{Cx, ListedPlan};
pub use crate::core::denied::{DenialReason, DeniedMove, DeniedStep, Fault};
pub use crate::core::description::{
    Argument, Description, Effect, Event, EventKind, Handling, Instances, Next, State, TextPart,
    Transition, Unavailable, Wording,
};
#[cfg(feature = "serde")]
pub use crate::core::event_json::{deserialize_event, serialize_event};
pub use crate::core::held::{PlanHolder, Plans, Slot};
pub use crate::core::host_tool::HostTool;
pub use crate::core::id::Id;
pub use crate::core::lifecycle::Lifecycle;
pub use crate::core::plan::{AnyPlan, ReleasedPlan, StateMarker, Succession};
pub use crate::core::record::Record;
pub use crate::core::reply::PendingReply;
pub use crate::core::seal::Runtime;
pub use crate::core::step::step_to;
pub use crate::core::steps::{FloorTime, SlotChange, StepEnd, Steps};
pub use crate::core::types::{HoldsTimers, MachineTypes};
pub use crate::core::value::{
    Bounds, Problems, Value, ValuePath, known, object, optional, or_else, required,
};
#[cfg(feature = "serde")]
pub use crate::core::value::{deserialize, serialize};
pub use crate::scenario::scenario;
pub use crate::{event_through_json, through_json};

pub use digests::{Members, digest_list, digest_text};
pub use expressions::{
    add, count, holds, in_bounds, item_at, length, position, require, room, stored_json,
    stored_text, subtract,
};
pub use proofs::{certain, created, denied, impossible, proved};
pub use values::{
    encode_all, encode_optional, instant, json, listed, named, no_effect, tag, tagged,
};

/// Drops a call to a host tool.
#[inline(never)]
pub fn discard_host_tool(_: Box<HostTool>) {}

/// Returns the index of the event whose entries apply to a call to a host tool.
#[must_use]
pub fn host_tool_index(machine: &Description, call: &HostTool) -> u16 {
    crate::core::host_tool::entry(machine, call.decided_by())
}
