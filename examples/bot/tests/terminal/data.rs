//! The files of a bot: its data folder, its log and its metrics.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::pipe::Piped;
use crate::work::Work;

const SCRIPT: &str = r#"
- contains: This is turn 1.
  model:
    - text: "DECISION: by sea\nI go on."
- contains: This is turn 2.
  model:
    - calls:
        - shell: { command: "echo begun > begun" }
    - text: "DONE: all of it."
- default:
    - text: "**Yes.**"
"#;

/// Returns the output and status of a bot that gets no input.
fn start(args: &[String], flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plan-bot"));
    let command = command
        .args(args)
        .args(flags)
        .stdin(std::process::Stdio::null());
    command.output().expect("ran")
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_log_and_metrics_say_what_the_bot_does() {
    let work = Work::by(SCRIPT);
    let (log, metrics) = (work.path("bot.log"), work.path("metrics.txt"));
    let flags = [
        format!("--log={}", log.display()),
        format!("--metrics={}", metrics.display()),
        "--live".to_owned(),
    ];
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut bot = Piped::start(&work, &flags);
    for line in [
        "/mode plan_mode",
        "/plan on",
        "/plan off",
        "/auto on --goal ship Sail.",
    ] {
        bot.say(line);
    }
    work.wait_until_begun();
    bot.line_with("The run run-1 is over: completed");
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));

    check_log(&fs::read_to_string(log).expect("a log"));
    check_metrics(&fs::read_to_string(metrics).expect("metrics"));
}

/// Checks that the log names the run, the goal and the task of each line.
fn check_log(log: &str) {
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    let field = |line: &Value, name: &str| {
        let spans = line["spans"].as_array().expect("spans");
        let mut found = spans.iter().filter_map(|span| span.get(name).cloned());
        found.next().unwrap_or_default()
    };
    let of_run = |line: &&Value| field(line, "run_id") == "run-1";
    let is_end = |line: &&Value| line["sent"] == "worked" || line["sent"] == "finished";
    let ends: Vec<&Value> = lines.iter().filter(of_run).filter(is_end).collect();
    assert_eq!(ends.len(), 2, "each turn has one end: {log}");
    assert_eq!(
        ["run_kind", "goal_id", "task_id"].map(|name| field(ends[0], name)),
        ["GOAL_RUN", "ship", "run-1"]
    );
    assert!(
        field(ends[0], "session_identity")
            .as_str()
            .is_some_and(|name| name.starts_with("terminal:"))
    );
    assert_eq!(ends[0]["event"], "accepted");
    let ran = lines
        .iter()
        .find(|line| line["event"] == "run" && line["sent"] == "shell");
    assert!(ran.is_some_and(|line| of_run(&line)), "{log}");
    let typed = lines
        .iter()
        .find(|line| line["sent"] == "plan_on")
        .expect("typed");
    assert_eq!(
        field(typed, "transport_chat_hash").as_str().map(str::len),
        Some(16)
    );
}

/// Checks that the metrics count the plan, the run and each memory exactly once.
fn check_metrics(metrics: &str) {
    let value = |name: &str| {
        let line = metrics.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.rsplit(' ').next())
            .map(str::to_owned)
    };
    assert_eq!(
        value("plan.mode.enabled.count{channel=\"terminal\"").as_deref(),
        Some("1"),
        "{metrics}"
    );
    assert_eq!(
        metrics.matches("plan.mode.enabled.count").count(),
        1,
        "{metrics}"
    );
    assert_eq!(
        value("plan.mode.active.sessions").as_deref(),
        Some("0"),
        "{metrics}"
    );
    for name in [
        "auto.run.started.count{runKind=\"GOAL_RUN\",channel=\"terminal\"}",
        "auto.run.completed.count{runKind=\"GOAL_RUN\",status=\"completed\"}",
        "memory.scope.goal.selected.count",
        "memory.scope.task.selected.count",
    ] {
        assert_eq!(value(name).as_deref(), Some("1"), "{name}: {metrics}");
    }
}

#[test]
fn plans_that_an_earlier_bot_left_open_are_counted() {
    let work = Work::by(SCRIPT);
    let metrics = work.path("metrics.txt");
    let flag = format!("--metrics={}", metrics.display());
    let active_after = |lines: &[&str]| {
        let mut bot = Piped::start(&work, &["--plain", &flag]);
        for line in lines {
            bot.say(line);
        }
        bot.stdin = None;
        assert_eq!(bot.end().1, Some(0));
        let metrics = fs::read_to_string(&metrics).expect("metrics");
        let mut lines = metrics.lines();
        lines.find_map(|line| {
            let number = line.strip_prefix("plan.mode.active.sessions ")?;
            Some(number.to_owned())
        })
    };
    assert_eq!(active_after(&["/where"]), None);
    let open = ["/plan on", "/mode plan_mode", "/plan on"];
    assert_eq!(active_after(&open).as_deref(), Some("2"));
    assert_eq!(active_after(&["/where"]).as_deref(), Some("2"));
    assert_eq!(active_after(&["/plan off"]).as_deref(), Some("1"));
    let other = ["/mode work_by_plan", "/plan done"];
    assert_eq!(active_after(&other).as_deref(), Some("0"));
}

