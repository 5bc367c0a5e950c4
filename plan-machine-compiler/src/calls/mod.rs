//! Calls documents, which map tool calls to classes.
//!
//! A calls document goes through three passes: `read` builds the syntax tree, `resolve` replaces the names of classes
//! with ids, and `rules` checks the document. The result is a `Document` of the kernel, with which the crate
//! `plan-machine-calls` classifies calls. The compiler itself does not classify calls; otherwise, users of the macros
//! would have to compile a shell parser as well.
//!
//! ```
//! use plan_machine_compiler::{compile_calls, source::SourceMap};
//!
//! let text = "
//! calls: ClaudeCode
//! tools: { Bash: { command: command } }
//! classes: [reads, writes]
//! rules:
//!   - { tool: [Read, Grep], class: reads }
//!   - { tool: Bash, command: { only: [ls, git status] }, class: reads }
//! otherwise: writes
//! ";
//! let mut sources = SourceMap::default();
//! let file = sources.add("claude_code.yaml", text);
//! let calls = compile_calls(&sources, file).calls.expect("a document without errors");
//! assert_eq!(calls.document.rules[1].command.as_ref().expect("a command").only[1], ["git", "status"]);
//! ```

mod ast;
mod compile;
#[cfg(feature = "tools")]
mod diff;
pub mod emit;
mod limits;
mod model;
mod read;
mod resolve;
mod rules;
#[cfg(feature = "tools")]
mod schema;

#[cfg(feature = "tools")]
use crate::syntax::yaml::schema::{parts, scalars};
use crate::syntax::yaml::{reader, shorten, tree};

pub use compile::{CallsCompilation, compile_calls};
#[cfg(feature = "tools")]
pub(crate) use diff::add_facts;
#[cfg(feature = "tools")]
pub use diff::diff_calls;
pub(crate) use limits::examples_exceed;
pub use model::{Calls, Example};
pub use rules::{ExampleResult, differing_example};
#[cfg(feature = "tools")]
pub use schema::json_schema;
