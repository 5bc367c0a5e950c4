//! A gated project in a temporary folder, and hooks that are called as agents call them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use plan_machine_agents::keeper::{Keeper, OwnAnswer, SessionHandle, identity};
use plan_machine_agents::project::{self, Documents, Site, StateFolder};
use plan_machine_kernel::json::{Json, Object};
use tempfile::TempDir;

/// The conversation of the tests.
pub(crate) const TALK: &str = "0c1d2e3f-talk-1";

/// A gated project.
pub(crate) struct Bench {
    place: TempDir,
}

impl Bench {
    /// Returns a project whose documents are trusted.
    pub(crate) fn new() -> Self {
        let bench = Self::untrusted();
        bench.trust();
        bench
    }

    /// Returns a project whose documents are not trusted.
    pub(crate) fn untrusted() -> Self {
        let bench = Self {
            place: tempfile::tempdir().expect("a folder"),
        };
        let documents = bench.project().join(".plan-machine");
        fs::create_dir_all(&documents).expect("a folder");
        for (name, text) in [
            ("session.yaml", include_str!("data/session.yaml")),
            ("work.yaml", include_str!("data/work.yaml")),
            ("calls.yaml", include_str!("data/calls.yaml")),
        ] {
            fs::write(documents.join(name), text).expect("a document");
        }
        bench
    }

    /// Returns a project with a shipped machine and the calls document of an agent.
    pub(crate) fn shipped(machine: &str, calls: &str) -> Self {
        let bench = Self::untrusted();
        let documents = bench.project().join(".plan-machine");
        let session = "session: Shipped\nmachines: { work: work.yaml }\ncalls: calls.yaml\ncommands: { prefix: \".\" }\n";
        for (name, text) in [
            ("calls.yaml", calls),
            ("work.yaml", machine),
            ("session.yaml", session),
        ] {
            fs::write(documents.join(name), text).expect("a document");
        }
        bench.trust();
        bench
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.place.path().join("project")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.place.path().join("state")
    }

    pub(crate) fn home(&self) -> StateFolder {
        StateFolder::at(self.state())
    }

    pub(crate) fn site(&self) -> Site {
        Site::of_project(&self.home(), &self.project())
    }

    pub(crate) fn trust(&self) {
        let (documents, _) = Documents::prove(&self.site()).expect("proved documents");
        project::trust(&self.site(), &documents).expect("trusted documents");
    }

    pub(crate) fn keeper(&self) -> Keeper {
        run(self.open())
    }

    /// Opens the gate. A keeper whose store is on a server works only in the runtime that has opened it.
    pub(crate) async fn open(&self) -> Keeper {
        let opened = Keeper::open(&self.home(), self.site(), &self.project()).await;
        opened.expect("an open gate")
    }

    /// Returns the command of a hook.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env("PLAN_MACHINE_HOME", self.state())
            .env("HOME", self.place.path())
            .env_remove("XDG_CONFIG_HOME")
            .current_dir(self.place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts a hook and sends it an event.
    pub(crate) fn start(&self, agent: &str, event: &[u8]) -> Child {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_plan-machine-hook")));
        let mut child = command.args(["--agent", agent]).spawn().expect("a hook");
        let mut input = child.stdin.take().expect("its input");
        // A hook may end before it has read everything.
        let _ = input.write_all(event);
        child
    }

    pub(crate) fn hook(&self, agent: &str, event: &[u8]) -> Reply {
        Reply::of(
            self.start(agent, event)
                .wait_with_output()
                .expect("an output"),
        )
    }

    /// Reports an event of Claude Code.
    pub(crate) fn claude(&self, name: &str, fields: &str) -> Reply {
        self.hook("claude-code", self.event(name, fields).as_bytes())
    }

    /// Returns an event with the fields that all events of Claude Code have.
    pub(crate) fn event(&self, name: &str, fields: &str) -> String {
        let folder = Json::from(self.project().display().to_string());
        format!(
            r#"{{"session_id":"{TALK}","transcript_path":"/t.jsonl","cwd":{folder},"hook_event_name":"{name}",{fields}}}"#
        )
    }

    /// Calls a tool under Claude Code.
    pub(crate) fn call(&self, id: &str, tool: &str, args: &str) -> Reply {
        let fields = format!(
            r#""tool_name":"{tool}","tool_input":{args},"tool_use_id":"{id}","prompt_id":"p1""#
        );
        self.claude("PreToolUse", &fields)
    }

    /// Sends a prompt that a person has typed in Claude Code.
    pub(crate) fn prompt(&self, id: &str, text: &str) -> Reply {
        let text = Json::from(text);
        let fields = format!(r#""prompt":{text},"prompt_id":"{id}","source":"user""#);
        self.claude("UserPromptSubmit", &fields)
    }

    /// Calls one of our own tools as the MCP server does.
    pub(crate) fn own(&self, call: &str, tool: &str, args: &str) -> OwnAnswer {
        let Ok(Json::Object(args)) = Json::parse(args) else {
            panic!("the arguments are not an object: {args}");
        };
        self.own_in(TALK, call, tool, args)
    }

    pub(crate) fn own_in(&self, talk: &str, call: &str, tool: &str, args: Object) -> OwnAnswer {
        let plain = identity("claude-code", talk).expect("an identity");
        run(async {
            let keeper = self.open().await;
            let handle = SessionHandle {
                session: keeper.named(&plain).expect("an identity"),
                call_id: Some(call.to_owned()),
                actor: "claude-code".to_owned(),
            };
            let answer = keeper
                .own_call(&handle, tool, args)
                .await
                .expect("an answer");
            keeper.close().await.expect("closed");
            answer
        })
    }

    /// Returns the token of the plan, as `.plan show` would show it, without showing it.
    pub(crate) fn token(&self) -> String {
        let keeper = self.keeper();
        let session = identity("claude-code", TALK).expect("an identity");
        let view = run(keeper.view(&session)).expect("a session");
        let token = view.cards.first().expect("a card").token.clone();
        plan_machine_kernel::digest::short(&token).to_owned()
    }

    /// Brings the session to a plan that waits for a person, without showing it.
    pub(crate) fn waiting() -> Self {
        let bench = Self::new();
        assert_eq!(bench.prompt("p0", ".plan on").status, 2);
        let stored = bench.own("s1", "plan_set_content", r##"{"text":"# v1"}"##);
        assert!(!stored.is_denied, "{}", stored.text);
        bench
    }

    /// Returns whether a call that writes runs now.
    pub(crate) fn writes(&self, id: &str) -> bool {
        self.call(id, "Write", r#"{"file_path":"a.txt"}"#).status == 0
    }
}

/// The answer of a hook.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The exit status; -1 if the process was killed.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Reply {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Asserts that this is a denial, in the one form that every agent honors, with these words in its reason.
    #[track_caller]
    pub(crate) fn denies(&self, words: &str) {
        assert_eq!((self.status, self.stdout.as_str()), (2, ""), "{self:?}");
        assert!(self.stderr.contains(words), "{}", self.stderr);
    }

    /// Asserts that the hook has allowed the event without any output.
    #[track_caller]
    pub(crate) fn is_silent(&self) {
        let silence = (0, "", "");
        assert_eq!(
            (self.status, self.stdout.as_str(), self.stderr.as_str()),
            silence
        );
    }
}

/// Waits for a future.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(work)
}
