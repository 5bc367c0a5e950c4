//! Tests of `plan-machine log`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use plan_machine_kernel::json::Json;
use plan_machine_sessions::journal::Chain;

use super::stored::{RUN, drafted, with_spec};
use super::{fresh, transcript};

fn log(folder: &Path, line: &str) -> String {
    transcript(folder, &format!("log --store sqlite:plans.db {line}"), "")
}

/// The lines after the draft: the plan is approved, carried out and revised.
const CARRIED_OUT: [&str; 4] = [
    r#"{"tool":"shell","actor":"model","call_id":"c3","at":"2026-03-01T10:03:00Z"}"#,
    r#"{"do":"/plan approve 1-02c18244","actor":"ann","at":"2026-03-01T10:04:00Z"}"#,
    r##"{"do":"plan_set_content","with":{"plan_markdown":"# v2"},"actor":"mo\u001b[2Jdel","at":"2026-03-01T10:05:00Z"}"##,
    r#"{"do":"plan_get","call_id":"c4","at":"2026-03-01T10:06:00Z"}"#,
];

fn carried_out(folder: &Path) {
    drafted(folder);
    let run = transcript(folder, RUN, CARRIED_OUT.join("\n"));
    assert!(run.ends_with("--- status 0\n"), "{run}");
}

#[test]
fn a_timeline_shows_what_happened() {
    let folder = with_spec("timeline");
    carried_out(&folder);
    assert_snapshot!(log(&folder, "show cli:default-session"));
}

#[test]
fn an_audit_shows_who_did_what_with_which_token() {
    let folder = with_spec("audit");
    carried_out(&folder);
    assert_snapshot!(log(&folder, "show cli:default-session --audit"));
}

#[test]
fn the_end_of_a_timeline_knows_how_it_started() {
    let folder = with_spec("after");
    carried_out(&folder);
    let shown = log(&folder, "show cli:default-session --after 2");
    assert!(shown.contains("plan-1: READY → EXECUTING"), "{shown}");
    assert!(!shown.contains("COLLECTING"), "{shown}");
}

#[test]
fn sessions_are_listed_with_their_states() {
    let folder = with_spec("listed");
    carried_out(&folder);
    let second = format!("{RUN} --session web:second-session");
    let begun = r#"{"do":"/plan on","at":"2026-04-01T00:00:00Z"}"#;
    transcript(&folder, &second, begun);
    assert_snapshot!(log(&folder, ""));
    assert_eq!(
        log(&folder, "")
            .replace(" \n", "\n")
            .split_once('\n')
            .map(|all| all.1.to_owned()),
        log(&folder, "sessions")
            .split_once('\n')
            .map(|all| all.1.to_owned())
    );
    let json = log(&folder, "--format json");
    let lines = json.lines().filter(|line| line.starts_with('{'));
    assert!(
        lines.clone().all(|line| Json::parse(line).is_ok()),
        "{json}"
    );
    assert_eq!(lines.count(), 2, "{json}");
}

#[test]
fn a_journal_is_verified_by_its_spec() {
    let folder = with_spec("verified");
    carried_out(&folder);
    assert_snapshot!(log(&folder, "verify --all plan.yaml"));
}

#[test]
fn a_journal_of_two_modes_is_verified_by_the_specs_of_both() {
    let folder = fresh("log_two_modes");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/stores/0.1-format-4");
    std::fs::copy(kept.join("plans.db"), folder.join("plans.db")).expect("a copy");
    for spec in ["work_by_plan", "plan_mode", "planning_files", "auto_run"] {
        let name = format!("{spec}.yaml");
        std::fs::copy(kept.join("specs").join(&name), folder.join(&name)).expect("a copy");
    }
    let both = "verify kept:side-by-side work_by_plan.yaml plan_mode.yaml planning_files.yaml auto_run.yaml";
    let verified = log(&folder, both);
    assert!(verified.contains("kept:side-by-side: ok"), "{verified}");
    let twice = log(
        &folder,
        "verify kept:side-by-side plan_mode.yaml plan_mode.yaml",
    );
    assert!(
        twice.contains("the machine PlanMode is named twice"),
        "{twice}"
    );
}

/// Modifies the store directly, bypassing the session.
fn changed(folder: &Path, statements: &str) {
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    file.execute_batch(statements).expect("changed");
}

