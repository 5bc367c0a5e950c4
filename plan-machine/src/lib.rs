//! Typed state machines for the life of an AI agent's plan, compiled from specs.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod accepted;
pub mod command;
mod compiled;
mod cx;
mod denied;
pub mod description;
mod held;
mod host_tool;
mod id;
#[cfg(feature = "interpret")]
pub mod interpret;
mod lifecycle;
pub mod machine;
mod plan;
mod record;
mod reply;
mod scenario;
pub mod scope;
#[cfg(feature = "interpret")]
pub mod testing;
pub mod value;

pub use accepted::{Accepted, Address, Touched};
pub use compiled::Session;
pub use cx::{Cx, Emitted, Listed};
pub use denied::{Denied, Refused};
pub use description::Description;
pub use held::{Hold, Plans, Slot, step_to};
pub use host_tool::HostTool;
pub use id::Id;
pub use lifecycle::Lifecycle;
pub use machine::Machine;
pub use plan::{AnyPlan, InState, Released, Succession};
pub use plan_machine_kernel::denial::DenialKind;
pub use plan_machine_kernel::digest::Token;
pub use plan_machine_kernel::json::{Json, Object};
pub use plan_machine_kernel::time::Instant;
pub use plan_machine_macros::{machine, scopes};
pub use record::Record;
pub use reply::Reply;
