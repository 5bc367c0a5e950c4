//! Only permitted readers recall items, in order, and nothing stored is lost.

use std::fs;

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use plan_machine::Instant;
use plan_machine::scope::WriteScope;
use plan_machine_host::HostError;
use plan_machine_host::memory::{Item, MemoryFile, Reader};
use plan_machine_host::observe::names;
use plan_specs::memory::{GoalId, GoalRun, Identity, TaskId, TaskRun};
use tempfile::TempDir;

fn memory() -> (TempDir, MemoryFile) {
    let folder = TempDir::new().expect("a folder");
    let memory = MemoryFile::open(&folder.path().join("memory.jsonl")).expect("a memory");
    (folder, memory)
}

fn session(conversation: &str) -> Identity {
    Identity::new("terminal", conversation).expect("an identity")
}

fn goal_run(conversation: &str, goal: &str, task: &str) -> GoalRun {
    let (goal, task) = (GoalId::new(goal), TaskId::new(task));
    GoalRun::new(
        session(conversation),
        goal.expect("an id"),
        task.expect("an id"),
    )
}

fn task_run(conversation: &str, task: &str) -> TaskRun {
    TaskRun::new(session(conversation), TaskId::new(task).expect("an id"))
}

fn keep<L>(memory: &MemoryFile, to: &WriteScope<L>, text: &str) {
    let stored = memory.remember(to, text, "run-1", Instant::at_second(60));
    stored.expect("stored");
}

fn texts(memory: &MemoryFile, reader: &impl Reader) -> Vec<String> {
    let items = memory.recall(reader).expect("recalled");
    items.into_iter().map(|item| item.text).collect()
}

/// Promotes an item that a run has stored in its task.
fn promote(memory: &MemoryFile, run: &TaskRun, item: &Item) -> Result<(), HostError> {
    let promotion = run.identity().promote_to_global(&run.read_task(), "user");
    memory.promote(
        item,
        promotion.expect("a promotion"),
        Instant::at_second(90),
    )
}

/// Returns the increase of a counter during an action.
fn counted(name: &str, done: impl FnOnce()) -> u64 {
    let recorder = DebuggingRecorder::new();
    let seen = recorder.snapshotter();
    metrics::with_local_recorder(&recorder, done);
    let metrics = seen.snapshot().into_vec().into_iter();
    let values = metrics.filter(|(key, ..)| key.key().name() == name);
    values
        .map(|(.., value)| match value {
            DebugValue::Counter(count) => count,
            _ => 0,
        })
        .sum()
}

#[test]
fn a_run_for_a_goal_recalls_task_goal_session_and_global_in_this_order() {
    let (_folder, memory) = memory();
    let run = goal_run("morning-1", "g1", "t1");
    let other = task_run("morning-1", "t0");
    keep(&memory, &other.write_intermediate(), "for everybody");
    let item = memory.recall(&other).expect("recalled").remove(0);
    promote(&memory, &other, &item).expect("promoted");
    keep(&memory, &run.write_preference(), "of the session");
    keep(&memory, &run.write_decision(), "of the goal");
    keep(&memory, &run.write_intermediate(), "of the task");
    keep(&memory, &run.write_intermediate(), "of the task, later");
    let expected = [
        "of the task, later",
        "of the task",
        "of the goal",
        "of the session",
        "for everybody",
    ];
    assert_eq!(texts(&memory, &run), expected);
    assert_eq!(texts(&memory, run.identity()), expected[3..]);
    let told = counted(names::TASK_SELECTED, || drop(texts(&memory, &run)));
    assert_eq!(told, 2);
    let told = counted(names::GOAL_SELECTED, || drop(texts(&memory, &run)));
    assert_eq!(told, 1);
}

#[test]
fn a_standalone_task_recalls_nothing_of_a_goal() {
    let (_folder, memory) = memory();
    let run = goal_run("morning-1", "g1", "t1");
    keep(&memory, &run.write_decision(), "of the goal");
    keep(&memory, &run.write_conversation(), "of the session");
    assert_eq!(
        texts(&memory, &task_run("morning-1", "t1")),
        ["of the session"]
    );
    assert_eq!(
        texts(&memory, &goal_run("morning-1", "g2", "t1")),
        ["of the session"]
    );
    assert_eq!(texts(&memory, &goal_run("morning-1", "g1", "t2")).len(), 2);
}

#[test]
fn two_tasks_share_nothing_and_neither_do_two_sessions_with_one_task_id() {
    let (_folder, memory) = memory();
    let run = task_run("morning-1", "t1");
    keep(&memory, &run.write_intermediate(), "of the task");
    keep(&memory, &run.write_preference(), "of the session");
    assert_eq!(
        texts(&memory, &task_run("morning-1", "t2")),
        ["of the session"]
    );
    let foreign = task_run("evening-1", "t1");
    let told = counted(names::CROSS_SESSION_BLOCKED, || {
        assert!(texts(&memory, &foreign).is_empty());
    });
    assert_eq!(told, 1, "the other task with the same id was requested");
}

