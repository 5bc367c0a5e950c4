//! The inline form (the DSL): its syntax tree equals that of the YAML reader, its spans map back to the tokens, and its
//! errors are at the right position.

mod by_hand;
mod errors;
mod page;
mod pairs;
mod places;
mod soup;

use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Severity, Sink};
use plan_machine_compiler::source::{SourceMap, Span};
use plan_machine_compiler::syntax::ast::Spec;
use plan_machine_compiler::syntax::dsl::{self, TokenMap};
use plan_machine_compiler::syntax::yaml;
use plan_machine_compiler::{Compilation, compile_inline};

/// A compiled spec in the inline form.
struct Inline {
    sources: SourceMap,
    compilation: Compilation,
}

fn inline(text: &str) -> Inline {
    let mut sources = SourceMap::default();
    let file = sources.add("inline.rs", text);
    let compilation = compile_inline(&sources, file);
    Inline {
        sources,
        compilation,
    }
}

impl Inline {
    fn codes(&self) -> Vec<&'static str> {
        let found = self.compilation.diagnostics.iter();
        found.map(|found| found.code.as_str()).collect()
    }

    fn rendered(&self) -> String {
        let found = self.compilation.diagnostics.iter();
        let texts = found.map(|found| human(found, &self.sources, Colour::Never));
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

/// Returns the position of all tokens in a span.
fn place(map: &TokenMap, span: Span) -> proc_macro2::Span {
    let (first, last) = map.ends_of(span);
    first.join(last).unwrap_or(first)
}

/// Returns the syntax tree of a spec that must be read without errors.
fn tree(text: &str) -> Spec {
    let mut sources = SourceMap::default();
    let file = sources.add("inline.rs", text);
    let mut sink = Sink::default();
    let map = TokenMap::of_text(&sources, file).unwrap_or_else(|found| {
        panic!("{}\n{text}", human(&found, &sources, Colour::Never));
    });
    let spec = dsl::read(&map, &mut sink).expect("tokens that are not nested too deeply");
    let found = sink.into_sorted();
    let shown = found
        .iter()
        .map(|found| human(found, &sources, Colour::Never));
    assert!(found.is_empty(), "{}\n{text}", shown.collect::<String>());
    spec
}

/// Returns whether reading found no errors.
fn is_clean(sink: Sink) -> bool {
    let mut found = sink.into_sorted().into_iter();
    found.all(|found| found.severity != Severity::Error)
}

/// Returns the syntax tree of a YAML spec that must be read without errors.
fn yaml_tree(text: &str) -> Spec {
    let mut sources = SourceMap::default();
    let file = sources.add("spec.yaml", text);
    let mut sink = Sink::default();
    let spec = yaml::read(&sources, file, &mut sink).expect("YAML");
    assert!(is_clean(sink));
    spec
}
