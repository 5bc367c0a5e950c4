//! Tests of `plan-machine mutate`.

use insta::assert_snapshot;

use super::{corpus, folder, invalid, transcript, valid};

/// A spec whose scenario covers everything except two rules: an approval applies only to the content that was shown,
/// and a second text keeps the title.
const OPEN_TO_CHANGE: &str = "\
machine: Note
review: [text]
data: { text: string?, title: string? }
commands:
  begin: /note
  approve: { text: \"/ok {token?}\", reviewed: true }
tools:
  write: { doc: Keep a text., input: { text: string, title: string? } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      write: { set: { text: event.text, title: event.title ?? title } }
      approve: { to: KEPT, next: none, require: [{ that: text is set, else: nothing is written }] }
  KEPT: { final: true }
scenarios:
  a note is written and kept:
    - { do: /note, then: OPEN }
    - { do: /ok, denied: refused }
    - { do: write, with: { text: a, title: b }, data: { text: a, title: b } }
    - { do: /ok, then: none, ended: KEPT }
";

/// A scenario that covers the two missing rules.
const THE_REST: &str = "  what is kept is what was shown:
    - { do: /note, then: OPEN }
    - { do: write, with: { text: a, title: b } }
    - { do: write, with: { text: c }, data: { text: c, title: b } }
    - { do: approve, with: { token: 1-00000000 }, denied: stale }
";

fn mutated(name: &str, spec: &str, options: &str) -> String {
    let folder = folder(name);
    std::fs::write(folder.join("note.yaml"), spec).expect("written");
    transcript(&folder, &format!("mutate note.yaml{options}"), "")
}

#[test]
fn survivors_are_shown_with_their_places() {
    assert_snapshot!(mutated("mutate_survivors", OPEN_TO_CHANGE, ""));
}

#[test]
fn nothing_survives_where_everything_is_held() {
    let spec = format!("{OPEN_TO_CHANGE}{THE_REST}");
    assert_snapshot!(mutated("mutate_none", &spec, ""));
}

#[test]
fn the_list_says_what_killed_the_others() {
    assert_snapshot!(mutated("mutate_list", OPEN_TO_CHANGE, " --list"));
}

#[test]
fn json_is_one_object() {
    assert_snapshot!(mutated("mutate_json", OPEN_TO_CHANGE, " --format json"));
}

#[test]
fn a_spec_with_errors_is_not_mutated() {
    let human = invalid("mutate PM0102_unknown_event.yaml");
    let json = invalid("mutate --format json PM0102_unknown_event.yaml");
    assert_snapshot!(format!("{human}\n{json}"));
}

#[test]
fn a_differing_scenario_is_an_error_too() {
    let transcript = invalid("mutate PM0701_state_differs.yaml");
    assert!(
        transcript.contains("fix the spec before you mutate it"),
        "{transcript}"
    );
    assert!(transcript.ends_with("--- status 1\n"), "{transcript}");
}

#[test]
fn a_missing_file_is_wrong_usage() {
    let transcript = valid("mutate missing.yaml", "");
    assert!(transcript.ends_with("--- status 2\n"), "{transcript}");
}

#[test]
fn a_session_says_which_documents_are_not_mutated_and_why() {
    let specs = corpus("../../specs/sessions");
    let human = transcript(&specs, "mutate coding.yaml", "");
    let json = transcript(&specs, "mutate --format json coding.yaml", "");
    assert_snapshot!(format!("{human}\n{json}"));
    let told = transcript(&corpus("session/valid"), "mutate classes.yaml", "");
    let calls = "agent.yaml: not mutated: run `plan-machine mutate ";
    assert!(told.contains(calls), "{told}");
}

/// A calls document with an example for each rule but the second one.
const CALLS: &str = "\
calls: Tools
tools: { Bash: { command: command } }
classes: [reads, writes]
rules:
  - { tool: Bash, command: { only: [git status] }, class: reads }
  - { tool: Read, class: reads }
otherwise: writes
examples:
  - { tool: Bash, with: { command: git status }, class: reads }
  - { tool: Bash, with: { command: git push }, class: writes }
";

#[test]
fn the_examples_of_a_calls_document_kill_its_mutants() {
    let folder = folder("mutate_calls");
    std::fs::write(folder.join("open.yaml"), CALLS).expect("written");
    let kept = format!("{CALLS}  - {{ tool: Read, with: {{ path: a }}, class: reads }}\n");
    std::fs::write(folder.join("kept.yaml"), kept).expect("written");
    let lines = [
        "mutate open.yaml",
        "mutate --list kept.yaml",
        "mutate --format json open.yaml",
    ];
    let told = lines.map(|line| transcript(&folder, line, ""));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_calls_document_with_errors_is_not_mutated() {
    let folder = folder("mutate_bad_calls");
    let wrong = CALLS.replace("git push }, class: writes", "git push }, class: reads");
    std::fs::write(folder.join("calls.yaml"), wrong).expect("written");
    let told = transcript(&folder, "mutate calls.yaml", "");
    assert!(told.contains("calls.yaml: 1 error"), "{told}");
    assert!(told.ends_with("--- status 1\n"), "{told}");
}

#[test]
fn the_examples_of_the_shipped_calls_documents_notice_every_change() {
    let folder = corpus("../../specs/calls");
    for agent in [
        "claude_code",
        "codex",
        "opencode",
        "gemini",
        "goose",
        "cursor",
    ] {
        let told = transcript(&folder, &format!("mutate {agent}.yaml"), "");
        let all_killed = told.contains("0 survived") && !told.contains("survived:");
        assert!(all_killed, "{told}");
    }
}
