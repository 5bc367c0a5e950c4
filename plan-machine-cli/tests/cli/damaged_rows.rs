//! `plan-machine log` on a store with a damaged row: the other sessions are still listed, verified and exported, and
//! the damaged session can be restarted.

use std::path::Path;

use super::stored::{RUN, drafted, with_spec};
use super::transcript;

/// The changes to the row of `cli:default-session`.
const DAMAGES: [(&str, &str); 9] = [
    ("negative", "UPDATE session SET seq = -5 WHERE id = 1"),
    ("zero", "UPDATE session SET seq = 0 WHERE id = 1"),
    ("low", "UPDATE session SET seq = 1 WHERE id = 1"),
    (
        "huge",
        "UPDATE session SET seq = 9223372036854775807 WHERE id = 1",
    ),
    ("effects", "UPDATE session SET effects = -5 WHERE id = 1"),
    (
        "bytes",
        "UPDATE session SET conversation = CAST(x'ff' AS TEXT) WHERE id = 1",
    ),
    ("empty", "UPDATE session SET channel = '' WHERE id = 1"),
    ("lost", "DELETE FROM session WHERE id = 1"),
    (
        "entry",
        "UPDATE entry SET seq = 9223372036854775807 WHERE session = 1 AND seq = 2",
    ),
];

fn log(folder: &Path, line: &str) -> String {
    transcript(folder, &format!("log --store sqlite:plans.db {line}"), "")
}

