//! Two versions of a spec, and what the newer one would do to the records of the older.

use plan_machine_compiler::compile;
use plan_machine_compiler::diagnostic::Code;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diff::{Difference, diff};
use plan_machine_compiler::source::SourceMap;

const OLD: &str = "\
machine: Shelf
types:
  Mark: { enum: [todo, done] }
  Book: { fields: { title: string, mark: Mark } }
data:
  label: string?
  note: { type: string, max: 40, default: none }
  books: { type: [Book], max: 5 }
commands:
  begin: /shelf on
  end: /shelf off
tools:
  put: { doc: Put a book on the shelf., input: { title: string } }
  name: { doc: Name the shelf., input: { label: string, note: { type: string, max: 40 } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      put: { append: { books: { title: event.title, mark: todo } } }
      name: { to: NAMED, set: { label: event.label, note: event.note } }
      end: { to: CLOSED, next: none }
  NAMED: { on: { end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";

/// Both versions, the newer one with pieces of its text replaced.
fn differing(edits: &[(&str, &str)]) -> (Difference, SourceMap) {
    let mut new = OLD.to_owned();
    for (from, to) in edits {
        assert!(new.contains(from), "{from} is not in the spec");
        new = new.replace(from, to);
    }
    let mut sources = SourceMap::default();
    let (old, new) = (sources.add("old.yaml", OLD), sources.add("new.yaml", new));
    let machine = |file| {
        let compilation = compile(&sources, file);
        let found = compilation.diagnostics;
        compilation.machine.unwrap_or_else(|| panic!("{found:#?}"))
    };
    let found = diff(&machine(old), &machine(new));
    (found, sources)
}

fn told(edits: &[(&str, &str)]) -> String {
    let (found, sources) = differing(edits);
    let changes = found.changes.iter().map(|change| {
        format!(
            "{} {} {} {}",
            change.kind.as_str(),
            change.what,
            change.name,
            change.detail
        )
    });
    let diagnostics = found
        .diagnostics
        .iter()
        .map(|one| human(one, &sources, Colour::Never));
    let lines: Vec<String> = changes.chain(diagnostics).collect();
    lines.join("\n")
}

fn codes(edits: &[(&str, &str)]) -> Vec<Code> {
    let (found, _) = differing(edits);
    let codes = found.diagnostics.into_iter().map(|found| found.code);
    codes.filter(|code| *code != Code::PM0803).collect()
}

#[test]
fn a_state_and_a_field_that_have_gone_are_told() {
    insta::assert_snapshot!(told(&[("NAMED", "TITLED"), ("label", "heading")]));
}

#[test]
fn what_no_longer_fits_is_told_field_by_field() {
    insta::assert_snapshot!(told(&[
        (
            "note: { type: string, max: 40, default: none }",
            "note: { type: string, max: 30, default: none }"
        ),
        (
            "note: { type: string, max: 40 }",
            "note: { type: string, max: 30 }"
        ),
        ("enum: [todo, done]", "enum: [todo, read]"),
        (
            "title: string, mark: Mark",
            "title: string, mark: Mark, page: int"
        ),
        (
            "title: event.title, mark: todo",
            "title: event.title, mark: todo, page: 1"
        ),
        ("NAMED: {", "NAMED: { has: [label],"),
    ]));
}

#[test]
fn another_meaning_under_the_same_version_is_noted() {
    let edit = [(
        "name: { to: NAMED, set: { label: event.label",
        "name: { to: NAMED, set: { label: event.note",
    )];
    let (found, _) = differing(&edit);
    let codes: Vec<Code> = found.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::PM0803]);
    let versioned = [edit[0], ("machine: Shelf", "machine: Shelf\nversion: 2")];
    assert!(differing(&versioned).0.diagnostics.is_empty());
}

#[test]
fn words_for_people_change_nothing_for_records() {
    let (found, _) = differing(&[("Put a book on the shelf.", "Add a book.")]);
    assert!(
        found.changes.is_empty() && found.diagnostics.is_empty(),
        "{found:?}"
    );
}

#[test]
fn what_only_adds_room_harms_no_record() {
    assert_eq!(codes(&[("max: 5", "max: 6")]), []);
    assert_eq!(
        codes(&[("enum: [todo, done]", "enum: [todo, done, lent]")]),
        []
    );
    assert_eq!(
        codes(&[(
            "  label: string?",
            "  label: string?\n  owner: string?\n  shelves: [int]"
        )]),
        []
    );
}

#[test]
fn a_type_that_changed_and_a_field_without_a_start_are_told() {
    let retyped = [
        ("  label: string?", "  label: int?"),
        ("label: string, note", "label: int, note"),
    ];
    assert_eq!(codes(&retyped), [Code::PM0802]);
    let required = [
        ("  label: string?", "  label: string?\n  owner: string"),
        ("begin: OPEN", "begin: { to: OPEN, set: { owner: \"x\" } }"),
    ];
    assert_eq!(codes(&required), [Code::PM0802]);
}

#[test]
fn what_a_state_does_otherwise_is_told() {
    let told = |edits: &[(&str, &str)]| -> Vec<String> {
        let changes = differing(edits).0.changes.into_iter();
        changes
            .map(|change| {
                format!(
                    "{} {} {}: {}",
                    change.kind.as_str(),
                    change.what,
                    change.name,
                    change.detail
                )
            })
            .collect()
    };
    let gated = [(
        "  OPEN:\n    on:",
        "  OPEN:\n    other_tools: deny\n    on:",
    )];
    assert_eq!(told(&gated), ["added handling OPEN other_tools: deny"]);
    let moved = [
        (
            "name: { to: NAMED, set",
            "name: { to: CLOSED, next: none, set",
        ),
        ("      end: {", "      begin: NAMED\n      end: {"),
    ];
    assert_eq!(
        told(&moved),
        [
            "changed handling OPEN name: to NAMED, writes label, writes note → to CLOSED, next none, writes label, writes note",
            "added handling OPEN begin: to NAMED",
        ]
    );
    let valued = [(
        "title: event.title, mark: todo",
        "title: event.title, mark: done",
    )];
    assert_eq!(
        told(&valued),
        ["changed handling OPEN put: writes books, with other values"]
    );
}
