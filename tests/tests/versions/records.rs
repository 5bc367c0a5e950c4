//! What the newer version does with the records of the older one.

use plan_machine_compiler::diagnostic::Code;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diff::Difference;
use plan_machine_compiler::source::SourceMap;

use crate::kit::{between, edited, lines};

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

/// Returns the differences between the two versions, with some parts of the newer one replaced.
fn differing(edits: &[(&str, &str)]) -> (Difference, SourceMap) {
    between(OLD, &edited(OLD, edits))
}

fn told(edits: &[(&str, &str)]) -> String {
    let (found, sources) = differing(edits);
    let diagnostics = found.diagnostics.iter();
    let diagnostics = diagnostics.map(|one| human(one, &sources, Colour::Never));
    let lines: Vec<String> = lines(&found).into_iter().chain(diagnostics).collect();
    lines.join("\n")
}

fn codes(edits: &[(&str, &str)]) -> Vec<Code> {
    let (found, _) = differing(edits);
    let codes = found.diagnostics.into_iter().map(|found| found.code);
    codes.filter(|code| *code != Code::PM0803).collect()
}

#[test]
fn a_removed_state_and_a_removed_field_are_reported() {
    insta::assert_snapshot!(told(&[("NAMED", "TITLED"), ("label", "heading")]));
}

#[test]
fn a_different_text_for_a_denial_is_only_a_change_of_wording() {
    let texts = [
        (
            "begin: /shelf on",
            "begin: { text: /shelf on, unavailable: The shelf already exists. }",
        ),
        (
            "NAMED: {",
            "NAMED: { title: named, unavailable: { put: \"{plan.state} is full.\" },",
        ),
    ];
    let (found, _) = differing(&texts);
    assert!(found.diagnostics.is_empty(), "{:#?}", found.diagnostics);
    insta::assert_snapshot!(lines(&found).join("\n"), @r#"
    added wording of the denial of begin: "The shelf already exists."
    added title NAMED: "named"
    added wording of the denial of put in NAMED: "{plan.state} is full."
    "#);
}

#[test]
fn stored_data_that_no_longer_fits_is_reported_field_by_field() {
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
fn a_change_of_meaning_without_a_new_version_is_noted() {
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
fn texts_for_people_do_not_affect_records() {
    let (found, _) = differing(&[("machine: Shelf", "machine: Shelf\ndoc: A shelf of books.")]);
    assert!(
        found.changes.is_empty() && found.diagnostics.is_empty(),
        "{found:?}"
    );
}

#[test]
fn a_change_that_only_widens_a_bound_affects_no_record() {
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
fn a_changed_type_and_a_required_field_without_a_default_are_reported() {
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
fn changed_handling_in_a_state_is_shown_with_its_values() {
    let told = |edits: &[(&str, &str)]| lines(&differing(edits).0);
    let gated = [(
        "  OPEN:\n    on:",
        "  OPEN:\n    other_tools: deny\n    on:",
    )];
    assert_eq!(
        told(&gated),
        [
            "gating: changed tool other_tools: runs → denied (in OPEN)",
            "added handling OPEN other_tools: deny"
        ]
    );
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
            "approval: changed path to CLOSED: now also by the tool name from OPEN",
            "approval: changed path to NAMED: by the tool name from OPEN → by the command begin from OPEN",
            "changed handling OPEN name: to NAMED → to CLOSED; next none",
            "added handling OPEN begin: to NAMED",
        ]
    );
    let valued = [(
        "title: event.title, mark: todo",
        "title: event.title, mark: done",
    )];
    assert_eq!(
        told(&valued),
        [
            "changed handling OPEN put: append books: { title: event.title, mark: todo } → append books: { title: event.title, mark: done }"
        ]
    );
}

#[test]
fn a_renamed_machine_does_not_read_stored_plans() {
    let (found, _) = between(
        OLD,
        &edited(OLD, &[("machine: Shelf", "machine: Bookcase")]),
    );
    let codes: Vec<Code> = found.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(codes, [Code::PM0801, Code::PM0803]);
    let message = &found.diagnostics[0].message;
    assert!(
        message.contains("`Shelf` is now called `Bookcase`"),
        "{message}"
    );
}

#[test]
fn the_text_that_the_model_reads_about_a_tool_is_compared() {
    let new = edited(OLD, &[("Put a book on the shelf.", "Throw a book away.")]);
    let (found, _) = between(OLD, &new);
    let [change] = &found.changes[..] else {
        panic!("{:?}", found.changes);
    };
    assert_eq!(change.what, "documentation of tool");
    assert_eq!(change.name, "put");
}

/// Returns a machine with a chain of records; `last` is the type of the only field of the last one.
fn chain(last: &str) -> String {
    let links = 12;
    let types: Vec<String> = (1..links)
        .map(|at| {
            format!(
                "  R{at}: {{ fields: {{ next: 'R{}?', back: [R1] }} }}\n",
                at + 1
            )
        })
        .collect();
    format!(
        "machine: Chain\ntypes:\n{}  R{links}: {{ fields: {{ end: {last} }} }}\ndata: {{ one: R1?, other: R1? }}\n\
         commands: {{ begin: /begin, end: /end }}\nstates:\n  none: {{ on: {{ begin: OPEN }} }}\n  \
         OPEN: {{ on: {{ end: {{ to: ENDED, next: none }} }} }}\n  ENDED: {{ final: true }}\n",
        types.concat()
    )
}

#[test]
fn a_change_deep_inside_records_is_reported_once() {
    let (found, _) = between(&chain("string"), &chain("int"));
    let found = found.diagnostics.iter();
    let found: Vec<&str> = found
        .filter(|one| one.code == Code::PM0802)
        .map(|one| one.message.as_str())
        .collect();
    let path = ["one"].into_iter().chain(["next"; 11]).chain(["end"]);
    let path: Vec<&str> = path.collect();
    let message = format!(
        "the type of `{}` changed from `string` to `int`, so stored records cannot be read",
        path.join(".")
    );
    assert_eq!(found, [message]);
}
