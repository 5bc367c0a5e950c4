//! The meaning of the language: what a step does with concrete values.
//!
//! This is the reference interpreter. A step is a pure function of the held records, the event and
//! the environment; a denied step changes nothing.

mod allowance;
mod batch;
mod bounds;
mod change;
mod command;
mod commit;
mod convert;
mod effects;
mod eval;
mod event;
mod fire;
mod floor;
mod outcome;
mod record;
mod review;
mod route;
mod sandbox;
mod step;
mod timers;
mod transition;
mod wording;

pub(crate) use allowance::Allowance;
pub use batch::batch_start;
pub use bounds::fits;
pub use command::call_of_line;
#[cfg(feature = "sessions")]
pub(crate) use command::call_with_plans;
pub use convert::{data_json, read_data, to_json};
pub use eval::{holds, holds_for, satisfying, value_for};
pub use event::{Call, CallKind, Env, STEP_BUDGET};
pub use floor::could_run;
pub use outcome::{Acceptance, Denial, EmittedEffect, Outcome};
pub use plan_machine_kernel::step::{BatchStart, START_OF_TIME, ShownToken};
pub use record::{Configuration, HeldRecords, Record};
pub use review::token;
pub use sandbox::{EventContext, Sandbox};
#[cfg(feature = "sessions")]
pub(crate) use sandbox::{not_next, only_next};
pub use step::step;
pub use timers::{lacks_timers, start_timers};
#[cfg(feature = "sessions")]
pub(crate) use wording::UnavailableText;
