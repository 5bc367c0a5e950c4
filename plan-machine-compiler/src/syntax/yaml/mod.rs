//! The YAML reader: turns text into a syntax tree.
//!
//! Guarantees: every key is allowed where it appears and every value has the required shape, unless a diagnostic was
//! reported.

mod declarations;
mod entries;
mod explain;
mod habits;
pub(crate) mod reader;
pub(crate) mod scenarios;
#[cfg(feature = "tools")]
pub(crate) mod schema;
pub(crate) mod shorten;
mod spec;
mod states;
mod transitions;
pub(crate) mod tree;

use crate::diagnostic::Sink;
use crate::source::{FileId, SourceMap};
use crate::syntax::ast::Spec;
use reader::Reader;

#[cfg(feature = "tools")]
pub use schema::json_schema;

/// Reads a file of the source map; returns `None` if the file is empty, is not valid YAML, or exceeds a limit.
pub fn read(sources: &SourceMap, file: FileId, sink: &mut Sink) -> Option<Spec> {
    let text = sources.file(file).text();
    let root = tree::read(file, text, sink)?;
    let mut reader = Reader::new(file, text, sink);
    Some(spec::spec(&mut reader, &root))
}
