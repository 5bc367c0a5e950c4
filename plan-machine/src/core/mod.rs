//! The parts of a step of one compiled machine. Generated code calls them; they do not depend on the modules `dynamic`
//! and `gate`, or on sessions.
//!
//! Each file imports only files that come before it in this order: values, tables, reasons for denials and calls to host
//! tools, then the [types](types) of a machine, then records and plans, then the [step](step) itself.

pub(crate) mod accepted;
mod catch_up;
pub(crate) mod cx;
pub(crate) mod denied;
pub mod description;
#[cfg(feature = "serde")]
pub(crate) mod event_json;
pub(crate) mod held;
pub(crate) mod host_tool;
pub(crate) mod id;
pub(crate) mod lifecycle;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod reply;
pub(crate) mod seal;
pub(crate) mod step;
pub(crate) mod steps;
mod timers;
pub(crate) mod types;
pub mod value;
