//! The commands for agents and for the people who use them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use assert_cmd::Command;
use plan_machine_kernel::json::Json;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

use super::fresh;

/// The variables that agents set, which the person who runs the tests may have.
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

    fn command(&self, program: &Path, line: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(line.split_whitespace())
            .current_dir(self.project());
        command.env("PLAN_MACHINE_HOME", self.folder.join("state"));
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
        for moved in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            command.env_remove(moved);
        }
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
    fn call(&self, id: &str, tool: &str) -> String {
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
                // If the process has ended in the meantime, the test fails all the same.
                let _ = killer.kill();
            }
            is_late
        });
        let mut writer = pair.master.take_writer().expect("its input");
        writer.write_all(answer.as_bytes()).expect("typed");
        let mut reader = pair.master.try_clone_reader().expect("its output");
        let mut text = Vec::new();
        // The end of a terminal is an error on Linux.
        let _ = reader.read_to_end(&mut text);
        child.0.wait().expect("an end");
        drop(ended);
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_late = watchdog.join().expect("an end");
        assert!(!is_late, "`{line}` did not end: {text}");
        text
    }
}

fn shown(command: &mut Command, input: &str) -> (i32, String) {
    let output = command.write_stdin(input).output().expect("an output");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("UTF-8");
    (output.status.code().expect("a status"), text)
}

/// Returns whether an agent runs these tests. If so, the commands for people must refuse, and this is checked instead.
/// A test that was skipped in this way fails, unless the environment says that an agent runs the tests.
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

#[test]
fn a_person_trusts_starts_reads_approves_and_ends_a_plan_from_a_terminal() {
    let gated = Gated::new("agents_person");
    if refuses_an_agent(&gated) {
        return;
    }
    assert_eq!(gated.write("c0").0, 2);
    let (status, text) = gated.run("trust", "");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("needs an answer from a person"), "{text}");
    let (status, text) = gated.run("trust --yes", "");
    assert!(status == 0 && text.contains("new: work.yaml"), "{text}");
    let (_, text) = gated.run("trust --yes", "");
    assert!(text.contains("already trusted"), "{text}");

    gated.prompt("p1", "hello");
    let (status, text) = gated.run("command .plan on", "");
    assert_eq!((status, text.as_str()), (0, "DRAFTING\n"));
    let (status, text) = gated.run("command --session claude-code:talk-0002 .plan on", "");
    assert!(
        status == 2 && text.contains("there is no session"),
        "{text}"
    );
    let (status, text) = gated.run("approve 1-02c18244", "");
    assert!(
        status == 2 && text.contains("no plan with the token"),
        "{text}"
    );

    let (_, text) = gated.run("status", "");
    assert!(
        text.contains("claude-code:talk-0001  Careful: DRAFTING"),
        "{text}"
    );
    let (status, text) = gated.run("command .plan off", "");
    assert_eq!((status, text.as_str()), (0, "Planning is off.\n"));
}

#[test]
fn the_log_of_a_gated_project_needs_no_store_and_is_verified_with_its_session() {
    let gated = Gated::new("agents_log");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", ".plan on");
    let (status, text) = gated.run("log", "");
    assert!(
        status == 0 && text.contains("claude-code:talk-0001"),
        "{text}"
    );
    let (status, text) = gated.run("log show claude-code:talk-0001", "");
    assert!(status == 0 && text.contains("plan_on"), "{text}");
    let (status, text) = gated.run("log verify --all .plan-machine/session.yaml", "");
    assert!(status == 0, "{text}");
}

