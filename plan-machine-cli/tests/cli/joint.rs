//! Tests of the commands that read session documents.

use insta::assert_snapshot;

use super::{corpus, transcript};

#[test]
fn a_session_document_is_checked_with_its_machines() {
    let folder = corpus("session/valid");
    assert_snapshot!(transcript(&folder, "check desk.yaml", ""));
    let json = transcript(&folder, "check --format json desk.yaml", "");
    assert!(
        json.contains(r#""ok":true,"machines":2,"diagnostics":[]"#),
        "{json}"
    );
}

#[test]
fn a_broken_invariant_of_a_session_fails_the_check() {
    let folder = corpus("session/invalid");
    let told = transcript(&folder, "check PM0601_tickets_during_a_review.yaml", "");
    assert!(
        told.contains("3 invariants broken") && told.ends_with("--- status 1\n"),
        "{told}"
    );
}

#[test]
fn the_scenarios_of_a_session_are_run() {
    let folder = corpus("session/valid");
    assert_snapshot!(transcript(&folder, "test desk.yaml", ""));
}

#[test]
fn a_session_runs_with_all_its_machines() {
    let sent = [
        r#"{"do":".review start"}"#,
        r#"{"tool":"open_ticket","with":{"title":"a"}}"#,
        r#"{"batch":[{"tool":"publish"},{"tool":"shell"}]}"#,
        r#"{"do":"review.approve"}"#,
        r#"[{"tool":"publish","state":"tickets.PUBLISHED"},{"tool":"shell"}]"#,
        r#"{"do":".stop"}"#,
        r#"{"do":"/stop"}"#,
        r#"{"do":"reviw.approve"}"#,
        r#"{"batch":[{"do":"review.approve"}]}"#,
    ];
    let folder = corpus("session/valid");
    assert_snapshot!(transcript(&folder, "run desk.yaml", sent.join("\n")));
}

#[test]
fn the_trace_of_a_broken_invariant_can_be_run() {
    let folder = corpus("session/invalid");
    let file = "PM0601_tickets_during_a_review.yaml";
    let told = transcript(&folder, &format!("check --format json {file}"), "");
    let json = told.lines().nth(1).expect("a line of JSON");
    let json = plan_machine_kernel::json::Json::parse(json).expect("JSON");
    let found = json.as_object().and_then(|json| json.get("diagnostics"));
    for found in found
        .and_then(|found| found.as_list())
        .expect("diagnostics")
    {
        let trace = found.as_object().and_then(|found| found.get("trace"));
        let trace = trace.expect("a trace").to_string();
        let told = transcript(&folder, &format!("run {file}"), trace);
        assert!(told.ends_with("--- status 0\n"), "{told}");
        assert!(!told.contains(r#""accepted":false"#), "{told}");
    }
}

#[test]
fn each_machine_of_a_session_has_its_table_and_its_chart() {
    let folder = corpus("session/valid");
    let table = transcript(&folder, "table desk.yaml", "");
    assert!(
        table.contains("review: Review") && table.contains("tickets: Tickets"),
        "{table}"
    );
    let chart = transcript(&folder, "diagram desk.yaml", "");
    assert!(
        chart.contains("title: \"Review\"") && chart.contains("title: \"Tickets\""),
        "{chart}"
    );
}

#[test]
fn other_commands_say_that_they_read_machines_only() {
    let folder = corpus("session/valid");
    let told = transcript(&folder, "mutate desk.yaml", "");
    assert!(
        told.contains("`desk.yaml` is a session document, not a machine"),
        "{told}"
    );
}
