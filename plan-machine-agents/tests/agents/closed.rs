//! Tests that the gate is closed if anything goes wrong.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::bench::{Bench, Reply, TALK};

/// Reports a call that would run if nothing were wrong.
fn read(bench: &Bench) -> Reply {
    bench.call("c1", "Read", r#"{"file_path":"a.txt"}"#)
}

#[test]
fn input_that_is_no_event_denies() {
    let bench = Bench::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(&[u8], &str); 9] = [
        (b"", "not JSON"),
        (b"null", "not a JSON object"),
        (b"{", "not JSON"),
        (
            b"{\"hook_event_name\":\"PreToolUse\xff\"}",
            "not valid UTF-8",
        ),
        (b"{}", "has no `hook_event_name`"),
        (
            b"{\"hook_event_name\":\"PreToolUse\"}",
            "has no `tool_use_id`",
        ),
        (
            b"{\"hook_event_name\":7}",
            "expected a string in `hook_event_name`",
        ),
        (
            b"{\"hook_event_name\":\"PreEverything\",\"session_id\":\"x\"}",
            "unknown event `PreEverything`",
        ),
        (deep.as_bytes(), "not JSON"),
    ];
    for (input, words) in cases {
        bench.hook("claude-code", input).denies(words);
    }
    let list = plan_machine_agents::audit::read(&bench.state().join("audit.jsonl"));
    assert_eq!(list.expect("a list").len(), 9);
}

#[test]
fn an_unknown_agent_denies() {
    let bench = Bench::new();
    bench
        .hook("nonsense", b"{}")
        .denies("unknown agent `nonsense`");
}

