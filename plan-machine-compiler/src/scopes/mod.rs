//! Scopes documents, which declare which parts of an agent's memory a run may read and write.
//!
//! The passes of a scopes document: `read` (as written) → `resolve` (names to ids) → `rules` →
//! [`emit`]. Problems are collected and reported together, as for machines.
//!
//! ```
//! use plan_machine_compiler::{compile_scopes, source::SourceMap};
//!
//! let text = "
//! scopes: Memory
//! identity: { chat: string }
//! levels:
//!   global: { key: global, write: promoted }
//!   task: { key: 'task:{chat}:{task}' }
//! runs:
//!   TASK_RUN: { ids: [task], reads: [task, global], writes: { notes: task } }
//! ";
//! let mut sources = SourceMap::default();
//! let file = sources.add("memory.yaml", text);
//! let scopes = compile_scopes(&sources, file).scopes.expect("scopes without errors");
//! assert_eq!(scopes.levels[1].name, "task");
//! ```

mod ast;
mod compile;
pub mod emit;
mod limits;
mod model;
mod names;
mod read;
mod resolve;
mod rules;
#[cfg(feature = "tools")]
mod schema;

#[cfg(feature = "tools")]
use crate::syntax::yaml::schema::{parts, scalars};
use crate::syntax::yaml::{reader, shorten, tree};

pub use compile::{DocumentKind, ScopesCompilation, compile_scopes, document_kind};
pub use model::{
    Invariant, Level, LevelId, Part, PartId, Run, RunId, RunPart, RunPartId, Scopes, Segment, Verb,
    Write,
};
#[cfg(feature = "tools")]
pub use schema::json_schema;
