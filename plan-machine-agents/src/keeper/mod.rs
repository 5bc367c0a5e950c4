//! Decides about events: which session an event belongs to, whether a call may run, and what a person's prompt does.

mod call;
mod card;
mod command;
mod context;
mod decision;
mod delivery;
mod done;
mod error;
mod handle;
mod names;
mod open;
mod own;
mod person;
mod prompt;
mod reviewed;
mod start;
mod terminals;
mod typed;

pub use card::{PlanCard, unreported};
pub use decision::PlanDecision;
pub use delivery::{Deliveries, Delivery};
pub use error::GateError;
pub use handle::{HANDLE, HandleKey, SessionHandle};
pub(crate) use names::actor;
pub use names::{identity, person};
pub use open::{HookReply, Keeper};
pub use own::{OwnAnswer, OwnSchema, STATUS, WAIT};
pub use person::{PersonAnswer, SessionView};
pub use prompt::Prompt;
