//! Tests of `plan-machine diff`.

use std::path::PathBuf;

use insta::assert_snapshot;

use super::{fresh, transcript};

const OLD: &str = "\
machine: Change
review: [edits.args, edits.tool]
types: { Edit: { fields: { tool: string, args: string } } }
data: { edits: [Edit] }
commands:
  begin: /change on
  approve: { text: \"/change approve {token?}\", reviewed: true }
  end: /change off
tools: { edit: { doc: Add an edit., input: { tool: string, args: string } } }
effects: { card: { fields: { token: string, edits: int } } }
states:
  none: { on: { begin: DRAFT } }
  live:
    other_tools: deny
    on: { end: { to: CLOSED, next: none } }
    states:
      DRAFT:
        on: { edit: { to: SHOWN, append: { edits: { tool: event.tool, args: event.args } } } }
      SHOWN:
        enter: { emit: { card: { token: plan.token, edits: len(edits) } } }
        on: { approve: RUNNING }
      RUNNING: { other_tools: run }
  CLOSED: { final: true }
";

/// Creates a folder with both versions; in the newer version, parts of the text are replaced.
fn versions(name: &str, edits: &[(&str, &str)]) -> PathBuf {
    let mut new = OLD.to_owned();
    for (from, to) in edits {
        assert!(new.contains(from), "{from} is not in the spec");
        new = new.replace(from, to);
    }
    let folder = fresh(name);
    std::fs::write(folder.join("old.yaml"), OLD).expect("a file");
    std::fs::write(folder.join("new.yaml"), new).expect("a file");
    folder
}

#[test]
fn what_a_reviewer_must_not_miss_comes_first_and_is_counted() {
    let edits = [
        ("review: [edits.args, edits.tool]", "review: [edits.tool]"),
        ("edits: len(edits) }", "edits: 0 }"),
        (", reviewed: true", ""),
        ("    other_tools: deny\n", ""),
        (
            "DRAFT:\n        on: {",
            "DRAFT:\n        on: { approve: RUNNING,",
        ),
    ];
    let folder = versions("diff_marks", &edits);
    assert_snapshot!(transcript(&folder, "diff old.yaml new.yaml", ""));
}

#[test]
fn a_program_reads_the_marks_and_their_counts() {
    let folder = versions("diff_json", &[("edits.args, ", "")]);
    assert_snapshot!(transcript(&folder, "diff old.yaml new.yaml --json", ""));
}

#[test]
fn versions_that_mean_the_same_have_no_changes() {
    let folder = versions(
        "diff_same",
        &[("machine: Change", "machine: Change\ndoc: Changes to files.")],
    );
    let said = transcript(&folder, "diff old.yaml new.yaml", "");
    assert!(
        said.contains("\nno changes: both versions have the same meaning\n"),
        "{said}"
    );
}

#[test]
fn a_timer_is_not_a_tool() {
    let timer = |after: &str| {
        let timer = format!("after: {{ {after}: {{ to: CLOSED, next: none }} }}");
        format!("    other_tools: deny\n    {timer}\n")
    };
    let folder = fresh("diff_timer");
    for (file, after) in [("old.yaml", "1h"), ("new.yaml", "2h")] {
        let spec = OLD.replace("    other_tools: deny\n", &timer(after));
        std::fs::write(folder.join(file), spec).expect("a file");
    }
    let told = transcript(&folder, "diff old.yaml new.yaml", "");
    assert!(!told.contains("tool"), "{told}");
    assert!(told.ends_with("--- status 0\n"), "{told}");
    assert_snapshot!(told);
}

const SESSION: &str = "\
session: Coding
machines: { work: change.yaml, notes: 'plan-specs:planning_files' }
calls: calls.yaml
invariants: { changes_are_denied: never (work.DRAFT and runs writes) }
";

const CALLS: &str = "\
calls: Tools
tools: { Bash: { command: command } }
classes: [reads, writes]
rules: [{ tool: Bash, command: { only: [git status] }, class: reads }]
otherwise: writes
";

/// Creates a folder with both versions of a session, each in its own folder.
fn sessions(name: &str, edits: &[(&str, &str)]) -> PathBuf {
    let folder = fresh(name);
    let mut applied = 0;
    for (version, is_new) in [("old", false), ("new", true)] {
        let version = folder.join(version);
        std::fs::create_dir_all(&version).expect("a folder");
        let files = [
            ("session.yaml", SESSION),
            ("change.yaml", OLD),
            ("calls.yaml", CALLS),
        ];
        for (file, text) in files {
            let mut text = text.to_owned();
            for (from, to) in edits.iter().filter(|_| is_new) {
                applied += usize::from(text.contains(from));
                text = text.replace(from, to);
            }
            std::fs::write(version.join(file), text).expect("a file");
        }
    }
    assert_eq!(applied, edits.len(), "each edit is about one file");
    folder
}

#[test]
fn sessions_are_compared_with_their_machines_and_their_calls() {
    let edits = [
        ("DRAFT:\n", "DRAFT:\n        other_tools: run\n"),
        ("[git status]", "[git status, git fetch]"),
        (
            "never (work.DRAFT and runs writes)",
            "never (work.SHOWN and runs writes)",
        ),
    ];
    let folder = sessions("diff_sessions", &edits);
    assert_snapshot!(transcript(
        &folder,
        "diff old/session.yaml new/session.yaml",
        ""
    ));
    assert_snapshot!(transcript(
        &folder,
        "diff old/calls.yaml new/calls.yaml",
        ""
    ));
    assert_snapshot!(transcript(
        &folder,
        "diff --json old/session.yaml new/session.yaml",
        ""
    ));
}

#[test]
fn a_machine_that_leaves_its_session_leaves_plans_that_cannot_be_read() {
    let edits = [(", notes: 'plan-specs:planning_files'", "")];
    let folder = sessions("diff_removed_machine", &edits);
    assert_snapshot!(transcript(
        &folder,
        "diff old/session.yaml new/session.yaml",
        ""
    ));
}

#[test]
fn only_documents_of_one_kind_are_compared() {
    let folder = sessions("diff_kinds", &[]);
    assert_snapshot!(transcript(
        &folder,
        "diff old/session.yaml new/calls.yaml",
        ""
    ));
}
