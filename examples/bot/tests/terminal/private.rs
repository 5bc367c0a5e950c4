//! The bot's private data: its API key, its environment and its files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::pipe::{Piped, refused};
use crate::work::{SCRIPT, Work};

/// A script whose command looks for the key wherever processes of one user can read each other's data.
#[cfg(target_os = "linux")]
const SPY: &str = r#"
- user: Spy.
  model:
    - calls:
        - shell: { command: "bot=$(awk '/^PPid/ { print $2 }' /proc/$PPID/status); tr '\\0' '\\n' < /proc/$bot/cmdline > args; tr '\\0' '\\n' < /proc/$bot/environ > variables; echo $? > status; grep -a KEY /proc/$PPID/environ >> variables; env >> variables; ls /proc/$$/fd > open" }
    - text: Seen.
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_command_finds_the_key_nowhere() {
    use std::io::{BufRead, BufReader, ErrorKind, Write};
    use std::os::unix::fs::chown;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use rustix::process::geteuid;

    const NOBODY: u32 = 65534;
    let work = Work::by(SPY);
    let mut command = Command::new(env!("CARGO_BIN_EXE_plan-bot"));
    if geteuid().is_root() {
        // The administrator can read everything; another user cannot.
        command.uid(NOBODY).gid(NOBODY);
        for name in ["", "workspace"] {
            chown(work.path(name), Some(NOBODY), Some(NOBODY)).expect("given away");
        }
    }
    let bot = command
        .args(work.args())
        .arg("--plain")
        .env("PLAN_BOT_KEY", "sk-secret-0123456789")
        .env("ANTHROPIC_API_KEY", "sk-secret-0123456789")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut bot = bot.expect("started");
    let mut stdin = bot.stdin.take().expect("its input");
    stdin.write_all(b"Spy.\n").expect("written");
    let mut said = String::new();
    let mut stdout = BufReader::new(bot.stdout.take().expect("its output"));
    stdout.read_line(&mut said).expect("read");
    assert_eq!(said, "▌ Seen.\n");
    // The administrator can read the environment, but the key is not in it.
    match fs::read(format!("/proc/{}/environ", bot.id())) {
        Ok(variables) => assert!(!String::from_utf8_lossy(&variables).contains("sk-secret")),
        Err(error) => assert_eq!(error.kind(), ErrorKind::PermissionDenied),
    }
    drop(stdin);
    bot.wait().expect("ended");
    let seen = |name: &str| {
        let path = work.path("workspace").join(name);
        fs::read_to_string(path).expect("seen")
    };
    assert!(seen("args").contains("--plain"), "this is the bot");
    // The list of open files also contains those that the test itself has open, so it is compared with the list of a
    // bot without a key.
    let without_key = Work::by(SPY);
    let mut bot = Piped::start(&without_key, &["--plain"]);
    bot.say("Spy.");
    bot.line_with("Seen.");
    let open = fs::read_to_string(without_key.path("workspace").join("open")).expect("seen");
    assert_eq!(seen("open"), open, "the pipe of the secrets is closed");
    assert!(
        !seen("variables").contains("sk-secret"),
        "{}",
        seen("variables")
    );
    assert_ne!(
        seen("status"),
        "0\n",
        "the bot's environment cannot be read at all"
    );
}

/// Collects the files and folders at a path that other users have permissions for.
fn rights_of_others(path: &Path, found: &mut Vec<String>) {
    let mode = fs::symlink_metadata(path)
        .expect("there")
        .permissions()
        .mode();
    if mode & 0o077 != 0 {
        found.push(format!("{} {mode:o}", path.display()));
    }
    for entry in fs::read_dir(path).into_iter().flatten() {
        rights_of_others(&entry.expect("there").path(), found);
    }
}

#[test]
fn everything_that_the_bot_keeps_is_for_its_user_alone() {
    let work = Work::by(SCRIPT);
    let data = work.path("data");
    // Files that an older version left behind.
    fs::create_dir_all(data.join("history")).expect("made");
    fs::write(data.join("memory.jsonl"), "").expect("written");
    let store = format!("sqlite:{}", work.path("plans.db").display());
    let (log, metrics) = (work.path("log"), work.path("metrics"));
    for flags in [&["--store", &store][..], &[]] {
        let mut bot = Piped::start(&work, &[&["--plain"], flags].concat());
        bot.say("Hello.\n/memory It rains.\n/plan a trip to the lake");
        bot.line_with("Planning files");
        let mut found = Vec::new();
        rights_of_others(&data, &mut found);
        for name in ["plans.db", "plans.db-wal", "plans.db-shm"] {
            if work.path(name).exists() {
                rights_of_others(&work.path(name), &mut found);
            }
        }
        assert_eq!(found, Vec::<String>::new());
        bot.stdin = None;
        assert_eq!(bot.end().1, Some(0));
    }
    let flags = [
        "--log",
        log.to_str().expect("text"),
        "--metrics",
        metrics.to_str().expect("text"),
    ];
    let mut bot = Piped::start(&work, &flags);
    bot.stdin = None;
    bot.end();
    let mut found = Vec::new();
    for file in [&log, &metrics] {
        rights_of_others(file, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn files_of_the_bot_in_the_workspace_are_refused_and_nothing_is_made() {
    let work = Work::by(SCRIPT);
    let inside = |name: &str| work.path("workspace").join(name).display().to_string();
    let store = format!("sqlite:{}", inside("plans.db"));
    std::os::unix::fs::symlink(work.path("workspace"), work.path("link")).expect("linked");
    let linked = format!(
        "sqlite:{}",
        work.path("link").join("new/plans.db").display()
    );
    for flags in [
        ["--store", &store],
        ["--store", &linked],
        ["--log", &inside("log")],
        ["--metrics", &inside("metrics")],
    ] {
        let args = work.args().into_iter().chain(flags.map(str::to_owned));
        let error = refused(&args.collect::<Vec<_>>());
        assert!(error.contains("is in the workspace"), "{error}");
        assert!(error.contains(flags[0]), "{error}");
    }
    assert!(!work.path("data").exists());
    let left = fs::read_dir(work.path("workspace")).expect("read").count();
    assert_eq!(left, 3, "only the pipes of the test are there");
}

#[test]
fn links_in_the_data_folder_are_refused() {
    let work = Work::by(SCRIPT);
    let data = work.path("data");
    fs::create_dir(&data).expect("made");
    std::os::unix::fs::symlink(work.path("workspace"), data.join("history")).expect("linked");
    let error = refused(&work.args());
    assert!(
        error.contains("history` cannot be made private: it is a symbolic link"),
        "{error}"
    );
    fs::remove_file(data.join("history")).expect("removed");
    // The data folder itself may be a symbolic link.
    fs::rename(&data, work.path("elsewhere")).expect("renamed");
    std::os::unix::fs::symlink(work.path("elsewhere"), &data).expect("linked");
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));
    let mut found = Vec::new();
    rights_of_others(&work.path("elsewhere"), &mut found);
    assert_eq!(found, Vec::<String>::new());
}
