//! A machine as seen by sessions, stores and the gate: compiled or interpreted, with events and answers in JSON.

mod any;
mod call;
mod check;
mod outcome;
mod plans;
#[cfg(feature = "serde")]
mod serial;
mod timer_call;
mod timers;
mod typed;
mod unknown;

pub use any::Machine;
pub use call::{Call, CallKind, Env};
pub use outcome::{Acceptance, Denial, EffectView, Outcome};
pub use plan_machine_kernel::step::{BatchStart, ShownToken};
pub use plans::{PlanView, RestoreError, StoredPlans};
#[cfg(feature = "serde")]
pub use serial::view;
pub(crate) use timer_call::TimerCall;
pub use timers::{PlanTimer, PlanTimers};
pub use typed::call_of;
pub use unknown::UnknownEvent;
