//! Requests to a gate in memory, as lines of `plan-machine run` contain them. The command and the traces of snapshot
//! tests read the same lines, so both send them with this module.

mod run;
mod stated;

pub use run::{GateAnswer, GateRun};
