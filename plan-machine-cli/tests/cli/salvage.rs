//! `plan-machine log salvage`: what can be read from a damaged file is copied, and its sessions can be used again.

use std::fs;
use std::path::Path;

use super::stored::{RUN, drafted, with_spec};
use super::transcript;

const SECOND: &str = "run plan.yaml --store sqlite:plans.db --session web:second-session";

fn log(folder: &Path, store: &str, line: &str) -> String {
    transcript(folder, &format!("log --store sqlite:{store} {line}"), "")
}

/// Creates a store with two sessions, and changes its bytes.
fn damaged(name: &str, damage: impl FnOnce(&mut [u8])) -> std::path::PathBuf {
    let folder = with_spec(name);
    drafted(&folder);
    let run = transcript(&folder, SECOND, r#"{"do":"/plan on"}"#);
    assert!(run.ends_with("--- status 0\n"), "{run}");
    let path = folder.join("plans.db");
    let mut bytes = fs::read(&path).expect("the store");
    damage(&mut bytes);
    fs::write(&path, bytes).expect("damaged");
    folder
}

/// Returns the first page of a table.
fn root(name: &str, folder: &str) -> usize {
    let folder = damaged(folder, |_| {});
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let root: u32 = file
        .query_row(select, [name], |row| row.get(0))
        .expect("a table");
    root as usize - 1
}

#[test]
fn a_damaged_file_is_copied_and_its_sessions_can_be_used() {
    let page = root("entry", "salvaged-root") * 2048;
    // The second of the rows on the page, which is an entry of the first session.
    let folder = damaged("salvaged", |bytes| bytes[page + 10] ^= 0x03);
    let bytes = fs::read(folder.join("plans.db")).expect("the store");
    let refused = transcript(&folder, SECOND, r#"{"do":"/plan off"}"#);
    assert!(refused.contains("plans.db salvage NEW"), "{refused}");

    let copied = log(&folder, "plans.db", "salvage new.db");
    assert!(
        copied.contains("copied 2 sessions with 2 entries to `sqlite:new.db`"),
        "{copied}"
    );
    assert!(
        copied.contains("cli:default-session: 1 entry lost; "),
        "{copied}"
    );
    assert!(!copied.contains("web:second-session"), "{copied}");
    assert!(copied.ends_with("--- status 1\n"), "{copied}");
    assert_eq!(fs::read(folder.join("plans.db")).expect("the store"), bytes);

    let run = RUN.replace("plans.db", "new.db");
    let closed = transcript(&folder, &run, r#"{"tool":"shell"}"#);
    assert!(!closed.contains(r#""run":"shell""#), "{closed}");
    let restarted = log(
        &folder,
        "new.db",
        "restart cli:default-session --why damaged",
    );
    assert!(restarted.ends_with("--- status 0\n"), "{restarted}");
    for run in [run, SECOND.replace("plans.db", "new.db")] {
        let went_on = transcript(&folder, &run, r#"{"do":"/plan on"}"#);
        assert!(went_on.ends_with("--- status 0\n"), "{went_on}");
    }
    let again = log(&folder, "plans.db", "salvage new.db");
    assert!(again.contains("nothing was copied"), "{again}");
    assert!(again.ends_with("--- status 2\n"), "{again}");
}

#[test]
fn a_store_with_damaged_definitions_names_the_way_out() {
    let folder = damaged("salvaged-schema", |bytes| {
        let text = b"CREATE INDEX due_by_instant";
        // A page may also contain the remains of a definition that was moved.
        let places: Vec<usize> = (0..bytes.len())
            .filter(|at| bytes[*at..].starts_with(text))
            .collect();
        for at in &places {
            bytes[at + 8] = b'?';
        }
    });
    for line in ["sessions", "show cli:default-session"] {
        let refused = log(&folder, "plans.db", line);
        assert!(refused.contains("malformed database schema"), "{refused}");
        let way_out = "plans.db salvage NEW` copies what can be read to a new file";
        assert!(refused.contains(way_out), "{refused}");
        assert!(refused.ends_with("--- status 2\n"), "{refused}");
    }
    let copied = log(&folder, "plans.db", "salvage --format json new.db");
    let lines: Vec<&str> = copied.lines().collect();
    assert_eq!(
        &lines[1..3],
        [
            r#"{"session":"cli:default-session","entries":2,"lost":0,"problem":null}"#,
            r#"{"session":"web:second-session","entries":1,"lost":0,"problem":null}"#,
        ]
    );
    assert!(copied.ends_with("--- status 0\n"), "{copied}");
}

#[test]
fn an_instant_of_a_timer_that_is_lost_or_late_is_reported() {
    let folder = with_spec("lost-timer");
    let spec = "machine: M\ncommands: { begin: /begin, done: /done }\nstates:\n  none: { on: { begin: A } }\n  A:\n    \
                on: { done: { to: Z, next: none } }\n    after: { 1d: { to: Z, next: none } }\n  Z: { final: true }\n";
    fs::write(folder.join("timer.yaml"), spec).expect("a spec");
    let run = "run timer.yaml --store sqlite:plans.db";
    let began = r#"{"do":"/begin","at":"2026-03-01T10:00:00Z"}"#;
    let run = transcript(&folder, run, began);
    assert!(run.ends_with("--- status 0\n"), "{run}");
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    let verify = || log(&folder, "plans.db", "verify --all timer.yaml");
    assert!(verify().ends_with("--- status 0\n"), "{}", verify());
    for (change, told) in [
        (
            "UPDATE due SET at = at + 2",
            "but the store lists the session as due only at 2026-03-02T10:00:00.002Z",
        ),
        (
            "DELETE FROM due",
            "but the store does not list the session as due",
        ),
    ] {
        file.execute_batch(change).expect("changed");
        let verified = verify();
        assert!(
            verified.contains("the next timer is due at 2026-03-02T10:00:00Z"),
            "{verified}"
        );
        assert!(verified.contains(told), "{verified}");
        assert!(verified.ends_with("--- status 1\n"), "{verified}");
    }
    // A store lists only the timers of the mode that a session is in. Machines of two modes have the same commands.
    let other = spec.replace("machine: M", "machine: N");
    fs::write(folder.join("other.yaml"), other).expect("a spec");
    let verified = log(&folder, "plans.db", "verify --all timer.yaml other.yaml");
    assert!(verified.ends_with("--- status 0\n"), "{verified}");
    file.execute_batch("INSERT INTO due VALUES(99, 0)")
        .expect("changed");
    let verified = verify();
    assert!(
        verified.contains("1 instant of a timer does not belong to any session"),
        "{verified}"
    );
}
