//! Tests of `plan-machine run` with requests to wait, which fire timers.

use super::{corpus, fresh, transcript, valid};

/// The lines that bring a plan of `expiring_approval.yaml` to the state `READY`, in which it can be approved for one
/// hour.
const READY: [&str; 3] = [
    r#"{"do":"/plan on trip"}"#,
    r#"{"do":"write","with":{"draft":"v1"}}"#,
    r#"{"do":"submit"}"#,
];

/// Returns the lines of a run that first makes a plan ready and then reads more lines.
fn after_ready(more: &[&str]) -> String {
    [&READY[..], more].concat().join("\n")
}

/// Returns the answers in a transcript, one per line.
fn answers(run: &str) -> Vec<&str> {
    let lines = run.lines();
    lines.filter(|line| line.starts_with('{')).collect()
}

/// Checks the answer to a wait in which an approval expires after exactly one hour.
fn assert_expired(answer: &str) {
    let fired = r#"{"accepted":true,"waited":"1m","fired":[{"timer":"READY after 1h","at":"2026-01-01T01:00:00Z","state":"DRAFTING","plan":{"id":"plan-2","#;
    assert!(answer.starts_with(fired), "{answer}");
    for part in [
        r#""ended":{"id":"plan-1","state":"EXPIRED","#,
        r#"{"expired":{"plan":"plan-2","title":"trip"}}"#,
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    assert_eq!(answer.matches(r#""timer":"#).count(), 1, "{answer}");
    assert!(!answer.contains(r#""reply":"#), "{answer}");
}

#[test]
fn a_wait_fires_the_timers_that_are_due_and_shows_what_they_did() {
    let sent = after_ready(&[
        r#"{"wait":"59m"}"#,
        r#"{"wait":"60s"}"#,
        r#"{"do":"/plan approve","token":"current"}"#,
        r#"{"wait":"22h"}"#,
    ]);
    let run = valid("run expiring_approval.yaml", sent);
    let answers = answers(&run);
    assert_eq!(answers.len(), 7, "{run}");
    assert!(answers[2].contains(r#""state":"READY""#), "{run}");
    // No timer is due one minute before the approval expires.
    assert_eq!(answers[3], r#"{"accepted":true,"waited":"59m","fired":[]}"#);
    assert_expired(answers[4]);
    let denied = r#"{"accepted":false,"state":"DRAFTING","denied":{"kind":"not_allowed","#;
    assert!(answers[5].starts_with(denied), "{run}");
    // The timer of the next draft fires ten minutes after the draft began, and only once during a wait.
    let reminded = r#"{"accepted":true,"waited":"22h","fired":[{"timer":"DRAFTING after 10m","at":"2026-01-01T01:10:00Z","state":"DRAFTING","#;
    assert!(answers[6].starts_with(reminded), "{run}");
    assert!(answers[6].contains(r#"{"reminded":{"#), "{run}");
    assert_eq!(answers[6].matches(r#""timer":"#).count(), 1, "{run}");
    assert!(run.ends_with("--- status 0\n"), "{run}");
}

#[test]
fn a_timer_that_ends_the_last_plan_leaves_no_plan() {
    let sent = [r#"{"do":"/plan on trip"}"#, r#"{"wait":"24h"}"#];
    let run = valid("run expiring_approval.yaml", sent.join("\n"));
    let answers = answers(&run);
    assert_eq!(answers.len(), 2, "{run}");
    let waited = r#"{"accepted":true,"waited":"1d","fired":[{"timer":"DRAFTING after 10m","at":"2026-01-01T00:10:00Z","state":"DRAFTING","#;
    assert!(answers[1].starts_with(waited), "{run}");
    let over = r#"{"timer":"open after 1d","at":"2026-01-02T00:00:00Z","state":"none","ended":{"id":"plan-1","state":"LAPSED","#;
    assert!(answers[1].contains(over), "{run}");
    let effect = r#"{"lapsed":{"plan":"plan-1"}}"#;
    assert!(answers[1].contains(effect), "{run}");
    assert!(run.ends_with("--- status 0\n"), "{run}");
}

#[test]
fn a_wait_begins_at_the_latest_time_that_a_line_has_set() {
    let sent = [
        r#"{"do":"/plan on trip","at":"2026-06-01T00:00:00Z"}"#,
        r#"{"wait":"10m"}"#,
    ];
    let run = valid("run expiring_approval.yaml", sent.join("\n"));
    let answers = answers(&run);
    let fired = r#"{"accepted":true,"waited":"10m","fired":[{"timer":"DRAFTING after 10m","at":"2026-06-01T00:10:00Z","#;
    assert!(answers[1].starts_with(fired), "{run}");
}

#[test]
fn a_malformed_wait_is_refused_and_no_time_passes() {
    let sent = after_ready(&[
        r#"{"wait":"1x"}"#,
        r#"{"wait":"1 h"}"#,
        r#"{"wait":"0s"}"#,
        r#"{"wait":60}"#,
        r#"{"wait":"1h","do":"/plan off"}"#,
        r#"{"wait":"1h","at":"2026-01-02T00:00:00Z"}"#,
        r#"{"do":"look"}"#,
        r#"{"wait":"59m"}"#,
        r#"{"wait":"1m"}"#,
    ]);
    let run = valid("run expiring_approval.yaml", sent);
    let answers = answers(&run);
    assert_eq!(answers.len(), 12, "{run}");
    let form = "write a number and a unit, `s`, `m`, `h` or `d`, such as `90s` or `1h30m`";
    let errors = [
        format!("`1x` is not a period: {form}"),
        format!("`1 h` is not a period: {form}"),
        "expected a period from `1s` to `3650d`, found `0s`".to_owned(),
        "`wait` is 60, expected a string".to_owned(),
        "`wait` and `do` cannot be used together".to_owned(),
        "`wait` and `at` cannot be used together".to_owned(),
    ];
    for (answer, error) in answers[3..9].iter().zip(&errors) {
        assert_eq!(*answer, format!(r#"{{"error":"{error}"}}"#));
    }
    assert!(answers[9].contains(r#""reply":"trip: READY""#), "{run}");
    // The hour in which the plan can be approved has only begun.
    assert_eq!(
        answers[10],
        r#"{"accepted":true,"waited":"59m","fired":[]}"#
    );
    assert_expired(answers[11]);
    assert!(run.ends_with("--- status 2\n"), "{run}");
}

#[test]
fn a_stored_session_uses_the_system_clock_and_cannot_wait() {
    let folder = fresh("stored-waits");
    let spec = corpus("valid").join("expiring_approval.yaml");
    std::fs::copy(spec, folder.join("expiring_approval.yaml")).expect("copied");
    let sent = after_ready(&[r#"{"wait":"1h"}"#, r#"{"do":"look"}"#]);
    let line = "run expiring_approval.yaml --store sqlite:waits.db";
    let run = transcript(&folder, line, sent);
    let answers = answers(&run);
    assert_eq!(answers.len(), 5, "{run}");
    assert_eq!(
        answers[3],
        r#"{"error":"`wait` does not work with `--store`, because a stored session uses the system clock"}"#
    );
    assert!(answers[4].contains(r#""reply":"trip: READY""#), "{run}");
    assert!(run.ends_with("--- status 2\n"), "{run}");
}

#[test]
fn a_wait_fires_the_timers_of_a_session_document() {
    let folder = corpus("../../specs/sessions");
    let sent = [
        r##"{"tool":"plan_write","with":{"markdown":"# v1"}}"##,
        r#"{"do":".plan approve 1-02c18244"}"#,
        r#"{"wait":"7h"}"#,
        r#"{"wait":"1 h"}"#,
        r#"{"tool":"some_tool"}"#,
        r#"{"wait":"1h"}"#,
        r#"{"tool":"some_tool"}"#,
    ];
    let run = transcript(&folder, "run look_then_act.yaml", sent.join("\n"));
    let answers = answers(&run);
    assert_eq!(answers.len(), sent.len(), "{run}");
    assert_eq!(
        answers[2],
        r#"{"accepted":true,"waited":"7h","fired":[],"states":{"work":"EXECUTING"},"advertised":["plan_done","plan_read"]}"#
    );
    let refused = r#"{"error":"`1 h` is not a period: "#;
    assert!(answers[3].starts_with(refused), "{run}");
    let runs = r#"{"accepted":true,"run":"some_tool","states":{"work":"EXECUTING"},"#;
    assert!(answers[4].starts_with(runs), "{run}");
    let fired = r#"{"accepted":true,"waited":"1h","fired":[{"timer":"EXECUTING after 8h","at":"2026-01-01T08:00:00Z","state":"READY","plan":{"id":"plan-2","#;
    assert!(answers[5].starts_with(fired), "{run}");
    let ended = r#""ended":{"id":"plan-1","state":"STOPPED","#;
    assert!(answers[5].contains(ended), "{run}");
    let effect = r#"{"plan_ready":{"plan":"plan-2","token":"2-02c18244"#;
    assert!(answers[5].contains(effect), "{run}");
    let states = r#""states":{"work":"READY"},"advertised":["plan_read","plan_write"]}"#;
    assert!(answers[5].ends_with(states), "{run}");
    let closed = r#"{"accepted":false,"denied":{"kind":"not_allowed","#;
    assert!(answers[6].starts_with(closed), "{run}");
    assert!(run.ends_with("--- status 2\n"), "{run}");
}
