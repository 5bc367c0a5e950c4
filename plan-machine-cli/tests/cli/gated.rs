//! A gated project in a folder of its own, with the commands that people and agents run in it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use assert_cmd::Command;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

use super::fresh;

/// The variables that agents set, which may also be set for the person who runs the tests.
pub(super) const MARKERS: [&str; 6] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_THREAD_ID",
    "CODEX_SANDBOX",
    "GEMINI_CLI",
    "OPENCODE",
];

/// How long a command may take. It is never reached in a test that passes.
pub(super) const LIMIT: Duration = Duration::from_secs(300);

/// A process on a terminal, which ends with its test.
struct OnTerminal(Box<dyn Child + Send + Sync>);

impl Drop for OnTerminal {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            // If the process has ended in the meantime, there is nothing left to do.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// A gated project. The state is next to it.
pub(super) struct Gated {
    pub(super) folder: PathBuf,
}

impl Gated {
    /// Returns a project without documents, which is not gated yet.
    pub(super) fn bare(name: &str) -> Self {
        let gated = Self {
            folder: fresh(name),
        };
        fs::create_dir_all(gated.project()).expect("a folder");
        gated
    }

    pub(super) fn new(name: &str) -> Self {
        let gated = Self::bare(name);
        let documents = gated.folder.join("project/.plan-machine");
        fs::create_dir_all(&documents).expect("a folder");
        let given = Path::new(env!("CARGO_MANIFEST_DIR"));
        let given = given.join("../plan-machine-agents/tests/agents/data");
        for name in ["session.yaml", "work.yaml", "calls.yaml"] {
            fs::copy(given.join(name), documents.join(name)).expect("a document");
        }
        gated
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Returns a program as a person starts it in the project, with these arguments.
    pub(super) fn command(&self, program: &Path, line: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(line.split_whitespace())
            .current_dir(self.project());
        command.env("PLAN_MACHINE_HOME", self.folder.join("state"));
        // The person who runs the tests may have gated all projects.
        command.env("HOME", self.folder.join("home"));
        for moved in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            command.env_remove(moved);
        }
        for marker in MARKERS {
            command.env_remove(marker);
        }
        // A server that should have refused to start would never end.
        command.timeout(LIMIT);
        command
    }

    /// Runs a command and returns its status and its output.
    pub(super) fn run(&self, line: &str, input: &str) -> (i32, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_plan-machine"));
        shown(&mut self.command(program, line), input)
    }

    /// Runs a command of a user with this home folder.
    pub(super) fn run_at_home(&self, home: &Path, line: &str, input: &str) -> (i32, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_plan-machine"));
        let mut command = self.command(program, line);
        command.env("HOME", home);
        shown(&mut command, input)
    }

    /// Runs a command as an agent does.
    pub(super) fn by_agent(&self, line: &str, input: &str) -> (i32, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_plan-machine"));
        shown(self.command(program, line).env("CLAUDECODE", "1"), input)
    }

    /// Returns the store of the project.
    pub(super) fn store(&self) -> PathBuf {
        use plan_machine_agents::project::{Site, StateFolder};
        let home = StateFolder::at(self.folder.join("state"));
        Site::of_project(&home, &self.project()).store()
    }

    pub(super) fn prompt(&self, id: &str, text: &str) -> (i32, String) {
        let folder = self.project();
        let event = format!(
            r#"{{"session_id":"talk-0001","cwd":"{}","hook_event_name":"UserPromptSubmit","prompt":"{text}","prompt_id":"{id}","source":"user"}}"#,
            folder.display()
        );
        self.run("hook --agent claude-code", &event)
    }

    pub(super) fn write(&self, id: &str) -> (i32, String) {
        self.run("hook --agent claude-code", &self.call(id, "Write"))
    }

    /// Returns the event before a call to a tool.
    pub(super) fn call(&self, id: &str, tool: &str) -> String {
        let folder = self.project();
        format!(
            r#"{{"session_id":"talk-0001","cwd":"{}","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{}},"tool_use_id":"{id}"}}"#,
            folder.display()
        )
    }

