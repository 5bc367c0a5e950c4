//! What generated code needs and nobody else: not part of the interface.

mod digests;
mod expressions;
mod proofs;
mod through;
mod values;

pub use plan_machine_kernel::digest::{Digester, Token};
pub use plan_machine_kernel::json::{Json, Object};
pub use plan_machine_kernel::markdown::{is_complete, section, with_section};
pub use plan_machine_kernel::messages;
pub use plan_machine_kernel::time::Instant;
pub use serde;

pub use crate::accepted::{Accepted, Address};
pub use crate::cx::{Cx, Listed};
pub use crate::denied::{Denied, Fault, Refusal, Refused};
pub use crate::description::{
    Argument, Description, Effect, Event, EventKind, Handling, Instances, Next, State, Transition,
};
pub use crate::held::{Hold, Plans, Slot, step_to};
pub use crate::host_tool::HostTool;
pub use crate::id::Id;
pub use crate::lifecycle::{After, Lifecycle, Move};
pub use crate::plan::{AnyPlan, InState, Released, Succession};
pub use crate::record::Record;
pub use crate::reply::Answer;
pub use crate::scenario::scenario;
pub use crate::seal::Runtime;
pub use crate::value::{
    At, Bounds, Problems, Value, deserialize, known, optional, or_else, required, serialize,
};
pub use crate::value::{deserialize_event, serialize_event};
pub use crate::{event_through_json, through_json};

pub use digests::{Members, digest_list, digest_text};
pub use expressions::{
    add, count, holds, in_bounds, item_at, length, position, require, room, stored_json,
    stored_text, subtract,
};
pub use proofs::{certain, created, denied, impossible, proved};
pub use values::{
    encode_all, encode_optional, instant, json, listed, named, no_effect, object, tag, tagged,
};

/// The place of a host's tool in the tables, by its name.
#[must_use]
pub fn host_tool_index(machine: &Description, call: &HostTool) -> u16 {
    crate::host_tool::entry(machine, &call.tool)
}
