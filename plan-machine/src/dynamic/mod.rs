//! One trait for all machines: compiled or interpreted, with events and answers in JSON.

pub mod command;
pub(crate) mod compiled;
#[cfg(feature = "interpret")]
pub mod interpret;
pub mod machine;
#[cfg(feature = "interpret")]
pub mod request;