#[test]
fn a_call_without_an_id_denies_where_every_call_has_one() {
    let bench = Bench::new();
    let reply = bench.claude("PreToolUse", r#""tool_name":"Read","tool_input":{}"#);
    reply.denies("has no `tool_use_id`");
}

#[test]
fn unknown_fields_change_nothing() {
    let bench = Bench::new();
    let fields = r#""tool_name":"Read","tool_input":{},"tool_use_id":"c1","later":{"a":[1]}"#;
    bench.claude("PreToolUse", fields).is_silent();
}

#[test]
fn a_megabyte_of_input_is_decided_and_more_than_the_limit_is_denied() {
    let bench = Bench::new();
    let args = |size: usize| {
        format!(
            r#"{{"file_path":"a.txt","content":"{}"}}"#,
            "x".repeat(size)
        )
    };
    bench.call("c1", "Read", &args(1 << 20)).is_silent();
    bench
        .call("c2", "Write", &args(1 << 20))
        .denies("only in EXECUTING");
    bench
        .call("c3", "Read", &args(5 << 20))
        .denies("at most 4194304 bytes");
    bench
        .call("c4", "Read", &args(17 << 20))
        .denies("more than 16777216 bytes");
}

#[test]
fn documents_that_nobody_has_trusted_deny() {
    let bench = Bench::untrusted();
    read(&bench).denies("run `plan-machine trust` in a terminal");
}

#[test]
fn a_changed_document_denies_until_it_is_trusted() {
    for name in ["session.yaml", "work.yaml", "calls.yaml"] {
        let bench = Bench::new();
        read(&bench).is_silent();
        let document = bench.project().join(".plan-machine").join(name);
        let text = fs::read_to_string(&document).expect("a document");
        fs::write(&document, format!("{text}\n# changed\n")).expect("a document");
        let changed = bench.call("c2", "Read", "{}");
        changed.denies("have changed since they were trusted");
        bench.trust();
        bench.call("c3", "Read", "{}").is_silent();
    }
}

#[test]
fn a_missing_document_of_a_trusted_project_denies() {
    for name in ["session.yaml", "work.yaml", "calls.yaml"] {
        let bench = Bench::new();
        fs::remove_file(bench.project().join(".plan-machine").join(name)).expect("removed");
        assert_eq!(read(&bench).status, 2, "{name}");
    }
    let bench = Bench::new();
    fs::remove_dir_all(bench.project().join(".plan-machine")).expect("removed");
    read(&bench).denies("is missing, although this project is gated");
}

#[test]
fn a_document_without_classes_of_calls_denies() {
    let bench = Bench::new();
    let document = bench.project().join(".plan-machine/session.yaml");
    fs::write(
        &document,
        "session: Bare\nmachines: { work: \"plan-specs:plan_mode\" }\n",
    )
    .expect("written");
    read(&bench).denies("names no `calls` document");
}

#[test]
fn a_missing_or_foreign_stamp_denies() {
    let bench = Bench::new();
    let stamp = bench.site().state.join("proved.json");
    let text = fs::read_to_string(&stamp).expect("a stamp");
    fs::write(
        &stamp,
        text.replace(plan_machine_agents::project::COMPILER, "0.0.1"),
    )
    .expect("written");
    read(&bench).denies("have not been proved by this version");
    fs::remove_file(&stamp).expect("removed");
    read(&bench).denies("have not been proved by this version");
    fs::write(&stamp, "{").expect("written");
    read(&bench).denies("is damaged");
}

#[test]
fn a_damaged_store_denies() {
    let bench = Bench::new();
    read(&bench).is_silent();
    let store = bench.site().store();
    fs::write(&store, vec![7; 100_000]).expect("damaged");
    bench
        .call("c2", "Read", "{}")
        .denies("the session store cannot be used");
    fs::remove_file(&store).expect("removed");
    fs::create_dir(&store).expect("a folder in its place");
    bench
        .call("c3", "Read", "{}")
        .denies("the session store cannot be used");
}

#[test]
fn a_pipe_in_place_of_a_file_denies_without_waiting() {
    let files: [fn(&Bench) -> PathBuf; 6] = [
        |bench| bench.project().join(".plan-machine/session.yaml"),
        |bench| bench.project().join(".plan-machine/work.yaml"),
        |bench| bench.project().join(".plan-machine/calls.yaml"),
        |bench| bench.site().state.join("trust.json"),
        |bench| bench.site().state.join("proved.json"),
        |bench| bench.site().store(),
    ];
    for file in files {
        let bench = Bench::new();
        read(&bench).is_silent();
        let file = file(&bench);
        fs::remove_file(&file).expect("removed");
        let made = Command::new("mkfifo").arg(&file).status();
        assert!(made.expect("mkfifo runs").success());
        // A hook that waits too long denies as well, but with another reason.
        bench
            .call("c2", "Read", "{}")
            .denies("is not a regular file");
    }
}

#[test]
fn a_denial_that_cannot_be_listed_in_a_pipe_is_given_without_waiting() {
    let bench = Bench::new();
    fs::create_dir_all(bench.site().state).expect("a folder");
    let list = bench.site().state.join("audit.jsonl");
    let made = Command::new("mkfifo").arg(&list).status();
    assert!(made.expect("mkfifo runs").success());
    let write = bench.call("c1", "Write", r#"{"file_path":"a.txt"}"#);
    write.denies("only in EXECUTING");
}

#[test]
fn a_damaged_session_denies() {
    let bench = Bench::new();
    bench.prompt("p1", ".plan on");
    let store = rusqlite::Connection::open(bench.site().store()).expect("a store");
    store
        .execute(
            "UPDATE entry SET body = replace(body, 'plan_on', 'plan_of')",
            [],
        )
        .expect("altered");
    drop(store);
    read(&bench).denies("cannot be used: entry");
}

#[test]
fn a_locked_store_denies_before_the_agent_gives_up() {
    let bench = Bench::new();
    read(&bench).is_silent();
    let store = rusqlite::Connection::open(bench.site().store()).expect("a store");
    store.execute_batch("BEGIN EXCLUSIVE").expect("locked");
    bench.call("c2", "Read", "{}").denies("database is locked");
    drop(store);
    bench.call("c3", "Read", "{}").is_silent();
}

/// Runs a hook whose watchdog ends it after this number of milliseconds. If `held` is true, its input stays open after
/// the event.
fn watched(bench: &Bench, limit: &str, options: &[&str], event: &str, held: bool) -> Reply {
    let mut command = bench.command(Path::new(env!("CARGO_BIN_EXE_plan-machine-hook")));
    command
        .args(["hook", "--agent", "claude-code"])
        .args(options);
    command.env("PLAN_MACHINE_HOOK_LIMIT", limit);
    let mut child = command.spawn().expect("a hook");
    let mut input = child.stdin.take().expect("its input");
    // The watchdog may have ended the hook already.
    let _ = input.write_all(event.as_bytes());
    let (ended, waiting) = mpsc::channel::<()>();
    let holder = thread::spawn(move || {
        if held {
            // Without a watchdog, the hook would read the end of its input after this time, and the test would fail.
            let _ = waiting.recv_timeout(Duration::from_secs(60));
        }
        drop(input);
    });
    let output = child.wait_with_output().expect("an output");
    drop(ended);
    holder.join().expect("an end");
    Reply::of(output)
}

#[test]
fn a_hook_that_takes_too_long_denies_by_itself() {
    let bench = Bench::new();
    // The agent never ends the event.
    let event = r#"{"hook_event_name":"#;
    watched(&bench, "200", &[], event, true).denies("took too long");
    let wrapped = watched(&bench, "200", &["--wrapped"], "{", true);
    assert_eq!(wrapped.status, i32::from(plan_machine_agents::hook::NO));
    assert!(wrapped.stderr.contains("took too long"), "{wrapped:?}");
}

#[test]
fn a_store_that_is_locked_for_longer_than_the_watchdog_waits_denies() {
    let bench = Bench::new();
    read(&bench).is_silent();
    let store = rusqlite::Connection::open(bench.site().store()).expect("a store");
    store.execute_batch("BEGIN EXCLUSIVE").expect("locked");
    let call = r#""tool_name":"Read","tool_input":{},"tool_use_id":"c2""#;
    let event = bench.event("PreToolUse", call);
    // A hook waits for a locked store much longer than this limit, and even on a busy machine it reaches the store
    // before the limit.
    watched(&bench, "2000", &[], &event, false).denies("took too long");
}

#[test]
fn a_state_folder_that_cannot_be_used_denies() {
    let bench = Bench::new();
    fs::remove_dir_all(bench.state()).expect("removed");
    fs::write(bench.state(), "a file in its place").expect("written");
    assert_eq!(read(&bench).status, 2);
}

#[test]
fn a_damaged_note_about_the_conversation_denies() {
    let bench = Bench::new();
    read(&bench).is_silent();
    let notes = fs::read_dir(bench.state().join("conversations")).expect("notes");
    for note in notes {
        fs::write(note.expect("a note").path(), "nonsense").expect("written");
    }
    bench
        .call("c2", "Read", "{}")
        .denies("does not name a project");
}

#[test]
fn a_prompt_that_fails_goes_through_and_grants_nothing() {
    let bench = Bench::untrusted();
    bench.prompt("p1", "Port the parser.").is_silent();
    bench.prompt("p2", ".plan on").denies("not trusted yet");
    bench
        .claude("SessionStart", r#""source":"startup""#)
        .is_silent();
    bench
        .claude(
            "PostToolUse",
            r#""tool_name":"Read","tool_input":{},"tool_use_id":"c1""#,
        )
        .is_silent();
}

#[test]
fn two_agents_share_a_project_and_its_store() {
    let bench = Bench::new();
    let event = |agent: &str, at: usize| {
        let fields =
            format!(r#""tool_name":"Read","tool_input":{{}},"tool_use_id":"c{at}","turn_id":"t""#);
        let text = bench.event("PreToolUse", &fields);
        text.replace(TALK, &format!("talk-of-{agent}"))
    };
    let hooks: Vec<_> = (0..10)
        .flat_map(|at| {
            ["claude-code", "codex"].map(|agent| bench.start(agent, event(agent, at).as_bytes()))
        })
        .collect();
    for hook in hooks {
        crate::bench::Reply::of(hook.wait_with_output().expect("an output")).is_silent();
    }
}
