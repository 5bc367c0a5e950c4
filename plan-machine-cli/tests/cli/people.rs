//! What people do in a gated project: they trust its documents, decide about plans, and read its status and its log.

use std::fs;

use super::gated::{Gated, refuses_an_agent, store_plan};

#[test]
fn a_person_trusts_starts_reads_approves_and_ends_a_plan_from_a_terminal() {
    let gated = Gated::new("agents_person");
    if refuses_an_agent(&gated) {
        return;
    }
    assert_eq!(gated.write("c0").0, 2);
    let (status, text) = gated.run("trust", "");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("needs an answer from a person"), "{text}");
    let (status, text) = gated.run("trust --yes", "");
    assert!(status == 0 && text.contains("new: work.yaml"), "{text}");
    let (_, text) = gated.run("trust --yes", "");
    assert!(text.contains("already trusted"), "{text}");

    gated.prompt("p1", "hello");
    let (status, text) = gated.run("command .plan on", "");
    assert_eq!((status, text.as_str()), (0, "DRAFTING\n"));
    let (status, text) = gated.run("command --session claude-code:talk-0002 .plan on", "");
    assert!(
        status == 2 && text.contains("there is no session"),
        "{text}"
    );
    let (status, text) = gated.run("approve 1-02c18244", "");
    assert!(
        status == 2 && text.contains("no plan with the token"),
        "{text}"
    );

    let (_, text) = gated.run("status", "");
    assert!(
        text.contains("claude-code:talk-0001  Careful: DRAFTING"),
        "{text}"
    );
    let (status, text) = gated.run("command .plan off", "");
    assert_eq!((status, text.as_str()), (0, "Planning is off.\n"));
}

#[test]
fn the_log_of_a_gated_project_needs_no_store_and_is_verified_with_its_session() {
    let gated = Gated::new("agents_log");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", ".plan on");
    let (status, text) = gated.run("log", "");
    assert!(
        status == 0 && text.contains("claude-code:talk-0001"),
        "{text}"
    );
    let (status, text) = gated.run("log show claude-code:talk-0001", "");
    assert!(status == 0 && text.contains("plan_on"), "{text}");
    let (status, text) = gated.run("log verify --all .plan-machine/session.yaml", "");
    assert!(status == 0, "{text}");
}

