//! Events as lines of JSON: what `plan-machine run` reads, and what a trace of the snapshot kit may hold.
//!
//! `{"do":"approve","token":"current","context":{"user":"ann"},"actor":"ann","at":"2026-01-01T00:00:00Z"}` is a
//! request; [`request`] reads it, and [`resolve`] makes it a call of a machine.

mod read;
mod resolve;

use plan_machine_kernel::suggest::nearest;

pub use read::{Asked, Name, Place, Request, Written, call_in_batch, request};
pub use resolve::{is_tool_call, resolve};

/// `; did you mean …?` where a candidate is near, else nothing.
fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}
