//! Session documents: they combine several machines, and have invariants and scenarios that concern
//! several of them.
//!
//! The passes of a session document: `read` (as written) → `load` (the machines and the calls document) → `resolve`
//! (names to ids) → `rules` → `prove` → `scenarios` → [`emit`]. Problems are collected and reported together, as for
//! machines. Problems of a machine are reported with its own file.
//!
//! ```
//! use plan_machine_compiler::session::{Files, compile_session};
//! use plan_machine_compiler::source::SourceMap;
//!
//! let text = "
//! session: Coding
//! machines: { work: 'plan-specs:plan_mode', notes: 'plan-specs:planning_files' }
//! invariants:
//!   notes_stay_here_while_planning: never (work.planning and runs notes.export_plan)
//! ";
//! let mut sources = SourceMap::default();
//! let file = sources.add("coding.yaml", text);
//! let compilation = compile_session(&mut sources, file, &mut Files::new("."));
//! assert!(compilation.is_ok(), "{:?}", compilation.diagnostics);
//! ```

mod ast;
mod called;
mod compile;
mod counted;
#[cfg(feature = "tools")]
mod diff;
pub mod emit;
mod floor;
mod limits;
mod load;
mod model;
#[cfg(feature = "tools")]
mod mutants;
mod prove;
mod read;
mod resolve;
mod rules;
mod running;
mod sandbox;
mod scenarios;
#[cfg(feature = "tools")]
mod schema;
mod shipped;
mod steps;
#[cfg(feature = "tools")]
mod tools;
mod turns;
mod waits;
mod ways;

#[cfg(feature = "tools")]
use crate::syntax::yaml::schema::{parts, scalars, scenarios as scenario_schemas};
use crate::syntax::yaml::{reader, scenarios as yaml_scenarios, tree};

pub use compile::{
    SessionCompilation, SessionReport, compile_session, compile_session_with, read_compiled_session,
};
#[cfg(feature = "tools")]
pub use diff::diff_sessions;
pub use load::{Files, LoadedText, Loader};
pub use model::{Member, Origin, Session, SessionCalls};
pub use running::without_proofs;
pub use sandbox::{SessionAnswer, SessionBatch, SessionSandbox};
#[cfg(feature = "tools")]
pub use schema::json_schema;
pub use shipped::{shipped, shipped_calls};
