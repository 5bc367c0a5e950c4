//! Reports errors in a spec as Rust compile errors.

use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::dsl::TokenMap;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::arguments::error;

fn errors(all: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    all.iter().filter(|found| found.severity == Severity::Error)
}

/// Returns the errors in a spec from a separate file; each message contains the file, line and column.
pub(crate) fn in_file(all: &[Diagnostic], sources: &SourceMap, call: Span) -> Vec<TokenStream> {
    let told = errors(all).map(|found| {
        let text = human(found, sources, Colour::Never);
        // The compiler adds the word "error" itself.
        error(call, text.strip_prefix("error").unwrap_or(&text))
    });
    told.collect()
}

/// Returns the errors in an inline spec; the compiler underlines the affected tokens.
pub(crate) fn at_tokens(
    all: &[Diagnostic],
    sources: &SourceMap,
    map: &TokenMap,
) -> Vec<TokenStream> {
    let told = errors(all).map(|found| {
        let (start, end) = map.ends_of(found.primary.span);
        let message = words(found, sources);
        let message = quote_spanned!(end=> #message);
        let body = quote_spanned!(end=> { #message });
        quote_spanned!(start=> ::core::compile_error! #body)
    });
    told.collect()
}

/// Returns the text of a diagnostic without its primary location, which the compiler itself shows.
fn words(found: &Diagnostic, sources: &SourceMap) -> String {
    let mut text = format!("[{}]: {}", found.code.as_str(), found.message);
    let mut add = |kind: &str, line: &str| {
        text.push_str("\n  = ");
        text.push_str(kind);
        text.push_str(&line.replace('\n', "\n          "));
    };
    if !found.primary.text.is_empty() {
        add("here: ", &found.primary.text);
    }
    for label in &found.secondary {
        add(
            &format!(
                "line {}: ",
                sources
                    .file(label.span.file)
                    .position(label.span.start)
                    .line
            ),
            &label.text,
        );
    }
    found.notes.iter().for_each(|note| add("note: ", note));
    found.help.iter().for_each(|help| add("help: ", help));
    text
}