#[test]
fn the_log_of_a_gated_project_shows_no_effect_as_pending() {
    let gated = Gated::new("agents_log_effects");
    if refuses_an_agent(&gated) {
        return;
    }
    let machine = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&machine).expect("a machine");
    let text = text.replace(
        "DRAFTING: {}",
        "DRAFTING: { enter: { emit: { begun: {} } } }",
    );
    let text = format!("{text}effects: {{ begun: {{ doc: Planning has begun. }} }}\n");
    fs::write(&machine, text).expect("a machine with an effect");
    let (status, text) = gated.run("trust --yes", "");
    assert_eq!(status, 0, "{text}");
    gated.prompt("p1", ".plan on");
    let (status, text) = gated.run("log", "");
    assert!(
        status == 0 && text.contains("DRAFTING") && !text.contains("pending"),
        "{text}"
    );
    let (_, text) = gated.run("log --format json", "");
    assert!(text.contains(r#""pending":null"#), "{text}");
    let (status, text) = gated.run("log show claude-code:talk-0001", "");
    assert!(status == 0 && text.contains("effect begun {}"), "{text}");
    assert!(
        !text.contains("pending") && !text.contains("done"),
        "{text}"
    );
    let (_, text) = gated.run("log show claude-code:talk-0001 --format json", "");
    assert!(text.contains(r#""pending":null"#), "{text}");
}

#[test]
fn an_agent_that_was_not_started_yet_is_a_next_step_and_no_problem() {
    let gated = Gated::new("agents_doctor");
    if refuses_an_agent(&gated) {
        return;
    }
    let (status, text) = gated.run("init --agent claude-code --yes", "");
    assert!(
        status == 0 && text.contains("allow the MCP server"),
        "{text}"
    );
    let (status, text) = gated.run("doctor --agent claude-code", "");
    assert!(text.contains("next  claude-code heartbeat"), "{text}");
    assert!(!text.contains("WRONG") && status == 0, "{text}");
    gated.prompt("p1", "hello");
    let (status, text) = gated.run("doctor --agent claude-code", "");
    assert!(
        status == 0 && text.contains("no problems found\n"),
        "{text}"
    );
}

/// Returns the line that these settings of Claude Code run before each call to a tool.
fn line_before_tools(settings: &str) -> String {
    let settings = Json::parse(settings).expect("JSON");
    let hooks = settings.as_object().and_then(|all| all.get("hooks"));
    let hooks = hooks.and_then(Json::as_object).expect("hooks");
    let entries = hooks.get("PreToolUse").and_then(Json::as_list);
    let entry = entries.and_then(<[Json]>::first).and_then(Json::as_object);
    let lines = entry.and_then(|entry| entry.get("hooks")?.as_list());
    let line = lines.and_then(<[Json]>::first).and_then(Json::as_object);
    let line = line.and_then(|line| line.get("command")?.as_text());
    line.expect("a command").to_owned()
}

#[test]
fn hooks_run_the_small_program_beside_this_one() {
    let gated = Gated::new("agents_small_hook");
    if refuses_an_agent(&gated) {
        return;
    }
    let bin = gated.folder.join("bin");
    fs::create_dir(&bin).expect("a folder");
    // `plan-machine` answers events as well, so it can be used as the small program.
    for name in ["plan-machine", "plan-machine-hook"] {
        fs::hard_link(env!("CARGO_BIN_EXE_plan-machine"), bin.join(name)).expect("a program");
    }
    let run = |line: &str| shown(&mut gated.command(&bin.join("plan-machine"), line), "");
    let read = |file: &str| fs::read_to_string(gated.project().join(file)).expect("a file");
    let (status, text) = run("init --agent claude-code --yes");
    assert_eq!(status, 0, "{text}");
    let hooks = read(".claude/settings.json");
    assert!(
        hooks.contains(r#"/bin/plan-machine-hook\" hook --agent claude-code"#),
        "{hooks}"
    );
    let servers = read(".mcp.json");
    assert!(servers.contains(r#"/bin/plan-machine""#), "{servers}");
    let (status, text) = run("doctor --agent claude-code");
    assert!(status == 0 && text.contains("; hooks run `"), "{text}");

    // An agent runs the configured line. Without the small program, the line denies every call.
    let line = format!("{} < ../event.json", line_before_tools(&hooks));
    fs::write(gated.folder.join("event.json"), gated.call("c1", "Read")).expect("an event");
    let asked = || shown(gated.command(Path::new("/bin/sh"), "-c").arg(&line), "");
    let (status, text) = asked();
    assert_eq!(status, 0, "{text}");
    let hook = bin.join("plan-machine-hook");
    fs::remove_file(&hook).expect("removed");
    let (status, text) = asked();
    assert!(
        status == 2 && text.contains("the gate is closed because its program failed"),
        "{text}"
    );

    // A file that is not the program of this version is not used.
    fs::write(&hook, "").expect("another file");
    let (status, text) = run("doctor --agent claude-code");
    assert!(
        status == 1 && text.contains("WRONG claude-code configuration"),
        "{text}"
    );
    run("init --agent claude-code --yes");
    let hooks = read(".claude/settings.json");
    assert!(
        hooks.contains(r#"/bin/plan-machine\" hook --agent claude-code"#)
            && !hooks.contains("plan-machine-hook"),
        "{hooks}"
    );
}

#[test]
fn a_denial_for_a_person_has_no_internal_names() {
    let gated = Gated::new("agents_words");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", "hello");
    let (status, text) = gated.run("command .plan off", "");
    assert!(status == 1 && !text.contains("not_allowed"), "{text}");
    gated.write("c1");
    let (_, text) = gated.run("status --denied", "");
    assert!(
        text.contains("Write {}") && !text.contains("not_allowed"),
        "{text}"
    );
}

#[test]
fn a_token_that_fits_two_sessions_is_refused_with_a_list() {
    let gated = Gated::new("agents_two");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    for talk in ["talk-0001", "talk-0002"] {
        start_plan(&gated, talk);
        store_plan(&gated, talk, "# v1");
    }
    gated.on_terminal("status");
    let (status, text) = gated.run("approve 1-02c18244", "");
    assert!(
        status == 2 && text.contains("matches several plans"),
        "{text}"
    );
    assert!(
        text.contains("claude-code:talk-0001, claude-code:talk-0002"),
        "{text}"
    );
    let line = "reject --session claude-code:talk-0002 --reason too_long 1-02c18244";
    let (status, text) = gated.run(line, "");
    assert!(
        status == 0 && text.contains("The plan is rejected."),
        "{text}"
    );
    let (status, text) = gated.run("approve 1-02c18244", "");
    assert!(status == 0 && text.contains("talk-0001"), "{text}");
}

#[test]
fn the_commands_that_change_something_refuse_to_work_under_an_agent() {
    let gated = Gated::new("agents_refused");
    let program = Path::new(env!("CARGO_BIN_EXE_plan-machine"));
    let session = "claude-code:talk-0001";
    let run = "run .plan-machine/work.yaml --store";
    let lines = [
        "trust --yes".to_owned(),
        "approve 1-02c18244".to_owned(),
        "reject 1-02c18244".to_owned(),
        "command .plan on".to_owned(),
        "init --agent codex --yes".to_owned(),
        "init --agent codex --remove --yes".to_owned(),
        "serve --listen 127.0.0.1:0".to_owned(),
        format!("{run} sqlite:{}", gated.store().display()),
        format!("{run} postgres://localhost/plans"),
        format!("{run} postgresql://localhost/plans"),
        format!("log delete {session} --yes"),
        format!("log end {session} plan-1 --why x"),
        format!("log restart {session} --why x"),
        "log salvage new.db".to_owned(),
        format!(
            "log --store sqlite:none.db salvage {}",
            gated.store().display()
        ),
        format!("log --store postgres://localhost/plans delete {session} --yes"),
    ];
    for line in &lines {
        let (status, text) = gated.by_agent(line, "");
        assert!(
            status == 2 && text.contains("is for people"),
            "{line}: {text}"
        );
        // A shell with the name of an agent is an ancestor that is one.
        let agent = gated.folder.join("codex");
        let _ = symlink("/bin/sh", &agent);
        let mut child = gated.command(&agent, "");
        let (status, text) = shown(
            child
                .arg("-c")
                .arg(format!("{} {line}; exit $?", program.display())),
            "",
        );
        assert!(status == 2 && text.contains("is Codex"), "{line}: {text}");
    }
    for made in [".codex", "new.db", "none.db"] {
        assert!(!gated.project().join(made).exists(), "{made} was made");
    }
    assert!(!gated.store().exists(), "a store was made");
    assert_eq!(gated.write("c1").0, 2);
}

#[test]
fn an_agent_cannot_change_the_store_of_a_gated_project_but_can_read_it_and_use_others() {
    let gated = Gated::new("agents_stores");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", ".plan on");
    let run = |store: &str, event: &str| {
        let line = format!("run .plan-machine/work.yaml --store sqlite:{store}");
        let line = format!("{line} --session claude-code:talk-0001");
        gated.by_agent(&line, &format!(r#"{{"do":"{event}"}}"#))
    };
    let link = gated.project().join("link.db");
    symlink(gated.store(), link).expect("a link");
    let relative = gated.store();
    let relative = relative.strip_prefix(&gated.folder).expect("below it");
    for store in ["link.db", &format!("../{}", relative.display())] {
        let (status, text) = run(store, "/plan off");
        assert!(status == 2 && text.contains("is for people"), "{text}");
    }
    let (status, text) = gated.by_agent("log show claude-code:talk-0001", "");
    assert!(status == 0 && text.contains("plan_on"), "{text}");
    assert!(!text.contains("plan_off"), "{text}");
    let verify = "log verify --all .plan-machine/session.yaml";
    for line in ["log", "log export --all", verify] {
        let (status, text) = gated.by_agent(line, "");
        assert_eq!(status, 0, "{line}: {text}");
    }
    // Agents try out the specs that they write.
    let (status, text) = run("own.db", "/plan on");
    assert!(status == 0 && text.contains("DRAFTING"), "{text}");
    let delete = "log --store sqlite:own.db delete claude-code:talk-0001 --yes";
    let (status, text) = gated.by_agent(delete, "");
    assert!(status == 0 && text.contains("deleted"), "{text}");
}

#[test]
fn a_changed_document_is_shown_before_it_is_trusted() {
    let gated = Gated::new("agents_changed");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    let document = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&document).expect("a document");
    fs::write(
        &document,
        text.replace(
            "reads: run, inner: run }",
            "reads: run, inner: run, writes: run }",
        ),
    )
    .expect("written");
    let (_, denied) = gated.write("c1");
    assert!(denied.contains("run `plan-machine trust`"), "{denied}");
    let (status, text) = gated.run("trust --yes", "");
    assert!(status == 0 && text.contains("changed: work.yaml"), "{text}");
    assert!(text.contains("gating: "), "{text}");
    assert_eq!(gated.write("c2").0, 0);
    let (_, text) = gated.run("status --denied", "");
    assert!(text.contains("Write {}"), "{text}");
}

#[test]
fn documents_that_came_with_a_project_are_shown_before_init_trusts_them() {
    let gated = Gated::new("agents_foreign");
    if refuses_an_agent(&gated) {
        return;
    }
    let (status, text) = gated.run("init --agent codex", "");
    assert!(
        status == 2 && text.contains("no person has trusted"),
        "{text}"
    );
    assert!(!gated.project().join(".codex").exists(), "a file was made");
    let (status, text) = gated.run("init --agent codex --yes", "");
    assert!(status == 0 && text.contains("new: work.yaml"), "{text}");

    // What somebody has changed since is not trusted by installing another agent, or by removing one.
    let document = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&document).expect("a document");
    fs::write(
        &document,
        text.replace("inner: run }", "inner: run, writes: run }"),
    )
    .expect("written");
    gated.run("init --agent codex --remove --yes", "");
    let (_, denied) = gated.write("c1");
    assert!(denied.contains("run `plan-machine trust`"), "{denied}");
    let (status, text) = gated.run("init --agent claude-code --yes", "");
    assert!(status == 0 && text.contains("changed: work.yaml"), "{text}");
}

/// Starts a plan in a session.
fn start_plan(gated: &Gated, talk: &str) {
    let folder = gated.project();
    let event = format!(
        r#"{{"session_id":"{talk}","cwd":"{}","hook_event_name":"UserPromptSubmit","prompt":".plan on","source":"user"}}"#,
        folder.display()
    );
    gated.run("hook --agent claude-code", &event);
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
