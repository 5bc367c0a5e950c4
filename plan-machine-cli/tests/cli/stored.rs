//! `plan-machine run --store`: stored sessions.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{corpus, fresh, transcript};

/// Creates a folder with the spec of a plan.
pub(super) fn with_spec(name: &str) -> PathBuf {
    let folder = fresh(name);
    let spec = corpus("valid").join("work_by_plan.yaml");
    std::fs::copy(spec, folder.join("plan.yaml")).expect("copied");
    folder
}

pub(super) const RUN: &str = "run plan.yaml --store sqlite:plans.db";

/// Lines of input with explicit times, so that the stored data is always the same.
pub(super) const DRAFTED: [&str; 3] = [
    r#"{"do":"/plan on","actor":"ann","at":"2026-03-01T10:00:00Z"}"#,
    r##"{"do":"plan_set_content","with":{"plan_markdown":"# v1"},"actor":"model","call_id":"c1","at":"2026-03-01T10:01:00Z"}"##,
    r#"{"do":"/plan approve 0-00000000","actor":"bob","call_id":"c2","at":"2026-03-01T10:02:00Z"}"#,
];

pub(super) fn drafted(folder: &Path) {
    let run = transcript(folder, RUN, DRAFTED.join("\n"));
    assert!(run.ends_with("--- status 0\n"), "{run}");
}

#[test]
fn a_run_that_was_killed_continues_where_it_was() {
    let folder = with_spec("killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_plan-machine"))
        .current_dir(&folder)
        .args(RUN.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for line in &DRAFTED[..2] {
        writeln!(input, "{line}").expect("it reads");
        let answer = answers.next().expect("an answer").expect("text");
        assert!(answer.starts_with(r#"{"accepted":true"#), "{answer}");
    }
    // The process is now waiting for input.
    child.kill().expect("killed");
    child.wait().expect("gone");
    let rest = r#"{"do":"/plan approve","token":"1-02c18244"}"#;
    let on = transcript(&folder, RUN, rest);
    assert!(on.contains(r#""state":"EXECUTING","plan":{"id":"plan-1","revision":3"#));
    let show = transcript(&folder, "log --store sqlite:plans.db", "");
    assert!(show.contains("3 entries"), "{show}");
    assert!(show.contains("1 pending"), "{show}");
}

#[test]
fn an_event_under_a_known_call_id_is_answered_as_the_first_time() {
    let folder = with_spec("repeated");
    let first = transcript(&folder, RUN, DRAFTED.join("\n"));
    let again = transcript(&folder, RUN, DRAFTED[1..].join("\n"));
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (first, again) = (lines(&first), lines(&again));
    for (first, again) in first[2..4].iter().zip(&again[1..3]) {
        let (accepted, rest) = again.split_once(r#""repeated":true,"#).expect("repeated");
        assert_eq!(*first, format!("{accepted}{rest}"));
    }
    assert!(first[3].contains(r#""accepted":false"#), "{first:?}");
}

#[test]
fn a_call_id_counts_in_memory_and_in_a_batch_too() {
    let folder = with_spec("batch_ids");
    let sent = [
        r#"{"do":"/plan on","call_id":"a"}"#,
        r#"{"do":"/plan on","call_id":"a"}"#,
        r##"{"batch":[{"tool":"plan_set_content","with":{"plan_markdown":"# v1"},"call_id":"b"},{"tool":"plan_set_content","with":{"plan_markdown":"# v1"},"call_id":"b"}]}"##,
        r##"{"tool":"plan_set_content","with":{"plan_markdown":"# v2"},"call_id":"b"}"##,
        r#"{"batch":[],"call_id":"c"}"#,
    ];
    let run = transcript(&folder, "run plan.yaml", sent.join("\n"));
    assert_eq!(run.matches(r#""repeated":true"#).count(), 2, "{run}");
    assert_eq!(run.matches(r##""markdown":"# v1""##).count(), 2, "{run}");
    assert!(!run.contains(r##""markdown":"# v2""##), "{run}");
    assert!(run.contains("the call id `b` of the model was already used for `plan_set_content` with different arguments"), "{run}");
    assert!(
        run.contains("`call_id` belongs in the calls of `batch`"),
        "{run}"
    );
}

#[test]
fn sessions_of_one_store_do_not_meet() {
    let folder = with_spec("apart");
    drafted(&folder);
    let other = format!("{RUN} --session web:another-one");
    let run = transcript(&folder, &other, r#"{"do":"plan_get"}"#);
    assert!(run.contains(r#""state":"none""#), "{run}");
}

#[test]
fn a_name_that_no_session_may_have_is_reported() {
    let folder = with_spec("names");
    for (name, wanted) in [
        ("nothing", "expected a channel and a conversation"),
        (":conversation", "is not a valid channel name"),
    ] {
        let run = transcript(&folder, &format!("{RUN} --session {name}"), "");
        assert!(run.contains(wanted), "{run}");
        assert!(run.ends_with("--- status 2\n"), "{run}");
    }
    // An existing session may have such a name, but a new session cannot.
    let short = format!("{RUN} --session cli:short");
    let run = transcript(&folder, &short, r#"{"do":"/plan on"}"#);
    assert!(
        run.contains(r#"{"error":"`short` cannot be the name of a new conversation"#),
        "{run}"
    );
    assert!(run.ends_with("--- status 2\n"), "{run}");
}

#[test]
fn a_session_needs_a_store_and_a_store_a_known_kind() {
    let folder = with_spec("kinds");
    let run = transcript(&folder, "run plan.yaml --session cli:my-session", "");
    assert!(run.contains("--store"), "{run}");
    for store in ["mysql:x", "sqlite:", "postgres:", "plans.db"] {
        let run = transcript(&folder, &format!("run plan.yaml --store {store}"), "");
        assert!(run.contains("is not a store"), "{run}");
        assert!(run.ends_with("--- status 2\n"), "{run}");
    }
}

#[test]
fn a_damaged_store_is_reported_and_left_as_it_is() {
    let folder = with_spec("damaged_run");
    drafted(&folder);
    let path = folder.join("plans.db");
    let whole = std::fs::read(&path).expect("the store");
    let altered = |with: &[u8]| {
        let text = String::from_utf8_lossy(&whole);
        assert!(
            text.contains("# v1"),
            "the store contains the text of the plan verbatim"
        );
        let at = whole.windows(4).position(|four| four == b"# v1");
        let mut bytes = whole.clone();
        let at = at.expect("the text");
        bytes[at..at + 4].copy_from_slice(with);
        bytes
    };
    for (bytes, wanted) in [
        (
            b"This is plain text, not a store.\n".repeat(9),
            "plan-machine cannot use this store",
        ),
        (whole[..whole.len() / 2].to_vec(), "damaged"),
        (altered(b"# v9"), "entry 2 is damaged"),
        (altered(b"\xff\xfe\xfd\xfc"), "damaged"),
    ] {
        std::fs::write(&path, &bytes).expect("written");
        let run = transcript(&folder, RUN, r#"{"do":"plan_get"}"#);
        assert!(run.contains(wanted), "{wanted}: {run}");
        assert!(run.contains("plans.db"), "{run}");
        assert!(run.ends_with("--- status 2\n"), "{run}");
        let log = transcript(&folder, "log --store sqlite:plans.db", "");
        assert!(log.contains(wanted), "{wanted}: {log}");
        assert!(!log.ends_with("--- status 0\n"), "{log}");
        let now = std::fs::read(&path).expect("still there");
        assert!(now == bytes, "{wanted}: the file has changed");
    }
}
