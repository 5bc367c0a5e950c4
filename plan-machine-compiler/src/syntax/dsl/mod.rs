//! The DSL reader: turns the tokens of `machine! { … }` into the same syntax tree that the YAML reader produces.
//!
//! Guarantees: every key is allowed where it appears and every value has the required shape, unless a diagnostic was
//! reported. Spans point into a file of the [`SourceMap`], and [`TokenMap::ends_of`] maps them back to the tokens.
//!
//! ```
//! use plan_machine_compiler::diagnostic::Sink;
//! use plan_machine_compiler::source::SourceMap;
//! use plan_machine_compiler::syntax::dsl::{TokenMap, print, read};
//!
//! let tokens = "machine Note; command begin = \"/note\"; state none { on begin => open; } state open;"
//!     .parse()
//!     .expect("tokens");
//! let mut sources = SourceMap::default();
//! let mut sink = Sink::default();
//! let map = TokenMap::of_macro(tokens, &mut sources);
//! let spec = read(&map, &mut sink).expect("a spec");
//! assert_eq!(spec.states.len(), 2);
//! assert!(print(&spec).starts_with("machine Note;\n"));
//! ```
//!
//! [`SourceMap`]: crate::source::SourceMap

mod declarations;
mod layout;
mod machine;
mod map;
mod print;
mod reader;
mod rust_file;
mod scenarios;
mod statements;
mod states;
mod text;
mod tokens;
mod transitions;
mod values;

pub use map::TokenMap;
pub use print::{line, print};

use crate::diagnostic::Sink;
use crate::syntax::ast::Spec;
use reader::Reader;

/// Reads the tokens of a map; returns `None` if they are nested too deeply to be read at all.
pub fn read(map: &TokenMap, sink: &mut Sink) -> Option<Spec> {
    if let Some(found) = map.too_deep() {
        sink.push_lost(found);
        return None;
    }
    Some(machine::machine(&mut Reader::new(map, sink)))
}
