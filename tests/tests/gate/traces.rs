//! Runs of a whole gate as text, as users of a session write them in their snapshot tests.

use plan_machine::calls::Project;
use plan_machine::gate::{Gate, GateBuilder};
use plan_machine::testing::trace_gate;

use super::interpreted;

plan_machine::session!("corpus/session/valid/classes.yaml");

const CHANGES: &str = include_str!("../../corpus/session/machines/changes.yaml");
const REVIEW: &str = include_str!("../../corpus/session/machines/review.yaml");

fn classes() -> GateBuilder {
    classes::gate(Project::new(env!("CARGO_MANIFEST_DIR"))).any_host_tool()
}

fn people() -> GateBuilder {
    let gate = Gate::builder().with(interpreted(CHANGES));
    gate.with(interpreted(REVIEW)).any_host_tool()
}

/// Returns the part of a trace that belongs to the line with this number, counted from 0.
fn answer<'t>(trace: &'t str, lines: &[&str], number: usize) -> &'t str {
    let mut rest = trace;
    for line in &lines[..=number] {
        let (_, after) = rest.split_once(&format!("\n{line}\n")).expect("the line");
        rest = after;
    }
    let next = lines.get(number + 1);
    next.map_or(rest, |next| {
        let (own, _) = rest.split_once(&format!("\n{next}")).unwrap_or((rest, ""));
        own
    })
}

#[test]
fn a_session_with_turns_classes_and_counted_calls_is_printed_line_by_line() {
    insta::assert_snapshot!(trace_gate(
        classes(),
        &[
            "/plan",
            "Bash {\"command\": \"git status\"}",
            "Bash {\"command\": \"git status && rm -rf src\"}",
            "Write {\"path\": \"plans/a.md\"}",
            r#"{"turn":"t1"}"#,
            r#"{"batch":[{"tool":"finish"},{"tool":"Write","with":{"path":"src/main.rs"}}]}"#,
            r#"{"turn":"t1"}"#,
            r#"{"turn":"t2"}"#,
            "Write {\"path\": \"src/main.rs\"}",
        ],
    ));
}

#[test]
fn a_trace_of_a_gate_shows_senders_and_the_timers_that_fire_before_a_line() {
    let lines = [
        r#"{"do":"/change v1","actor":"ann"}"#,
        r#"{"do":"/change approve","actor":"ann"}"#,
        r#"{"do":"Changes.approve","actor":"bob"}"#,
        r#"{"do":"/change v2","actor":"ann"}"#,
        r#"{"wait":"30m"}"#,
        r#"{"do":"/review start","at":"2026-01-01T02:00:00Z"}"#,
        r#"{"do":"/change v3","actor":"ann"}"#,
        r#"{"wait":"1h"}"#,
    ];
    let trace = trace_gate(people(), &lines);
    let answer = |number| answer(&trace, &lines, number);
    assert!(answer(0).contains(r#""author":"ann""#), "{trace}");
    assert!(
        answer(1).contains("denied: refused, by Changes\n    ann wrote this change"),
        "{trace}"
    );
    assert!(
        answer(2).contains(r#"effect approved {"by":"bob"}"#),
        "{trace}"
    );
    assert_eq!(answer(4), "  no timer was due", "{trace}");
    // The change expired an hour before the review began.
    let expired = "  OPEN after 1h of Changes fired at 2026-01-01T01:00:00Z\n";
    assert!(answer(5).starts_with(expired), "{trace}");
    assert!(answer(5).contains("\n  Review\n"), "{trace}");
    // The wait begins at the time of the last event.
    let expired = "  OPEN after 1h of Changes fired at 2026-01-01T03:00:00Z\n";
    assert!(answer(7).starts_with(expired), "{trace}");
}

#[test]
fn the_states_and_the_tools_are_shown_only_when_they_change() {
    let trace = trace_gate(people(), &["/review start", "shell", "shell", "start"]);
    let positions: Vec<&str> = trace
        .lines()
        .filter(|line| line.contains("states"))
        .collect();
    assert_eq!(
        positions,
        [
            r#"  states {"Changes":"none","Review":"none"}, tools none"#,
            r#"  states {"Changes":"none","Review":"OPEN"}, tools none"#,
        ]
    );
    assert_eq!(trace.matches("denied: not_allowed\n").count(), 2, "{trace}");
    // A call with the name of a command goes to the machine that declares the command.
    assert!(
        trace.contains("denied: not_allowed, by Review\n"),
        "{trace}"
    );
}

#[test]
fn a_call_in_a_trace_may_state_its_class() {
    let lines = [
        "/plan",
        r#"[{"tool":"Bash","class":"reads"},{"tool":"Bash","class":"writes"}]"#,
        r#"{"tool":"Bash","class":"rads"}"#,
        r#"{"tool":"Bash"}"#,
        r#"{"batch":[{"tool":"Bash","class":"reads"},{"tool":"Bash","class":"writes"}]}"#,
    ];
    let trace = trace_gate(classes(), &lines);
    let answer = |number| answer(&trace, &lines, number);
    let stated = "  Bash runs, with the class reads\n  denied: not_allowed\n";
    assert!(answer(1).starts_with(stated), "{trace}");
    assert_eq!(answer(2), "  error: Agent has no class `rads`", "{trace}");
    // A class counts only for the line that states it.
    assert!(answer(3).starts_with("  denied: not_allowed\n"), "{trace}");
    let unclear = "  error: two equal calls of `Bash` state different classes";
    assert!(answer(4).starts_with(unclear), "{trace}");
}

#[test]
fn a_name_that_means_two_events_or_looks_misspelled_is_an_error() {
    let lines = ["approve", "aprove", "Nobody.approve", "Review.approve {}"];
    let trace = trace_gate(people(), &lines);
    let answer = |number| answer(&trace, &lines, number);
    assert_eq!(
        answer(0),
        "  error: several machines define `approve`; write `Changes.approve` or `Review.approve`"
    );
    assert!(answer(1).contains("did you mean `approve`?"), "{trace}");
    // A name with a dot that names no machine is a tool of the host.
    assert_eq!(answer(2), "  Nobody.approve runs");
    assert!(
        answer(3).starts_with("  denied: not_allowed, by Review"),
        "{trace}"
    );
}

#[test]
#[should_panic(expected = "Changes")]
fn machines_in_conflict_have_no_trace() {
    let gate = people().with(interpreted(CHANGES));
    let _ = trace_gate(gate, &[]);
}
