//! Events as lines of JSON: the input of `plan-machine run`, and of traces in snapshot tests.
//!
//! `{"do":"approve","token":"current","context":{"user":"ann"},"actor":"ann","at":"2026-01-01T00:00:00Z"}` is a
//! request; [`request`] parses it, and [`resolve`] turns it into a call to a machine.

mod read;
mod resolve;

pub use read::{CallName, Request, RequestBody, RequestPlace, WrittenCall, call_in_batch, request};
pub use resolve::{is_tool_call, resolve};