#[test]
fn the_log_of_a_gated_project_shows_no_effect_as_pending() {
    let gated = Gated::new("agents_log_effects");
    if refuses_an_agent(&gated) {
        return;
    }
    let machine = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&machine).expect("a machine");
    let text = text.replace(
        "DRAFTING: {}",
        "DRAFTING: { enter: { emit: { begun: {} } } }",
    );
    let text = format!("{text}effects: {{ begun: {{ doc: Planning has begun. }} }}\n");
    fs::write(&machine, text).expect("a machine with an effect");
    let (status, text) = gated.run("trust --yes", "");
    assert_eq!(status, 0, "{text}");
    gated.prompt("p1", ".plan on");
    let (status, text) = gated.run("log", "");
    assert!(
        status == 0 && text.contains("DRAFTING") && !text.contains("pending"),
        "{text}"
    );
    let (_, text) = gated.run("log --format json", "");
    assert!(text.contains(r#""pending":null"#), "{text}");
    let (status, text) = gated.run("log show claude-code:talk-0001", "");
    assert!(status == 0 && text.contains("effect begun {}"), "{text}");
    assert!(
        !text.contains("pending") && !text.contains("done"),
        "{text}"
    );
    let (_, text) = gated.run("log show claude-code:talk-0001 --format json", "");
    assert!(text.contains(r#""pending":null"#), "{text}");
}

#[test]
fn the_log_of_a_gated_project_shows_each_denied_call_once() {
    let gated = Gated::new("agents_log_list");
    if refuses_an_agent(&gated) {
        return;
    }
    // No person has trusted the documents yet, so the gate is closed, and only the list contains these calls.
    gated.write("c0");
    let other = gated.call("c0", "Write");
    let other = other.replace("talk-0001", "talk-0002");
    gated.run("hook --agent claude-code", &other);
    gated.run("trust --yes", "");
    // The store and the list contain the first call, and only the list contains its repetition.
    gated.write("c1");
    gated.write("c1");
    let denied = |line: &str| {
        let (status, text) = gated.run(line, "");
        assert_eq!(status, 0, "{text}");
        let lines = text.lines().filter(|line| line.contains("denied"));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let show = "log show claude-code:talk-0001";
    let lines = denied(show);
    let is_stored: Vec<bool> = lines.iter().map(|line| line.contains("(call ")).collect();
    assert_eq!(is_stored, [false, true, false], "{lines:?}");
    assert!(lines[0].contains("plan-machine trust"), "{lines:?}");
    let lines = denied(&format!("{show} --after 1"));
    assert!(lines.len() == 2 && lines[0].contains("(call "), "{lines:?}");
    let lines = denied(&format!("{show} --format json"));
    let listed = |line: &String| line.starts_with(r#"{"denied":{"at":""#);
    let is_listed: Vec<bool> = lines.iter().map(listed).collect();
    assert_eq!(is_listed, [true, false, true], "{lines:?}");
    let audit = denied(&format!("{show} --audit"));
    assert!(audit.is_empty(), "{audit:?}");
    // The store does not contain this session.
    let lines = denied("log show claude-code:talk-0002");
    assert!(
        lines.len() == 1 && lines[0].contains("plan-machine trust"),
        "{lines:?}"
    );
}

#[test]
fn a_denial_for_a_person_has_no_internal_names() {
    let gated = Gated::new("agents_words");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", "hello");
    let (status, text) = gated.run("command .plan off", "");
    assert!(status == 1 && !text.contains("not_allowed"), "{text}");
    gated.write("c1");
    let (_, text) = gated.run("status --denied", "");
    assert!(
        text.contains("Write {}") && !text.contains("not_allowed"),
        "{text}"
    );
}

/// Starts a plan in a session.
fn start_plan(gated: &Gated, talk: &str) {
    let folder = gated.project();
    let event = format!(
        r#"{{"session_id":"{talk}","cwd":"{}","hook_event_name":"UserPromptSubmit","prompt":".plan on","source":"user"}}"#,
        folder.display()
    );
    gated.run("hook --agent claude-code", &event);
}

#[test]
fn a_token_that_fits_two_sessions_is_refused_with_a_list() {
    let gated = Gated::new("agents_two");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    for talk in ["talk-0001", "talk-0002"] {
        start_plan(&gated, talk);
        store_plan(&gated, talk, "# v1");
    }
    gated.on_terminal("status");
    let (status, text) = gated.run("approve 1-02c18244", "");
    assert!(
        status == 2 && text.contains("matches several plans"),
        "{text}"
    );
    assert!(
        text.contains("claude-code:talk-0001, claude-code:talk-0002"),
        "{text}"
    );
    let line = "reject --session claude-code:talk-0002 --reason too_long 1-02c18244";
    let (status, text) = gated.run(line, "");
    assert!(
        status == 0 && text.contains("The plan is rejected."),
        "{text}"
    );
    let (status, text) = gated.run("approve 1-02c18244", "");
    assert!(status == 0 && text.contains("talk-0001"), "{text}");
}

#[test]
fn a_changed_document_is_shown_before_it_is_trusted() {
    let gated = Gated::new("agents_changed");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    let document = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&document).expect("a document");
    fs::write(
        &document,
        text.replace(
            "reads: run, inner: run }",
            "reads: run, inner: run, writes: run }",
        ),
    )
    .expect("written");
    let (_, denied) = gated.write("c1");
    assert!(denied.contains("run `plan-machine trust`"), "{denied}");
    let (status, text) = gated.run("trust --yes", "");
    assert!(status == 0 && text.contains("changed: work.yaml"), "{text}");
    assert!(text.contains("gating: "), "{text}");
    assert_eq!(gated.write("c2").0, 0);
    let (_, text) = gated.run("status --denied", "");
    assert!(text.contains("Write {}"), "{text}");
}

#[test]
fn documents_that_came_with_a_project_are_shown_before_init_trusts_them() {
    let gated = Gated::new("agents_foreign");
    if refuses_an_agent(&gated) {
        return;
    }
    let (status, text) = gated.run("init --agent codex", "");
    assert!(
        status == 2 && text.contains("no person has trusted"),
        "{text}"
    );
    assert!(!gated.project().join(".codex").exists(), "a file was made");
    let (status, text) = gated.run("init --agent codex --yes", "");
    assert!(status == 0 && text.contains("new: work.yaml"), "{text}");

    // Installing the gate for another agent, or removing it, does not trust what somebody has changed since.
    let document = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&document).expect("a document");
    fs::write(
        &document,
        text.replace("inner: run }", "inner: run, writes: run }"),
    )
    .expect("written");
    gated.run("init --agent codex --remove --yes", "");
    let (_, denied) = gated.write("c1");
    assert!(denied.contains("run `plan-machine trust`"), "{denied}");
    let (status, text) = gated.run("init --agent claude-code --yes", "");
    assert!(status == 0 && text.contains("changed: work.yaml"), "{text}");
}

#[test]
fn a_reason_without_its_option_gets_a_hint() {
    let gated = Gated::new("agents_reason");
    if refuses_an_agent(&gated) {
        return;
    }
    let (status, text) = gated.run("reject 1-02c18244 no tests", "");
    assert!(status == 2 && text.contains("also found `no`"), "{text}");
    let hint = "`plan-machine reject 1-02c18244 --reason TEXT`";
    assert!(text.contains(hint), "{text}");
    let (_, help) = gated.run("reject --help", "");
    assert!(!help.contains("WORDS"), "{help}");
}

#[test]
fn the_times_of_denied_calls_have_the_same_width() {
    let gated = Gated::new("agents_times");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    for call in ["c1", "c2", "c3"] {
        gated.write(call);
    }
    for line in ["status --denied", "log", "log show claude-code:talk-0001"] {
        let (status, text) = gated.run(line, "");
        assert_eq!(status, 0, "{text}");
        let words = text.split_whitespace();
        let times: Vec<&str> = words.filter(|word| word.starts_with("20")).collect();
        assert!(!times.is_empty(), "{text}");
        for time in times {
            let width = "2026-03-01T10:00:00.000Z".len();
            assert!(time.len() == width && time.ends_with('Z'), "{text}");
        }
    }
}
