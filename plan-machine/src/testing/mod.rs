//! Tools for snapshot tests: they format a machine, a run of it or a run of a whole gate as text, and send random events
//! to generated code and the interpreter side by side.
//!
//! ```
//! use plan_machine::testing;
//!
//! plan_machine::machine! {
//!     machine Note;
//!     command begin = "/note";
//!     command end = "/done";
//!     state none { on begin => OPEN; }
//!     state OPEN { on end => CLOSED next none; }
//!     final state CLOSED;
//! }
//!
//! // With insta, one line each: `insta::assert_snapshot!(testing::describe(&note::Machine));`
//! let run = testing::trace(&note::Machine, &["/note", "/note", "/done"]);
//! assert!(run.contains("denied: not_allowed"));
//! ```

mod agree;
mod damage;
mod describe;
mod gate;
mod random;
mod short;
mod tell;
mod trace;
mod waits;

pub use agree::{Coverage, agree, agree_with};
pub use describe::describe;
pub use gate::trace_gate;
pub use trace::trace;
