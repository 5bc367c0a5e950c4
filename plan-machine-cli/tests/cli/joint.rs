//! Tests of the commands that read session documents.

use insta::assert_snapshot;

use super::{corpus, fresh, transcript};

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

/// Runs the trace of each broken invariant of a document, and returns the traces.
fn traces_can_be_run(folder: &str, file: &str) -> Vec<String> {
    let folder = corpus(folder);
    let told = transcript(&folder, &format!("check --format json {file}"), "");
    let json = told.lines().nth(1).expect("a line of JSON");
    let json = plan_machine_kernel::json::Json::parse(json).expect("JSON");
    let found = json.as_object().and_then(|json| json.get("diagnostics"));
    let found = found
        .and_then(|found| found.as_list())
        .expect("diagnostics")
        .iter();
    let broken = found.filter_map(|found| {
        let found = found.as_object()?;
        (found.get("code")?.as_text()? == "PM0601").then(|| found.get("trace"))?
    });
    let traces: Vec<String> = broken.map(ToString::to_string).collect();
    for trace in &traces {
        let told = transcript(&folder, &format!("run {file}"), trace.as_str());
        assert!(told.ends_with("--- status 0\n"), "{told}");
        assert!(!told.contains(r#""accepted":false"#), "{told}");
    }
    traces
}

#[test]
fn the_trace_of_a_broken_invariant_can_be_run() {
    let traces = traces_can_be_run("session/invalid", "PM0601_tickets_during_a_review.yaml");
    assert_eq!(traces.len(), 3);
}

#[test]
fn a_trace_names_the_sender_of_the_commands_that_read_it() {
    let own = traces_can_be_run("invalid", "PM0601_own_change.yaml");
    let senders = |trace: &str| trace.matches(r#""actor":"x""#).count();
    assert_eq!(
        own.iter().map(|trace| senders(trace)).collect::<Vec<_>>(),
        [2]
    );
    let session = traces_can_be_run("session/invalid", "PM0601_sender_of_a_command.yaml");
    let each = session.iter().map(|trace| senders(trace));
    assert_eq!(each.collect::<Vec<_>>(), [1]);
}

#[test]
fn the_tools_of_a_session_are_those_that_no_machine_prevents() {
    let folder = corpus("session/valid");
    let open = "tools desk.yaml tickets.DRAFT --shape mcp";
    let open = transcript(&folder, open, "");
    assert!(open.contains(r#""name": "publish""#), "{open}");
    let closed = "tools desk.yaml tickets.DRAFT,review.OPEN --shape mcp";
    let closed = transcript(&folder, closed, "");
    assert!(closed.contains(r#""name": "open_ticket""#), "{closed}");
    assert!(!closed.contains(r#""name": "publish""#), "{closed}");
    let unknown = transcript(&folder, "tools desk.yaml reviw.OPEN", "");
    assert!(unknown.contains("did you mean `review`?"), "{unknown}");
}

#[test]
fn a_session_notices_mutants_that_its_machines_do_not() {
    let folder = corpus("session/valid");
    let alone = transcript(&folder, "mutate ../machines/review.yaml", "");
    assert!(alone.contains("survived: "), "{alone}");
    let together = transcript(&folder, "mutate --list desk.yaml", "");
    assert!(together.contains("killed by the invariant"), "{together}");
    let survivors = |text: &str| text.matches("survived: ").count();
    let of_review = together.split("../machines/tickets.yaml").next();
    assert!(
        survivors(of_review.unwrap_or_default()) < survivors(&alone),
        "{together}"
    );
}

#[test]
fn a_session_with_classes_is_checked_and_run() {
    let folder = corpus("session/valid");
    let told = transcript(&folder, "check classes.yaml", "");
    assert!(told.contains("classes.yaml: ok, 3 machines"), "{told}");
    let sent = [
        r#"{"do":"/plan"}"#,
        r#"{"tool":"Bash","with":{"command":"git status"}}"#,
        r#"{"tool":"Bash","with":{"command":"git status && rm -rf src"}}"#,
        r#"{"tool":"Bash","class":"reads"}"#,
        r#"{"tool":"Bash","class":"rads"}"#,
        r#"{"turn":"t1"}"#,
        r#"{"batch":[{"tool":"finish"},{"tool":"Write","with":{"path":"src/main.rs"}}]}"#,
        r#"{"tool":"Write","with":{"path":"src/main.rs"}}"#,
        r#"{"turn":"t2"}"#,
        r#"{"tool":"Write","with":{"path":"src/main.rs"}}"#,
        r#"{"tool":"Write","with":{"path":".claude/settings.json"}}"#,
    ];
    assert_snapshot!(transcript(&folder, "run classes.yaml", sent.join("\n")));
}

#[test]
fn a_running_session_guards_its_own_files() {
    let folder = corpus("session/valid");
    for file in [
        "classes.yaml",
        "../machines/planning.yaml",
        "../calls/agent.yaml",
    ] {
        let call = format!(r#"{{"tool":"Bash","with":{{"command":"echo > {file}"}}}}"#);
        let told = transcript(&folder, "run classes.yaml", call);
        assert!(told.contains("belongs to the gate"), "{told}");
    }
    let other = r#"{"tool":"Bash","with":{"command":"echo > desk.yaml"}}"#;
    let told = transcript(&folder, "run classes.yaml", other);
    assert!(!told.contains("belongs to the gate"), "{told}");
}

#[test]
fn a_running_session_denies_a_call_that_states_the_class_guard() {
    let folder = corpus("session/valid");
    let call = r#"{"tool":"Write","class":"guard"}"#;
    let told = transcript(&folder, "run classes.yaml", call);
    let message = "`Write` is denied in every state: it would change the gate itself";
    assert!(told.contains(message), "{told}");
    assert!(told.ends_with("--- status 0\n"), "{told}");
}

/// Checks a session document with one step, in a folder of its own. All calls to `Edit` have the class `writes`, and
/// calls of this class run.
fn checked(name: &str, step: &str) -> String {
    let folder = fresh(name);
    for (file, copy) in [
        ("machines/planning.yaml", "planning.yaml"),
        ("calls/agent.yaml", "agent.yaml"),
    ] {
        let file = corpus("session").join(file);
        std::fs::copy(file, folder.join(copy)).expect("a document of the corpus");
    }
    let document = format!(
        "session: Stated\nmachines: {{ work: planning.yaml }}\ncalls: agent.yaml\nscenarios:\n  a call:\n    - {step}\n"
    );
    std::fs::write(folder.join("stated.yaml"), document).expect("written");
    transcript(&folder, "check stated.yaml", "")
}

#[test]
fn a_step_can_state_the_class_guard() {
    let step =
        "{ tool: Edit, class: guard, with: { path: .claude/settings.json }, denied: not_allowed }";
    let told = checked("stated_guard", step);
    assert!(told.ends_with("--- status 0\n"), "{told}");

    let step = "{ tool: Edit, class: guard, with: { path: .claude/settings.json }, runs: true }";
    let told = checked("stated_guard_runs", step);
    assert!(told.contains("error[PM0701]"), "{told}");
    assert!(told.contains("stated.yaml:6:"), "{told}");

    let step = "{ tool: Edit, class: guard, with: { path: a }, denied: not_allowed }";
    let told = checked("stated_guard_differs", step);
    let problem = "error[PM1007]: this call to `Edit` has the class `writes`";
    assert!(told.contains(problem), "{told}");
    assert!(told.contains("stated.yaml:6:28"), "{told}");
}

#[test]
fn a_step_that_states_no_class_is_classified() {
    let step = "{ tool: Edit, with: { path: .claude/settings.json }, runs: true }";
    let told = checked("unstated_guard", step);
    for part in [
        "error[PM1007]: this call to `Edit` has the class `guard`, which is built in",
        "stated.yaml:6:15",
        "expected `writes`",
        "the call writes `.claude/settings.json`, which belongs to the gate",
        "add `class: guard`",
        "--- status 1\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }

    let told = checked("unstated", "{ tool: Edit, with: { path: a }, runs: true }");
    assert!(told.ends_with("--- status 0\n"), "{told}");
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
fn the_prompts_of_a_session_are_those_of_all_its_machines() {
    let folder = corpus("session/valid");
    let (work, notes) = ("Plan mode is active.", "Planning files are open.");
    let idle = "For complex work (three steps or more";
    let both = transcript(&folder, "prompt coding.yaml work.COLLECTING,notes.OPEN", "");
    let places = [work, "\n\n", notes].map(|text| both.find(text));
    assert!(places.is_sorted() && places[0].is_some(), "{both}");
    assert!(!both.contains(idle), "{both}");
    let one = transcript(&folder, "prompt coding.yaml work.COLLECTING", "");
    assert!(one.contains(work) && one.contains(idle), "{one}");
    let none = transcript(&folder, "prompt desk.yaml review.OPEN", "");
    assert!(
        none.contains("no machine has a prompt in these states")
            && none.ends_with("--- status 0\n"),
        "{none}"
    );
    let unknown = transcript(&folder, "prompt coding.yaml wrk.COLLECTING", "");
    assert!(unknown.contains("did you mean `work`?"), "{unknown}");
}