/// Creates two sessions, and damages the first one.
fn damaged(name: &str, damage: &str) -> std::path::PathBuf {
    let folder = with_spec(&format!("damaged-row-{name}"));
    drafted(&folder);
    let second = format!("{RUN} --session web:second-session");
    let run = transcript(&folder, &second, r#"{"do":"/plan on"}"#);
    assert!(run.ends_with("--- status 0\n"), "{run}");
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    file.execute_batch(damage).expect("damaged");
    folder
}

#[test]
fn a_damaged_row_hides_no_other_session_and_its_session_can_start_over() {
    for (name, damage) in DAMAGES {
        let folder = damaged(name, damage);
        for line in ["sessions", "verify --all plan.yaml", "export --all"] {
            let told = log(&folder, line);
            assert!(told.contains("web:second-session"), "{damage}: {told}");
            let fine = "web:second-session: ok, 1 entry verified";
            assert!(!line.starts_with("verify") || told.contains(fine), "{told}");
            assert!(told.ends_with("--- status 1\n"), "{damage}: {told}");
        }
        let run = transcript(&folder, RUN, r#"{"do":"/plan on"}"#);
        assert!(!run.contains(r#""accepted":true"#), "{damage}: {run}");

        let restarted = log(&folder, "restart cli:default-session --why damaged");
        assert!(
            restarted.contains("the entries before it are kept"),
            "{damage}: {restarted}"
        );
        assert!(
            restarted.ends_with("--- status 0\n"),
            "{damage}: {restarted}"
        );
        let listed = log(&folder, "sessions");
        assert!(listed.contains("cli:default-session"), "{damage}: {listed}");
        assert!(listed.ends_with("--- status 0\n"), "{damage}: {listed}");
        let run = transcript(&folder, RUN, r#"{"do":"/plan on"}"#);
        assert!(run.contains(r#""accepted":true"#), "{damage}: {run}");
        let exported = log(&folder, "export cli:default-session");
        let entries = exported.lines().filter(|line| line.contains(r#""entry":"#));
        assert_eq!(entries.count(), 4, "{damage}: {exported}");
    }
}

#[test]
fn an_altered_answer_names_one_way_out() {
    let folder = with_spec("altered-answer");
    drafted(&folder);
    let call = r#"{"tool":"shell","call_id":"c9","actor":"model"}"#;
    let run = transcript(&folder, RUN, call);
    assert!(run.ends_with("--- status 0\n"), "{run}");
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    let changed = file.execute("UPDATE answer SET digest = zeroblob(32)", []);
    assert!(changed.is_ok_and(|rows| rows > 0));
    drop(file);
    let again = transcript(&folder, RUN, call);
    assert!(
        again.contains("the stored answer to the call `c9` is damaged"),
        "{again}"
    );
    assert!(again.contains("send it with another call id"), "{again}");
    assert!(!again.contains("restart"), "{again}");
    let other = transcript(&folder, RUN, call.replace("c9", "c10"));
    assert!(other.contains(r#""run":"shell""#), "{other}");
}

/// The snapshot that a session has after many entries, reduced to what its lookup reads.
const SNAPSHOT: &str =
    "INSERT INTO snapshot(session, seq, body, digest) VALUES(1, 256, '{}', zeroblob(32))";

#[test]
fn a_session_of_which_only_a_snapshot_is_left_is_found_by_all_commands() {
    let lost = format!(
        "{SNAPSHOT}; DELETE FROM entry WHERE session = 1; DELETE FROM answer WHERE session = 1;
         UPDATE session SET seq = 0, head = NULL WHERE id = 1"
    );
    let folder = damaged("snapshot", &lost);
    let run = transcript(&folder, RUN, r#"{"do":"/plan on"}"#);
    assert!(!run.contains(r#""accepted":true"#), "{run}");
    for line in ["show", "export", "verify"] {
        let specs = if line == "verify" { " plan.yaml" } else { "" };
        let told = log(&folder, &format!("{line} cli:default-session{specs}"));
        assert!(!told.contains("has no session"), "{line}: {told}");
    }
    let restarted = log(&folder, "restart cli:default-session --why lost");
    assert!(restarted.ends_with("--- status 0\n"), "{restarted}");
    let run = transcript(&folder, RUN, r#"{"do":"/plan on"}"#);
    assert!(run.contains(r#""accepted":true"#), "{run}");

    let folder = damaged("snapshot-deleted", &lost);
    let deleted = log(&folder, "delete cli:default-session --yes");
    assert!(deleted.ends_with("--- status 0\n"), "{deleted}");
    let listed = log(&folder, "sessions");
    assert!(!listed.contains("cli:default-session"), "{listed}");
}

#[test]
fn a_call_whose_answer_was_removed_is_reported() {
    let folder = damaged("no-answer", "DELETE FROM answer WHERE session = 1");
    let verified = log(&folder, "verify cli:default-session plan.yaml");
    let told = "the answer to the call `c1` of entry 2 is missing; the call could be made again";
    assert!(verified.contains(told), "{verified}");
    assert!(verified.ends_with("--- status 1\n"), "{verified}");
}

#[test]
fn a_session_whose_row_has_another_valid_name_does_not_start_over() {
    let folder = damaged(
        "renamed",
        "UPDATE session SET conversation = 'default-sessioo' WHERE id = 1; REINDEX",
    );
    let run = transcript(&folder, RUN, r#"{"tool":"shell"}"#);
    assert!(!run.contains(r#""accepted":true"#), "{run}");
    assert!(run.contains("not the row with its name"), "{run}");
    let restarted = log(&folder, "restart cli:default-session --why renamed");
    assert!(restarted.ends_with("--- status 0\n"), "{restarted}");
}

#[test]
fn nothing_is_written_to_a_file_with_a_changed_trigger() {
    let folder = damaged(
        "trigger",
        "PRAGMA writable_schema = on;
         UPDATE sqlite_schema SET sql = replace(sql, 'id = new.session', 'id < new.session')
         WHERE name = 'entry_is_last'",
    );
    let bytes = || std::fs::read(folder.join("plans.db")).expect("the store");
    let before = bytes();
    let told = "the trigger `entry_is_last` has been changed";
    let second = format!("{RUN} --session web:second-session");
    let run = transcript(&folder, &second, r#"{"do":"/plan off"}"#);
    assert!(run.contains(told), "{run}");
    assert!(!run.contains(r#""accepted":true"#), "{run}");
    let verified = log(&folder, "verify --all plan.yaml");
    assert!(verified.contains(told), "{verified}");
    assert!(verified.ends_with("--- status 1\n"), "{verified}");
    let exported = log(&folder, "export --all");
    assert!(exported.contains("web:second-session"), "{exported}");
    assert!(bytes() == before, "the file has changed");
}