#[test]
fn an_open_effect_without_its_entry_is_reported_and_the_entries_are_shown() {
    for (name, change, problem) in [
        (
            "no-entry",
            "UPDATE effect SET seq = 10",
            "entry 10, which has a pending effect, is missing",
        ),
        (
            "no-effect",
            "UPDATE effect SET position = 7",
            "the store lists effect 8 of entry 2 as pending, but the entry has no such effect",
        ),
        (
            "no-row",
            "CREATE TEMP TABLE before AS SELECT id, effects FROM session;
             DELETE FROM effect;
             UPDATE session SET effects = (SELECT effects FROM before WHERE before.id = session.id)",
            "some of the session's pending effects are missing",
        ),
    ] {
        let folder = with_spec(name);
        drafted(&folder);
        let sound = log(&folder, "show cli:default-session");
        changed(&folder, change);
        let verified = log(&folder, "verify --all plan.yaml");
        assert!(verified.contains(problem), "{name}: {verified}");
        assert!(verified.ends_with("--- status 1\n"), "{name}: {verified}");
        let shown = log(&folder, "show cli:default-session");
        assert!(shown.contains(problem), "{name}: {shown}");
        assert!(shown.ends_with("--- status 1\n"), "{name}: {shown}");
        for event in ["plan_on", "plan_set_content"] {
            assert!(sound.contains(event) && shown.contains(event), "{shown}");
        }
        let restarted = log(&folder, "restart cli:default-session --why damaged");
        assert!(restarted.ends_with("--- status 0\n"), "{name}: {restarted}");
        let verified = log(&folder, "verify --all plan.yaml");
        assert!(verified.ends_with("--- status 0\n"), "{name}: {verified}");
    }
}

#[test]
fn entries_without_a_session_are_reported() {
    let folder = with_spec("orphans");
    drafted(&folder);
    changed(&folder, "DELETE FROM session");
    let verified = log(&folder, "verify --all plan.yaml");
    assert!(
        verified.contains("2 entries do not belong to any session"),
        "{verified}"
    );
    assert!(verified.ends_with("--- status 1\n"), "{verified}");
}

#[test]
fn a_spec_that_was_edited_since_is_reported() {
    let folder = with_spec("edited");
    carried_out(&folder);
    let path = folder.join("plan.yaml");
    let spec = std::fs::read_to_string(&path).expect("the spec");
    // An edit that does not affect any recorded event.
    let words = spec.replace("doc: ", "doc: Today ");
    assert_ne!(words, spec);
    std::fs::write(folder.join("words.yaml"), words).expect("written");
    let same = log(&folder, "verify --all words.yaml");
    assert!(same.ends_with("--- status 0\n"), "{same}");
    // An edit that affects recorded events.
    let deeds = spec.replace("EXECUTING", "WORKING");
    std::fs::write(folder.join("deeds.yaml"), deeds).expect("written");
    assert_snapshot!(log(&folder, "verify cli:default-session deeds.yaml"));
    let other = "machine: Note\ncommands: { begin: /note, end: /done }\nstates:\n  none: { on: { begin: OPEN } }\n  OPEN: { on: { end: { to: CLOSED, next: none } } }\n  CLOSED: { final: true }\n";
    std::fs::write(folder.join("other.yaml"), other).expect("written");
    let missing = log(&folder, "verify --all other.yaml");
    assert!(
        missing.contains("written with an unknown machine"),
        "{missing}"
    );
    assert!(missing.ends_with("--- status 1\n"), "{missing}");
}

#[test]
fn an_entry_that_was_altered_is_reported_by_its_number() {
    let folder = with_spec("altered");
    carried_out(&folder);
    let path = folder.join("plans.db");
    let mut bytes = std::fs::read(&path).expect("the store");
    // Every occurrence is changed: the pages of the database still contain the old bytes of entries
    // that were moved.
    for name in [&br#""actor":"bob""#[..], br#""actor":"ann","machine""#] {
        let places: Vec<usize> = (0..bytes.len() - name.len())
            .filter(|at| bytes[*at..].starts_with(name))
            .collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at + 9..at + 12].copy_from_slice(b"eve");
        }
    }
    std::fs::write(&path, &bytes).expect("written");
    let verified = log(&folder, "verify --all plan.yaml");
    assert!(
        verified.contains("is damaged: the digest of the entry does not match its text"),
        "{verified}"
    );
    assert!(verified.ends_with("--- status 1\n"), "{verified}");
    let shown = log(&folder, "show cli:default-session");
    assert!(
        shown.contains("damaged: the digest of the entry"),
        "{shown}"
    );
    assert!(
        shown.contains("the answer to the call `c2` was altered"),
        "{shown}"
    );
    assert!(shown.ends_with("--- status 1\n"), "{shown}");
    assert_eq!(std::fs::read(&path).expect("still there"), bytes);
}

