//! Events as lines of JSON: what `plan-machine run` reads, and what a trace of the snapshot kit may hold.
//!
//! `{"do":"approve","token":"current","context":{"user":"ann"},"actor":"ann","at":"2026-01-01T00:00:00Z"}` is a
//! request; [`request`] reads it, and [`resolve`] makes it a call of a machine.

mod read;
mod resolve;
mod suggestion;

pub use read::{CallName, Request, RequestBody, RequestPlace, WrittenCall, call_in_batch, request};
pub use resolve::{is_tool_call, resolve};