#[test]
fn what_is_promoted_is_recalled_everywhere_and_says_by_whom_and_from_where() {
    let (_folder, memory) = memory();
    let run = task_run("morning-1", "t1");
    keep(
        &memory,
        &run.write_intermediate(),
        "the key is under the mat",
    );
    let item = memory.recall(&run).expect("recalled").remove(0);
    promote(&memory, &run, &item).expect("promoted");
    let seen = memory.recall(&session("evening-1")).expect("recalled");
    assert_eq!(
        (seen[0].text.as_str(), seen[0].by.as_str()),
        ("the key is under the mat", "user")
    );
    assert_eq!(seen[0].from.as_deref(), Some("task:t1"));
    assert_eq!(
        (seen[0].scope.as_str(), seen[0].at),
        ("global", Instant::at_second(90))
    );
}

#[test]
fn an_item_is_promoted_only_from_where_it_is() {
    let (_folder, memory) = memory();
    let run = task_run("morning-1", "t1");
    keep(&memory, &run.write_intermediate(), "of the task");
    let item = memory.recall(&run).expect("recalled").remove(0);
    assert!(promote(&memory, &task_run("morning-1", "t2"), &item).is_err());
    let told = counted(names::CROSS_SESSION_BLOCKED, || {
        assert!(promote(&memory, &task_run("evening-1", "t1"), &item).is_err());
    });
    assert_eq!(told, 1);
    assert!(texts(&memory, &session("evening-1")).is_empty());
}

#[test]
fn items_from_before_there_were_scopes_are_global() {
    let (folder, memory) = memory();
    let line = r#"{"text":"from before"}"#;
    fs::write(folder.path().join("memory.jsonl"), line).expect("a file");
    let items = memory
        .recall(&task_run("morning-1", "t1"))
        .expect("recalled");
    assert_eq!(
        (items[0].text.as_str(), items[0].scope.as_str()),
        ("from before", "global")
    );
    assert_eq!(memory.damaged().expect("read"), Vec::new());
}

#[test]
fn damaged_lines_are_reported_skipped_and_kept() {
    let (folder, memory) = memory();
    let path = folder.path().join("memory.jsonl");
    let damage = concat!(
        "{\"text\":\"whole\"}\n[]\n{\"by\":\"x\"}\n{\"scope\":7,\"text\":\"no scope\"}\n",
        "{\"scope\":\"GLOBAL\",\"text\":\"no scope\"}\n{\"scope\":null,\"text\":\"none\"}\n",
    );
    let mut bytes = damage.as_bytes().to_vec();
    bytes.extend_from_slice(b"{\"text\":\"\xff\"}\n{\"text\":\"cut o");
    fs::write(&path, &bytes).expect("a file");
    let run = task_run("morning-1", "t1");
    keep(
        &memory,
        &run.write_intermediate(),
        "after the damage\nand whole",
    );
    assert_eq!(
        texts(&memory, &run),
        ["after the damage\nand whole", "whole"]
    );
    let damaged = memory.damaged().expect("read");
    let lines: Vec<usize> = damaged.iter().map(|damaged| damaged.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(damaged[1].why, "`text` is missing");
    assert!(
        fs::read(&path).expect("a file").starts_with(&bytes),
        "nothing was overwritten"
    );
}

#[test]
fn an_item_whose_scope_and_session_contradict_each_other_is_reported() {
    let (folder, memory) = memory();
    let path = folder.path().join("memory.jsonl");
    let run = goal_run("morning-1", "g1", "t1");
    keep(&memory, &run.write_preference(), "of the session");
    keep(&memory, &run.write_decision(), "of the goal");
    keep(&memory, &run.write_intermediate(), "of the task");
    assert_eq!(memory.damaged().expect("read"), Vec::new());
    let whole = fs::read_to_string(&path).expect("a file");
    for (scope, line) in [("session", 2), ("goal", 4)] {
        let named = |conversation: &str| format!("\"{scope}:terminal:{conversation}");
        let altered = whole.replace(&named("morning-1"), &named("morning-3"));
        assert_ne!(altered, whole);
        fs::write(&path, altered).expect("written");
        let damaged = memory.damaged().expect("read");
        assert_eq!(damaged.len(), 1, "{damaged:?}");
        assert_eq!(damaged[0].line, line);
        assert!(
            damaged[0]
                .why
                .ends_with("does not belong to its session `terminal:morning-1`"),
            "{damaged:?}"
        );
        assert_eq!(texts(&memory, &run).len(), 2);
    }
}

#[test]
fn two_memories_on_one_file_lose_nothing_of_each_other() {
    let (folder, one) = memory();
    let path = folder.path().join("memory.jsonl");
    let other = MemoryFile::open(&path).expect("a memory");
    std::thread::scope(|scope| {
        for (memory, name) in [(&one, "a"), (&other, "b"), (&one, "c"), (&other, "d")] {
            scope.spawn(move || {
                let run = task_run("morning-1", "t1");
                for number in 0..50 {
                    keep(
                        memory,
                        &run.write_intermediate(),
                        &format!("{name}{number}"),
                    );
                }
            });
        }
    });
    let run = task_run("morning-1", "t1");
    let mut found = texts(&one, &run);
    assert_eq!(found, texts(&other, &run));
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 200);
    assert_eq!(one.damaged().expect("read"), Vec::new());
}
