//! The specs in `docs/dsl.md`, the page about the inline form, compile.

use std::fs;

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_tests::root;

use super::inline;

/// Returns the blocks of the page that are complete specs.
fn blocks() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/dsl.md")).expect("the page");
    let blocks = page.split("```rust\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap_or_default());
    blocks.map(str::to_owned).collect()
}

/// Returns the text between the braces of the macro.
fn inside(block: &str) -> &str {
    let block = block.trim();
    let inside = block.strip_prefix("plan_machine::machine! {");
    let inside = inside.and_then(|rest| rest.strip_suffix('}'));
    inside.unwrap_or(block)
}

#[test]
fn every_example_on_the_page_compiles_without_warnings() {
    let blocks = blocks();
    assert!(blocks.len() >= 5);
    for block in blocks {
        let inline = inline(inside(&block));
        let found = inline.compilation.diagnostics.iter();
        let complaints = found.filter(|found| found.severity != Severity::Note);
        assert_eq!(complaints.count(), 0, "{}\n{block}", inline.rendered());
    }
}