/// Creates a session with enough entries for a snapshot.
fn with_a_snapshot(folder: &Path, session: &str, title: &str) {
    let mut lines = vec![r#"{"do":"/plan on"}"#.to_owned()];
    for _ in 0..127 {
        lines.push(format!(
            r##"{{"do":"plan_set_content","with":{{"plan_markdown":"# {title}"}}}}"##
        ));
    }
    let run = transcript(
        folder,
        &format!("{RUN} --session {session}"),
        lines.join("\n"),
    );
    assert!(run.ends_with("--- status 0\n"), "{run}");
}

#[test]
fn a_snapshot_of_another_session_is_seen() {
    let folder = with_spec("foreign");
    with_a_snapshot(&folder, "web:first-session", "one");
    with_a_snapshot(&folder, "web:second-session", "two");
    assert!(log(&folder, "verify --all plan.yaml").ends_with("--- status 0\n"));
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    let copied = "UPDATE snapshot SET (seq, body, digest) = (SELECT seq, body, digest FROM snapshot WHERE session = 2)
                  WHERE session = 1";
    assert_eq!(file.execute(copied, []), Ok(1));
    drop(file);
    let told = log(&folder, "verify --all plan.yaml");
    assert!(
        told.contains("web:first-session: differs, 128 entries verified"),
        "{told}"
    );
    assert!(
        told.contains(
            "the snapshot after this entry belongs to another session, web:second-session"
        ),
        "{told}"
    );
    assert!(told.contains("web:second-session: ok"), "{told}");
    assert!(told.ends_with("--- status 1\n"), "{told}");
}

#[test]
fn a_snapshot_that_holds_other_plans_than_its_entries_is_seen() {
    let folder = with_spec("rewritten");
    with_a_snapshot(&folder, "web:first-session", "one");
    let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
    let body: String = file
        .query_row("SELECT body FROM snapshot", [], |row| row.get(0))
        .expect("a snapshot");
    let body = body.replace("# one", "# two");
    let chain = plan_machine_sessions::journal::Snapshot::read(&body)
        .expect("a snapshot")
        .chain;
    let digest = chain.beside("snapshot", &body);
    let put = "UPDATE snapshot SET body = ?, digest = ?";
    assert_eq!(file.execute(put, rusqlite::params![body, digest]), Ok(1));
    drop(file);
    let told = log(&folder, "verify --all plan.yaml");
    assert!(
        told.contains(
            "the plans of WorkByPlan in the snapshot of entry 128 differ from the plans that the entries produce"
        ),
        "{told}"
    );
    assert!(told.ends_with("--- status 1\n"), "{told}");
}

#[test]
fn an_export_holds_every_entry_and_answer() {
    let folder = with_spec("export");
    carried_out(&folder);
    let one = log(&folder, "export cli:default-session");
    let lines: Vec<&str> = one.lines().filter(|line| line.starts_with('{')).collect();
    let identity = "cli:default-session".parse().expect("an identity");
    let mut chain = Chain::start(&identity);
    let mut kinds = String::new();
    for line in lines {
        let json = Json::parse(line).expect("a line of JSON");
        let object = json.as_object().expect("an object");
        kinds.push_str(if object.get("entry").is_some() {
            "e"
        } else {
            "a"
        });
        if let Some((_, entry)) = line.split_once(r#","entry":"#) {
            // The text is stored byte for byte: its digest can be recomputed.
            chain = chain.then(entry.strip_suffix('}').expect("the end"));
            let digest = object.get("digest").and_then(Json::as_text);
            assert_eq!(digest, Some(chain.to_hex().as_str()));
        }
    }
    assert_eq!(kinds, "eeaaaeea", "{one}");
    let all = log(&folder, "export --all");
    assert!(one.lines().skip(1).eq(all.lines().skip(1)));
}

#[test]
fn a_session_is_deleted_only_on_purpose() {
    let folder = with_spec("deleted");
    drafted(&folder);
    let asked = log(&folder, "delete cli:default-session");
    assert!(
        asked.contains("has 2 entries and was not deleted"),
        "{asked}"
    );
    assert!(asked.ends_with("--- status 2\n"), "{asked}");
    let deleted = log(&folder, "delete --yes cli:default-session");
    assert!(
        deleted.contains("deleted `cli:default-session` with its 2 entries"),
        "{deleted}"
    );
    for line in [
        "show cli:default-session",
        "delete --yes cli:default-session",
    ] {
        let gone = log(&folder, line);
        assert!(gone.contains("`sqlite:plans.db` has no session"), "{gone}");
        assert!(gone.ends_with("--- status 2\n"), "{gone}");
    }
    let none = log(&folder, "");
    assert!(
        none.contains("`sqlite:plans.db` has no sessions\n--- status 0"),
        "{none}"
    );
}

#[test]
fn a_wrong_name_is_answered_with_a_near_one() {
    let folder = with_spec("near");
    drafted(&folder);
    let shown = log(&folder, "show cli:default-sesion");
    assert!(
        shown.contains("did you mean `cli:default-session`?"),
        "{shown}"
    );
    let shown = log(&folder, "show nothing");
    assert!(
        shown.contains("expected a channel and a conversation"),
        "{shown}"
    );
}

#[test]
fn a_read_only_store_is_read_as_it_is() {
    let folder = with_spec("read-only");
    carried_out(&folder);
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/stores/0.1/plans.db");
    std::fs::create_dir(folder.join("kept")).expect("a folder");
    std::fs::copy(folder.join("plans.db"), folder.join("kept/plans.db")).expect("copied");
    std::fs::copy(old, folder.join("kept/old.db")).expect("copied");
    // This script creates a folder that no user can write to, not even root.
    let script = "
        mount --bind kept kept
        mount -o remount,bind,ro kept
        log() { \"$1\" log --store \"sqlite:kept/$2\" $3; }
        log \"$1\" plans.db sessions
        log \"$1\" plans.db 'show cli:default-session'
        log \"$1\" plans.db 'verify --all plan.yaml'
        log \"$1\" plans.db 'export --all' | wc -l
        log \"$1\" old.db sessions
        log \"$1\" old.db 'show kept:work-by-plan --after 300' >/dev/null
        log \"$1\" plans.db 'delete cli:default-session --yes' || echo refused";
    let output = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-euc",
            script,
            "sh",
        ])
        .arg(env!("CARGO_BIN_EXE_plan-machine"))
        .current_dir(&folder)
        .output()
        .expect("`unshare` of util-linux");
    let (told, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{told}{errors}");
    assert!(told.contains("plan-1: COLLECTING → READY"), "{told}");
    assert!(told.contains("cli:default-session: ok"), "{told}");
    assert!(told.contains("kept:work-by-plan"), "{told}");
    assert!(told.ends_with("refused\n"), "{told}");
    assert!(errors.contains("cannot be written to"), "{errors}");
    let kept = std::fs::read(folder.join("kept/old.db")).expect("still there");
    assert_eq!(kept, std::fs::read(old).expect("the store"));
}

#[test]
fn a_store_that_does_not_exist_is_not_made() {
    let folder = fresh("no_store");
    for line in ["", "sessions", "show cli:default-session", "export --all"] {
        let shown = log(&folder, line);
        assert!(shown.contains("cannot open `sqlite:plans.db`"), "{shown}");
        assert!(shown.ends_with("--- status 2\n"), "{shown}");
    }
    assert!(!folder.join("plans.db").exists());
    let unnamed = transcript(&folder, "log", "");
    assert!(unnamed.contains("needs a store"), "{unnamed}");
}

#[test]
fn a_watcher_sees_what_comes_and_what_was() {
    let folder = with_spec("watched");
    drafted(&folder);
    let mut child = Command::new(env!("CARGO_BIN_EXE_plan-machine"))
        .current_dir(&folder)
        .args("log --store sqlite:plans.db watch --from 0.1 --format json".split(' '))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // A watcher that prints nothing is killed after a minute, so that the test does not wait forever.
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let stdout = child.stdout.take().expect("a pipe");
    let stop = std::thread::spawn(move || {
        let _ = ended.recv_timeout(std::time::Duration::from_secs(60));
        child.kill().expect("killed");
        child.wait().expect("gone");
    });
    let mut seen = BufReader::new(stdout).lines();
    let mut next = || seen.next().expect("a line").expect("text");
    assert!(next().contains(r#""entry":{"format":4,"seq":2,"#));
    transcript(&folder, RUN, CARRIED_OUT.join("\n"));
    assert!(next().contains(r#""entry":{"format":4,"seq":3,"#));
    assert!(next().contains(r#""place":"0.4","session":"cli:default-session""#));
    drop(done);
    stop.join().expect("stopped");
}

#[test]
fn a_place_to_watch_from_is_one() {
    let folder = with_spec("places");
    drafted(&folder);
    for line in ["watch --from x", "watch cli:default-session --from 0.1"] {
        let shown = log(&folder, line);
        assert!(shown.contains("is not"), "{shown}");
        assert!(shown.ends_with("--- status 2\n"), "{shown}");
    }
}
