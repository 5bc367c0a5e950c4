//! Each token has a position in the source text, and each position maps back to a token.

use plan_machine_compiler::compile_tokens;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::source::{SourceMap, Span};
use plan_machine_compiler::syntax::dsl::TokenMap;
use proc_macro2::{Group, TokenStream, TokenTree};

use super::{inline, place};

const WRONG: &str = "
    /// A naïve word.
    machine Note; // a remark
    command begin = \"/nöte
        on\"; state none { on begin => opn; }
    final state open;
";

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

/// Returns the same tokens as if another macro had created them: all at one position.
fn made_up(stream: TokenStream) -> TokenStream {
    let trees = stream.into_iter().map(|mut tree| {
        if let TokenTree::Group(group) = &tree {
            tree = Group::new(group.delimiter(), made_up(group.stream())).into();
        }
        tree.set_span(proc_macro2::Span::call_site());
        tree
    });
    trees.collect()
}

fn rendered(stream: TokenStream) -> String {
    let mut sources = SourceMap::default();
    let (compilation, _) = compile_tokens(stream, &mut sources);
    let found = compilation.diagnostics.iter();
    let found = found.filter(|found| found.code.as_str() == "PM0102");
    let shown = found.map(|found| human(found, &sources, Colour::Never));
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_tokens_of_a_macro_keep_their_lines_and_columns() {
    let mut sources = SourceMap::default();
    let map = TokenMap::of_macro(tokens(WRONG), &mut sources);
    let laid_out = sources.file(map.file()).text();
    // The comment is not a token, so it is not part of the result.
    let wanted = WRONG.replace(" // a remark", "");
    assert_eq!(laid_out.trim_end(), wanted.trim_end());
}

#[test]
fn a_diagnostic_shows_the_lines_of_a_text_as_they_were_written() {
    let inline = inline(WRONG);
    let shown = inline.rendered();
    assert!(shown.contains("inline.rs:5:39"), "{shown}");
    assert!(
        shown.contains("5 |         on\"; state none { on begin => opn; }"),
        "{shown}"
    );
    assert!(rendered(tokens(WRONG)).contains(":5:39"));
}

#[test]
fn tokens_without_positions_are_laid_out_with_one_statement_per_line() {
    let shown = rendered(made_up(tokens(WRONG)));
    assert!(shown.contains("on begin => opn;"), "{shown}");
    assert!(!shown.contains("final"), "{shown}");
}

#[test]
fn a_span_maps_back_to_all_its_tokens() {
    let text = "machine Note; state none { on begin => open; }";
    let mut sources = SourceMap::default();
    let map = TokenMap::of_macro(tokens(text), &mut sources);
    let at = |part: &str| {
        let start = text.find(part).expect("a part");
        let span = Span::new(map.file(), start, start + part.len());
        place(&map, span).source_text()
    };
    for part in ["machine", "begin => open", "=>", "{ on begin => open; }"] {
        assert_eq!(at(part).as_deref(), Some(part));
    }
    let (first, last) = map.ends_of(Span::new(map.file(), 14, 24));
    assert_eq!(first.source_text().as_deref(), Some("state"));
    assert_eq!(last.source_text().as_deref(), Some("none"));
}

#[test]
fn a_span_after_the_last_token_maps_to_the_last_token() {
    let mut sources = SourceMap::default();
    let map = TokenMap::of_macro(tokens("machine Note"), &mut sources);
    let last = place(&map, Span::new(map.file(), 500, 500));
    assert_eq!(last.source_text().as_deref(), Some("Note"));
    // If there are no tokens, only the position of the macro call is known.
    let none = TokenMap::of_macro(TokenStream::new(), &mut sources);
    assert!(
        place(&none, Span::new(none.file(), 0, 0))
            .source_text()
            .is_none()
    );
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    let inline = inline(&format!("\u{feff}{WRONG}"));
    assert!(
        inline.rendered().contains("inline.rs:5:39"),
        "{}",
        inline.rendered()
    );
}