#[test]
fn parts_of_the_data_folder_that_are_missing_are_reported_and_not_created_again() {
    for part in ["sessions.db", "chats.yaml", "memory.jsonl", "history"] {
        let work = Work::by(SCRIPT);
        let mut bot = Piped::start(&work, &["--plain"]);
        bot.say("Hello.");
        bot.stdin = None;
        assert_eq!(bot.end().0, "▌ **Yes.**\n");
        let lost = work.path("data").join(part);
        let _ = fs::remove_dir_all(&lost).or_else(|_| fs::remove_file(&lost));
        let told = refused(&start(&work.args(), &[]));
        assert!(told.contains("missing from the data folder"), "{told}");
        assert!(
            told.contains(part) && told.contains("--accept-loss"),
            "{told}"
        );
        assert!(!lost.exists(), "{part} is not created again");
        let accepted = start(&work.args(), &["--accept-loss"]);
        assert!(accepted.status.success());
        let told = String::from_utf8_lossy(&accepted.stderr);
        assert!(
            told.contains("empty from now on:") && told.contains(part),
            "{told}"
        );
        assert!(start(&work.args(), &[]).status.success());
    }
}

#[test]
fn a_store_that_is_missing_together_with_the_list_of_parts_is_reported() {
    let work = Work::by(SCRIPT);
    assert!(start(&work.args(), &[]).status.success());
    let part = |name: &str| work.path("data").join(name);
    for lost in ["parts.txt", "sessions.db"] {
        fs::remove_file(part(lost)).expect("removed");
    }
    let told = refused(&start(&work.args(), &[]));
    assert!(
        told.contains("parts are missing from the data folder"),
        "{told}"
    );
    assert!(told.contains(": parts.txt, sessions.db;"), "{told}");
    assert!(!part("sessions.db").exists());
}

#[test]
fn a_missing_list_of_parts_is_reported_and_a_start_that_was_killed_leaves_one() {
    let work = Work::by(SCRIPT);
    assert!(start(&work.args(), &[]).status.success());
    let list = work.path("data").join("parts.txt");
    for empty in [false, true] {
        fs::remove_file(&list).expect("removed");
        if empty {
            fs::write(&list, "").expect("written");
        }
        let told = refused(&start(&work.args(), &[]));
        assert!(told.contains(": parts.txt; put it back"), "{told}");
        assert!(start(&work.args(), &["--accept-loss"]).status.success());
        assert!(start(&work.args(), &[]).status.success());
    }
    // A folder without conversations was not used before.
    let new = Work::by(SCRIPT);
    fs::create_dir(new.path("data")).expect("made");
    fs::write(new.path("data").join("memory.jsonl"), "").expect("written");
    assert!(start(&new.args(), &[]).status.success());
}

#[test]
fn parts_of_the_data_folder_that_have_lost_their_content_are_reported() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.say("Hello.");
    bot.say("/memory It rains.");
    bot.say("/plan Holidays");
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));
    let data = work.path("data");
    let history = fs::read_dir(data.join("history")).expect("a folder");
    let history = history.map(|entry| entry.expect("an entry").file_name());
    let history = history.map(|name| format!("history/{}", name.to_string_lossy()));
    let users = fs::read_dir(data.join("users")).expect("a folder");
    let users = users.map(|entry| entry.expect("an entry").file_name());
    let files = users.map(|name| format!("users/{}/plan/findings.md", name.to_string_lossy()));
    let parts = ["sessions.db", "chats.yaml", "memory.jsonl"].map(str::to_owned);
    for part in parts.into_iter().chain(history).chain(files) {
        let content = fs::read(data.join(&part)).expect(&part);
        fs::write(data.join(&part), "").expect("written");
        let told = refused(&start(&work.args(), &[]));
        let lost = format!(": {part}; put it back, or start once with `--accept-loss`");
        assert!(
            told.contains("a part has lost its content") && told.contains(&lost),
            "{told}"
        );
        fs::write(data.join(&part), content).expect("written");
        assert!(start(&work.args(), &[]).status.success(), "{part}");
    }
    fs::write(data.join("sessions.db"), "").expect("written");
    let accepted = start(&work.args(), &["--accept-loss"]);
    assert!(accepted.status.success());
    let told = String::from_utf8_lossy(&accepted.stderr);
    assert!(told.contains("empty from now on: sessions.db"), "{told}");
    assert!(start(&work.args(), &[]).status.success());
}