    /// Runs a command on a terminal and returns what it shows.
    pub(super) fn on_terminal(&self, line: &str) -> String {
        self.answered_on_terminal(line, "")
    }

    /// Runs a command on a terminal on which a person types an answer, and returns what it shows.
    pub(super) fn answered_on_terminal(&self, line: &str, answer: &str) -> String {
        self.on_terminal_with(&[], line, answer)
    }

    /// Runs a command on a terminal with these variables, and returns what it shows.
    pub(super) fn on_terminal_with(
        &self,
        variables: &[(&str, &str)],
        line: &str,
        answer: &str,
    ) -> String {
        let pair = native_pty_system()
            .openpty(PtySize::default())
            .expect("a terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_plan-machine"));
        command.args(line.split_whitespace());
        command.cwd(self.project());
        command.env("PLAN_MACHINE_HOME", self.folder.join("state"));
        for marker in MARKERS {
            command.env_remove(marker);
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("a process");
        let mut child = OnTerminal(child);
        drop(pair.slave);
        let (ended, waiting) = mpsc::channel::<()>();
        let mut killer = child.0.clone_killer();
        let watchdog = thread::spawn(move || {
            let is_late = waiting.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout);
            if is_late {
                // If the process has ended in the meantime, the test still fails.
                let _ = killer.kill();
            }
            is_late
        });
        let mut writer = pair.master.take_writer().expect("its input");
        writer.write_all(answer.as_bytes()).expect("typed");
        let mut reader = pair.master.try_clone_reader().expect("its output");
        let mut text = Vec::new();
        // On Linux, reading from a closed terminal returns an error.
        let _ = reader.read_to_end(&mut text);
        child.0.wait().expect("an end");
        drop(ended);
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_late = watchdog.join().expect("an end");
        assert!(!is_late, "`{line}` did not end: {text}");
        text
    }
}

/// Runs a command and returns its status and what it shows.
pub(super) fn shown(command: &mut Command, input: &str) -> (i32, String) {
    let output = command.write_stdin(input).output().expect("an output");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("UTF-8");
    (output.status.code().expect("a status"), text)
}

/// Returns whether an agent runs these tests. If so, this checks that a command for people refuses the agent, and the
/// caller skips its test. The test fails unless the environment says that an agent runs the tests, so that no test is
/// skipped by accident.
pub(super) fn refuses_an_agent(gated: &Gated) -> bool {
    let mut ancestry = plan_machine_agents::ancestors::Ancestry::current();
    ancestry.variables.clear();
    let is_agent = plan_machine_agents::agents::run_by(&ancestry).is_some();
    if is_agent {
        let (status, text) = gated.run("trust --yes", "");
        assert!(status == 2 && text.contains("is for people"), "{text}");
        let expected = std::env::var("PLAN_MACHINE_UNDER_AGENT").is_ok_and(|value| value == "1");
        assert!(
            expected,
            "an agent runs this test, so it cannot be a person who trusts a project: run the tests from a terminal of \
             your own, or set PLAN_MACHINE_UNDER_AGENT=1 to check only that the agent is refused"
        );
    }
    is_agent
}

/// Stores a plan as the MCP server does.
pub(super) fn store_plan(gated: &Gated, talk: &str, plan: &str) {
    use plan_machine_agents::keeper::{Keeper, SessionHandle, identity};
    use plan_machine_agents::project::{Site, StateFolder};
    let home = StateFolder::at(gated.folder.join("state"));
    let site = Site::of_project(&home, &gated.project());
    let handle = SessionHandle {
        session: identity("claude-code", talk).expect("an identity"),
        call_id: None,
        actor: "claude-code".to_owned(),
    };
    let mut args = plan_machine_kernel::json::Object::new();
    args.push("text", plan);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let keeper = Keeper::open(&home, site, &gated.project()).await;
        let keeper = keeper.expect("an open gate");
        let stored = keeper
            .own_call(&handle, "plan_set_content", args)
            .await
            .expect("stored");
        assert!(!stored.is_denied, "{}", stored.text);
        keeper.close().await.expect("closed");
    });
}
