//! The gate, which decides on every tool call by a model and on every command from a user.
//!
//! The machines of a session are combined once, and all conflicts are reported then. From then on, the same table
//! determines both which tools the model is shown and which ones it may use, so the two cannot drift apart.
//!
//! ```
//! use plan_machine::gate::{Decision, Gate, EventContext, ToolCall};
//! use plan_machine::Object;
//!
//! plan_machine::machine! {
//!     machine Note;
//!     command begin = "/note";
//!     command end = "/done";
//!     state none { other_tools deny; on begin => OPEN; }
//!     state OPEN { on end => CLOSED next none; }
//!     final state CLOSED;
//! }
//!
//! let mut gate = Gate::builder().with(note::Machine).host_tool("shell", "Runs a command.", Object::new()).open()?;
//! let around = EventContext::default();
//! let call = [ToolCall::new("shell", Object::new())];
//! assert!(matches!(gate.decide(&call, &around)[0], Decision::Denied(_)));
//! gate.command("/note", &around)?;
//! let Decision::Run(allowed) = gate.decide(&call, &around).remove(0) else {
//!     return Err("the call should be allowed".into());
//! };
//! // Before the host runs a call, it confirms that the gate is still open.
//! let confirmed = gate.confirm(allowed).map_err(|denial| denial.to_string())?;
//! assert_eq!(confirmed.tool(), "shell");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advertise;
mod begin_turn;
mod builder;
mod called_tool;
mod catch_up;
mod classes;
mod command;
mod confirm;
mod conflicts;
mod damaged;
mod damaged_plan;
mod decide;
mod decision;
mod denial;
mod early;
mod event_context;
mod floor;
mod gate_event;
mod held_back;
mod host_call;
#[doc(hidden)]
pub mod limits;
mod look_alike;
mod machine_set;
mod owner;
mod parts;
mod recorded;
#[cfg(feature = "interpret")]
#[doc(hidden)]
pub mod requests;
mod running_machine;
mod send;
mod state;
mod step;
mod tool_call;
mod turn;
mod typed;

pub use advertise::Shape;
pub use builder::GateBuilder;
pub use command::{CommandAnswer, UnknownCommand};
pub use confirm::{AllowedCall, ConfirmedCall, CountedCall, DecisionPoint};
pub use conflicts::Conflict;
pub use damaged_plan::DamagedPlan;
pub use decide::Batch;
pub use decision::{Decision, EarlierDecision};
pub use event_context::EventContext;
pub use floor::{Floor, OpenTools};
pub use gate_event::{GateEvent, Step};
pub use limits::{InvalidInput, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, MAX_NAME_BYTES};
pub use machine_set::MachineSet;
pub use owner::Owner;
pub use parts::HostToolInfo;
pub use plan_machine_kernel::calls::Classify;
pub use plan_machine_kernel::session::{CommandPrefix, PrefixError};
pub use recorded::StartedCall;
pub use running_machine::RunningMachine;
pub use send::UnknownName;
pub use state::Gate;
pub use tool_call::ToolCall;
pub use turn::{Turn, TurnId};
