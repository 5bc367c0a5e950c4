//! `plan-bot --plain` at the end of a pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use plan_machine_host::model::Model as _;
use plan_machine_host::model::script::Script;
use rustix::process::{Pid, Signal, kill_process};

use crate::work::{SCRIPT, Work};

/// A bot at the end of a pipe. It is terminated along with the test.
pub(crate) struct Piped {
    child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Piped {
    pub(crate) fn start(work: &Work, flags: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_plan-bot"))
            .args(work.args())
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        Self {
            child,
            stdin,
            stdout,
        }
    }

    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("its input");
        writeln!(stdin, "{line}").expect("written");
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("read");
        line
    }

    pub(crate) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("sent");
    }

    /// Kills the bot as `kill -9` does: it has no chance to clean up.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("waited");
    }

    /// Reads lines up to the first line that contains this text, and returns that line.
    pub(crate) fn line_with(&mut self, text: &str) -> String {
        loop {
            let line = self.line();
            assert_ne!(line, "", "`{text}` was not said");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Returns the rest of the output, and the exit status.
    pub(crate) fn end(&mut self) -> (String, Option<i32>) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("read");
        (rest, self.child.wait().expect("waited").code())
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_pipe_gets_the_words_and_nothing_else() {
    for flags in [&["--plain"][..], &[]] {
        let work = Work::by(SCRIPT);
        let mut bot = Piped::start(&work, flags);
        bot.say("Hello.\n\n/mode");
        bot.say("/plan fly");
        bot.stdin = None;
        let (said, status) = bot.end();
        assert_eq!(status, Some(0));
        assert!(
            said.starts_with("▌ **Yes.**\n· The mode is work_by_plan.\n"),
            "{said}"
        );
        assert!(!said.contains('\u{1b}'), "{said}");
    }
}

#[test]
fn a_pipe_without_lines_gets_nothing() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.stdin = None;
    assert_eq!(bot.end(), (String::new(), Some(0)));
}

#[test]
fn an_unknown_flag_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plan-bot"));
    let output = command.arg("--colourful").output().expect("ran");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn help_has_a_script_that_can_be_played_and_names_the_page_about_scripts() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plan-bot"));
    let output = command.arg("--help").output().expect("ran");
    let help = String::from_utf8(output.stdout).expect("words");
    let about = help.split("A script is a list of turns").nth(1);
    let about = about.expect("a section about scripts");
    let example = about.lines().filter_map(|line| line.strip_prefix("  "));
    let example = example.collect::<Vec<_>>().join("\n");
    let script = Script::read("help", &example).expect("a script");
    assert_eq!(script.name(), "help");
    assert!(about.contains("docs/scripts.md"), "{about}");
}

#[test]
fn an_interrupt_while_idle_ends_the_conversation() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.say("/mode");
    assert_eq!(bot.line(), "· The mode is work_by_plan.\n");
    bot.interrupt();
    assert_eq!(bot.end(), (String::new(), Some(0)));
}

#[test]
fn an_interrupt_while_busy_ends_the_conversation_too() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.say("Work.");
    work.wait_until_begun();
    bot.interrupt();
    assert_eq!(bot.end(), (String::new(), Some(0)));
}

/// Returns the error of a bot that cannot start.
pub(crate) fn refused(args: &[String]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plan-bot"));
    let output = command.args(args).output().expect("ran");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("words")
}

#[test]
fn a_second_bot_in_the_same_data_folder_is_refused() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    bot.say("/mode");
    assert_eq!(bot.line(), "· The mode is work_by_plan.\n");
    let error = refused(&work.args());
    assert!(error.starts_with("error: another bot is using"), "{error}");
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));
    let mut next = Piped::start(&work, &["--plain"]);
    next.say("Hello.");
    assert_eq!(next.line(), "▌ **Yes.**\n", "the data folder is free again");
}

#[test]
fn a_workspace_around_the_data_folder_is_refused() {
    let work = Work::by(SCRIPT);
    let [data, workspace] = [&work.places()[1], &work.places()[3]];
    let inside = format!("{workspace}/data");
    for (data, workspace) in [(&inside, workspace), (data, &format!("{data}/workspace"))] {
        let args = ["--data", data, "--workspace", workspace].map(str::to_owned);
        let error = refused(&args);
        assert!(
            error.contains("overlap; choose separate folders"),
            "{error}"
        );
    }
}

#[test]
fn a_line_that_is_not_utf_8_does_not_end_the_conversation() {
    let work = Work::by(SCRIPT);
    let mut bot = Piped::start(&work, &["--plain"]);
    let stdin = bot.stdin.as_mut().expect("its input");
    stdin.write_all(b"Hello \xff.\nHello.\n").expect("written");
    bot.stdin = None;
    assert_eq!(bot.end(), ("▌ **Yes.**\n▌ **Yes.**\n".to_owned(), Some(0)));
}

#[test]
fn the_result_of_a_step_is_said_before_the_plan_is_over() {
    let work = Work::by(
        r#"
- user: Plan it.
  model:
    - calls:
        - shell: { command: "echo first" }
        - shell: { command: "echo begun > begun; exec sleep 600" }
        - plan_finalize
    - text: Planned.
"#,
    );
    let mut bot = Piped::start(&work, &["--plain", "--mode", "plan_mode"]);
    for line in ["/plan on", "Plan it.", "/plan approve"] {
        bot.say(line);
    }
    work.wait_until_begun();
    bot.interrupt();
    let (said, _) = bot.end();
    let (_, since) = said.split_once("└─\n").expect("a card");
    let begun = "· The plan is approved.\n· Step 1, `shell`: first\n";
    let stopped = since.strip_prefix(begun).expect("the first step");
    assert!(
        stopped.starts_with("· The plan has stopped at step 2, `shell"),
        "{since}"
    );
}

/// Returns the exit status and the error text of a bot whose output is closed.
fn unread(args: &[String], lines: &[u8]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plan-bot"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("its input");
    // The bot may end before the last line.
    let _ = stdin.write_all(lines);
    let ended = child.wait_with_output().expect("waited");
    // The input has been open until now, so the bot did not end because its input ended.
    drop(stdin);
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), told)
}

#[test]
fn a_closed_output_ends_the_bot() {
    assert_eq!(unread(&["demo".to_owned()], b""), (Some(0), String::new()));
    let work = Work::by(SCRIPT);
    let mut args = work.args();
    args.push("--plain".to_owned());
    let ended = unread(&args, b"/help\n/help\n");
    assert_eq!(ended, (Some(0), String::new()));
}