#[test]
fn the_loss_of_parts_that_cannot_be_read_can_be_accepted_and_their_content_is_kept() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.say("Hello.");
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));
    let data = work.path("data");
    let mut cases: Vec<(&str, Vec<u8>)> = [&b""[..], b"active: [", b"\xff"]
        .map(|content| ("chats.yaml", content.to_vec()))
        .into();
    let mut altered = fs::read(data.join("chats.yaml")).expect("a file");
    altered.extend(b"# changed\n");
    cases.push(("chats.yaml", altered));
    cases.push(("parts.txt", b"chats.yaml\n\xff\n".to_vec()));
    let mut set_aside = 0;
    for (part, content) in cases {
        fs::write(data.join(part), &content).expect("written");
        let told = refused(&start(&work.args(), &[]));
        assert!(
            told.contains(part) && told.contains("start once with `--accept-loss`"),
            "{told}"
        );
        assert_eq!(fs::read(data.join(part)).expect("a file"), content);
        let accepted = start(&work.args(), &["--accept-loss"]);
        let told = String::from_utf8_lossy(&accepted.stderr);
        assert!(accepted.status.success(), "{told}");
        set_aside = if part == "chats.yaml" {
            set_aside + 1
        } else {
            1
        };
        let aside = data.join(format!("{part}.lost-{set_aside}"));
        assert!(told.contains(&aside.display().to_string()), "{told}");
        assert_eq!(fs::read(&aside).expect("the old file"), content);
        let again = start(&work.args(), &[]);
        let told = String::from_utf8_lossy(&again.stderr);
        assert!(again.status.success(), "{told}");
        // A person may remove a file that was set aside, so such a file is not listed.
        let list = fs::read_to_string(data.join("parts.txt")).expect("a list");
        assert!(!list.contains(".lost-"), "{list}");
    }
}

#[test]
fn a_store_elsewhere_that_is_missing_is_reported_and_another_one_may_be_used() {
    let work = Work::by(SCRIPT);
    let store = |name: &str| format!("--store=sqlite:{}", work.path(name).display());
    let (plans, others) = (store("plans.db"), store("others.db"));
    assert!(start(&work.args(), &[&plans]).status.success());
    fs::remove_file(work.path("plans.db")).expect("removed");
    let told = refused(&start(&work.args(), &[&plans]));
    assert!(told.contains("plans.db` is missing, although"), "{told}");
    assert!(!work.path("plans.db").exists());
    assert!(start(&work.args(), &[&others]).status.success());
    assert!(
        start(&work.args(), &[&plans, "--accept-loss"])
            .status
            .success()
    );
    assert!(start(&work.args(), &[&plans]).status.success());
}

#[test]
fn planning_files_that_are_missing_are_reported() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.say("/plan a trip to the lake");
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));
    fs::remove_dir_all(work.path("data").join("users")).expect("removed");
    let told = refused(&start(&work.args(), &[]));
    assert!(told.contains("plan/task_plan.md"), "{told}");
}

#[test]
fn a_start_that_is_refused_leaves_nothing_behind() {
    let work = Work::by(SCRIPT);
    let here = || {
        let mut names: Vec<PathBuf> = fs::read_dir(work.path(""))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        names.sort();
        names
    };
    let before = here();
    let place = |name: &str| work.path(name).display().to_string();
    let args = |pairs: &[(&str, &str)]| -> Vec<String> {
        pairs
            .iter()
            .flat_map(|(flag, name)| [(*flag).to_owned(), place(name)])
            .collect()
    };
    // The bot refuses to start because of a missing script, a workspace inside the data folder, a
    // store that cannot be opened, or a log that cannot be written.
    refused(&start(
        &args(&[
            ("--data", "d"),
            ("--workspace", "w"),
            ("--script", "none.yaml"),
        ]),
        &[],
    ));
    assert_eq!(here(), before);
    refused(&start(
        &args(&[("--data", "d"), ("--workspace", "d/w")]),
        &[],
    ));
    assert_eq!(here(), before);
    refused(&start(
        &args(&[("--data", "d"), ("--workspace", "w")]),
        &["--store", "nonsense:x"],
    ));
    assert_eq!(here(), before);
    refused(&start(
        &args(&[
            ("--data", "d"),
            ("--workspace", "w"),
            ("--log", "script.yaml/log"),
        ]),
        &[],
    ));
    assert_eq!(here(), before);
    // An existing folder is unchanged.
    fs::create_dir(work.path("mine")).expect("made");
    fs::write(work.path("mine").join("letter.txt"), "Dear").expect("written");
    refused(&start(
        &args(&[("--data", "mine"), ("--workspace", "mine")]),
        &[],
    ));
    assert_eq!(
        fs::read_dir(work.path("mine")).expect("a folder").count(),
        1
    );
}

#[test]
fn what_a_killed_bot_was_writing_is_cleaned_up() {
    let work = Work::by(SCRIPT);
    assert!(start(&work.args(), &[]).status.success());
    let half = work.path("data").join("history").join(".tmpAb12Cd");
    fs::write(&half, "{\"us").expect("written");
    assert!(start(&work.args(), &[]).status.success());
    assert!(!half.exists());
}
