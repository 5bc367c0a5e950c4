//! A stored plan that does not match its spec is reported, together with the command that ends the plan.

use std::path::Path;

use super::stored::{drafted, with_spec};
use super::transcript;

const DAMAGED_RUN: &str = "run shorter.yaml --store sqlite:plans.db";

/// Writes a spec that the stored plan does not match, because the text of the plan is too long.
fn shorter(folder: &Path) {
    let spec = std::fs::read_to_string(folder.join("plan.yaml")).expect("the spec");
    let (from, to) = (
        "  markdown: string?",
        "  markdown: { type: string?, max: 3 }",
    );
    assert!(spec.contains(from));
    let spec = spec.replace(from, to);
    let spec = spec.split("\nscenarios:").next().unwrap_or_default();
    std::fs::write(folder.join("shorter.yaml"), spec).expect("written");
}

/// Changes a state in the first entry of a store.
fn altered(path: &Path) {
    let mut bytes = std::fs::read(path).expect("the store");
    let name = b"COLLECTING";
    let mut places = (0..bytes.len() - name.len()).filter(|at| bytes[*at..].starts_with(name));
    let at = places.next().expect("the first entry");
    bytes[at] = b'c';
    std::fs::write(path, &bytes).expect("written");
}

fn log(folder: &Path, line: &str) -> String {
    transcript(folder, &format!("log --store sqlite:plans.db {line}"), "")
}

#[test]
fn a_message_names_the_command_that_ends_a_damaged_plan() {
    let folder = with_spec("damaged_plan");
    drafted(&folder);
    shorter(&folder);
    let run = transcript(&folder, DAMAGED_RUN, r#"{"do":"/plan on"}"#);
    assert!(
        run.contains("`markdown` has 4 characters, but at most 3 are allowed"),
        "{run}"
    );
    let command = run
        .split_once("End it with `plan-machine ")
        .expect("a command")
        .1;
    let command = command.split_once('`').expect("its end").0;
    let ended = transcript(&folder, &command.replace("TEXT", "too-long"), "");
    assert!(
        ended.contains("ended plan-1 of WorkByPlan in `cli:default-session` with entry 3"),
        "{ended}"
    );
    let run = transcript(&folder, DAMAGED_RUN, r#"{"do":"/plan on"}"#);
    assert!(run.contains(r#""state":"COLLECTING""#), "{run}");

    let listed = log(&folder, "");
    assert!(
        listed.contains("4 entries") && listed.contains("plan-2 COLLECTING"),
        "{listed}"
    );
    let shown = log(&folder, "show cli:default-session");
    assert!(
        shown.contains("abandon") && shown.contains("too-long"),
        "{shown}"
    );
    assert!(shown.contains("plan-1: READY, ended"), "{shown}");
    let exported = log(&folder, "export --all");
    assert!(
        exported.contains(r#""abandon":"plan-1","why":"too-long""#),
        "{exported}"
    );
    for spec in ["plan.yaml", "shorter.yaml"] {
        let verified = log(&folder, &format!("verify --all {spec}"));
        // The draft is too long for the shorter spec, but the entry that ends its plan matches both specs.
        assert!(!verified.contains("entry 3"), "{verified}");
        assert_eq!(
            verified.ends_with("--- status 0\n"),
            spec == "plan.yaml",
            "{verified}"
        );
    }
}

#[test]
fn a_plan_that_does_not_exist_is_not_ended() {
    let folder = with_spec("no_such_plan");
    drafted(&folder);
    let missing = log(&folder, "end cli:default-session plan-7 --why typo");
    assert!(
        missing.contains("`cli:default-session` has no plan `plan-7`"),
        "{missing}"
    );
    assert!(
        missing.contains("plans in the session: plan-1"),
        "{missing}"
    );
    let other = log(
        &folder,
        "end cli:default-session plan-1 --machine Other --why typo",
    );
    assert!(other.contains("has no plan"), "{other}");
    for refused in [
        "end cli:default-session plan-1",
        "end cli:default-session plan-1 --why \u{a0}",
    ] {
        let refused = log(&folder, refused);
        assert!(
            refused.contains("--why") && refused.ends_with("--- status 2\n"),
            "{refused}"
        );
    }
    assert!(log(&folder, "").contains("2 entries"));
}

#[test]
fn a_session_that_cannot_be_read_is_restarted_with_its_entries_kept() {
    let folder = with_spec("restarted_session");
    drafted(&folder);
    let refused = log(&folder, "restart cli:default-session --why no-reason");
    assert!(
        refused.contains("`cli:default-session` can be read")
            && refused.contains("`plan-machine log --store STORE end SESSION PLAN --why TEXT`"),
        "{refused}"
    );
    altered(&folder.join("plans.db"));
    let run = "run plan.yaml --store sqlite:plans.db";
    let stopped = transcript(&folder, run, r#"{"do":"/plan off"}"#);
    let command = "restart cli:default-session --why TEXT";
    assert!(stopped.contains(command), "{stopped}");
    let listed = log(&folder, "");
    assert!(listed.contains("entry 1 is damaged"), "{listed}");
    let exported = log(&folder, "export cli:default-session");

    let restarted = log(&folder, "restart cli:default-session --why edited-by-hand");
    assert!(
        restarted.contains("restarted `cli:default-session` with entry 3"),
        "{restarted}"
    );
    let run = transcript(&folder, run, r#"{"do":"/plan on"}"#);
    assert!(run.contains(r#""state":"COLLECTING""#), "{run}");
    let after = log(&folder, "export cli:default-session");
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let entries = |text: &str| -> Vec<String> {
        let lines = lines(text).into_iter();
        lines.filter(|line| line.contains("\"entry\":")).collect()
    };
    assert_eq!(entries(&after)[..2], entries(&exported));
    assert_eq!(entries(&after).len(), 4);
    let shown = log(&folder, "show cli:default-session");
    assert!(
        shown.contains("restart") && shown.contains("edited-by-hand"),
        "{shown}"
    );
    let verified = log(&folder, "verify --all plan.yaml");
    assert!(
        verified.contains("2 entries verified") && verified.contains("entry 1 is damaged"),
        "{verified}"
    );
    // The restart and the entry after it were verified.
    assert!(
        verified.contains("; 2 entries were not verified"),
        "{verified}"
    );
}
