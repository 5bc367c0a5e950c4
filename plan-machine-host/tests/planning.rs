//! The planning files on disk match the plan, and the archive loses nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use plan_machine::gate::{ConfirmedCall, Decision, EventContext, Gate, ToolCall};
use plan_machine::machine::{Call, CallKind, EffectView, Env, Machine as _, Outcome, PlanView};
use plan_machine::{Id, Instant, Object, PlanSet};
use plan_machine_host::Stop;
use plan_machine_host::disk::folder_name;
use plan_machine_host::lifecycles::Files;
use plan_machine_host::tools::{ShellRule, ToolError, Tools as _, Workspace};
use plan_specs::planning_files::Machine;
use tempfile::TempDir;

const THREAD: &str = "morning-1";

/// Returns a call that a gate without machines allows.
fn confirmed(tool: &str, args: Object) -> ConfirmedCall {
    let gate = Gate::builder().host_tool(tool, "", Object::new()).open();
    let mut gate = gate.expect("a gate");
    let calls = [ToolCall::new(tool, args)];
    match gate.decide(&calls, &EventContext::default()).remove(0) {
        Decision::Run(allowed) => gate.confirm(allowed).expect("the call may run"),
        other => panic!("{other:?}"),
    }
}

/// A session of the machine, with its files.
struct Place {
    all: TempDir,
    files: Files,
    tools: Workspace,
    session: PlanSet<Machine>,
    now: Instant,
    made: u32,
}

fn place() -> Place {
    let all = TempDir::new().expect("a folder");
    Place {
        files: Files::open(&all.path().join("data")).expect("a folder"),
        tools: Workspace::open(&all.path().join("space"), ShellRule::Never).expect("a folder"),
        session: Machine.empty(),
        now: Instant::parse("2026-01-16T02:17:40Z").expect("an instant"),
        made: 0,
        all,
    }
}

impl Place {
    /// Sends an event, updates the files, and performs the effects twice: effects may be delivered more than once.
    fn send(&mut self, event: &str, with: &[(&'static str, &str)]) -> Vec<EffectView> {
        self.made += 1;
        let mut call = Call::new(CallKind::Event(event.to_owned().into()));
        call.with = with.iter().copied().collect();
        if event == "clear_plan" {
            call.with.push("confirm", true);
        }
        if with
            .iter()
            .any(|(name, title)| *name == "task_title" && title.starts_with("New"))
        {
            call.with.push("force_new", true);
        }
        let mut env = Env {
            now: self.now,
            new_id: Id::from(format!("plan-{}", self.made)),
            context: &Object::new(),
            host_tools: None,
        };
        let outcome = Machine.step(&mut self.session, &call, &mut env);
        let Ok(Outcome::Accepted(acceptance)) = outcome else {
            panic!("{event}: {outcome:?}")
        };
        let plan = self.plan();
        self.files.show(THREAD, plan.as_ref()).expect("shown");
        for _ in 0..2 {
            for effect in &acceptance.effects {
                let typed = effect.typed::<Machine>().expect("an effect of the machine");
                let done = self.files.apply(THREAD, &typed, &self.tools);
                done.expect("done");
            }
        }
        acceptance.effects
    }

    fn plan(&self) -> Option<PlanView> {
        let at = Machine.slot(&self.session)?;
        Machine.plans(&self.session).into_iter().nth(at)
    }

    async fn run(&self, tool: &str, args: Object) -> Result<String, ToolError> {
        let call = confirmed(tool, args);
        self.tools.run(call, &Stop::default()).await
    }

    fn path(&self, name: &str) -> PathBuf {
        self.all
            .path()
            .join("data/users")
            .join(THREAD)
            .join("plan")
            .join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("a name").file_name());
        let mut names: Vec<_> = names
            .map(|name| name.into_string().expect("text"))
            .collect();
        names.sort_unstable();
        names
    }
}

#[test]
fn a_plan_becomes_three_files_which_follow_it() {
    let mut place = place();
    place.send("init_plan", &[("task_title", "Move")]);
    assert_eq!(
        place.names(""),
        ["archive", "findings.md", "progress.md", "task_plan.md"]
    );
    assert_eq!(
        place.names("archive"),
        [""; 0],
        "the archive exists from the beginning"
    );
    assert!(place.text("task_plan.md").starts_with("# Task: Move\n"));
    assert!(
        place
            .text("findings.md")
            .ends_with("## Research Log\n\n| Tool | Finding |\n|---|---|\n")
    );
    place.send(
        "write_plan",
        &[("which", "task_plan"), ("content", "# v2\n")],
    );
    assert_eq!(place.text("task_plan.md"), "# v2\n");
    place.send("tool_failed", &[("tool", "shell"), ("error", "exit 1")]);
    assert!(place.text("progress.md").ends_with("| shell | exit 1 |\n"));
    assert_eq!(place.names("").len(), 4, "no temporary file is left");
}

#[test]
fn plans_of_one_minute_are_archived_apart_and_each_once() {
    let mut place = place();
    place.send("init_plan", &[("task_title", "Old")]);
    for _ in 0..3 {
        let effects = place.send("init_plan", &[("task_title", "New")]);
        assert_eq!(effects.len(), 2, "one plan is archived, and one is opened");
    }
    let expected = [
        "plan-20260116-0217-2.md",
        "plan-20260116-0217-3.md",
        "plan-20260116-0217.md",
    ];
    assert_eq!(place.names("archive"), expected);
    place.now = Instant::parse("2026-01-16T02:18:00Z").expect("an instant");
    place.send("init_plan", &[("task_title", "New")]);
    assert_eq!(place.names("archive").len(), 4);
    let first = place.text("archive/plan-20260116-0217.md");
    assert!(first.starts_with("<!-- plan-1: Old, 2026-01-16T02:17:40Z -->\n\n# Task: Old\n"));
    for heading in [
        "# Findings",
        "## Research Log",
        "# Progress",
        "## Tool Errors",
    ] {
        assert!(first.contains(heading), "{heading}");
    }
    let second = place.text("archive/plan-20260116-0217-2.md");
    let third = place.text("archive/plan-20260116-0217-3.md");
    assert_ne!(second, third, "plans with the same documents are two plans");
}

#[test]
fn a_plan_that_was_archived_is_not_archived_again_after_others() {
    let mut place = place();
    place.send("init_plan", &[("task_title", "Old")]);
    let first = place.send("init_plan", &[("task_title", "New")]);
    place.send("init_plan", &[("task_title", "New")]);
    let archived = first[0]
        .typed::<Machine>()
        .expect("an effect of the machine");
    let again = place.files.apply(THREAD, &archived, &place.tools);
    again.expect("done already");
    assert_eq!(place.names("archive").len(), 2);
}

#[test]
fn a_cleared_plan_leaves_the_archive() {
    let mut place = place();
    place.files.show(THREAD, None).expect("nothing to do");
    assert!(!place.path("").exists());
    place.send("init_plan", &[("task_title", "Old")]);
    place.send("init_plan", &[("task_title", "New")]);
    place.send("clear_plan", &[]);
    assert_eq!(place.names(""), ["archive"]);
    assert_eq!(place.names("archive").len(), 1);
    place.files.show(THREAD, None).expect("nothing left to do");
}

#[tokio::test]
async fn tools_of_the_host_see_planning_files_only_after_an_export() {
    let mut place = place();
    place.send("init_plan", &[("task_title", "Move")]);
    let list = place.run("list_files", Object::new()).await;
    assert_eq!(list.as_deref(), Ok("The folder is empty."));
    let search = Object::from_iter([("text", "Task")]);
    let found = place.run("search_files", search).await;
    assert_eq!(found.as_deref(), Ok("Nothing was found."));
    let path = format!("../data/users/{THREAD}/plan/task_plan.md");
    let read = Object::from_iter([("path", path.as_str())]);
    assert!(place.run("read_file", read).await.is_err());
    place.send("export_plan", &[("which", "findings")]);
    let list = place.run("list_files", Object::new()).await;
    assert_eq!(list.as_deref(), Ok("findings.md"));
    let copied = fs::read_to_string(place.all.path().join("space/findings.md"));
    assert_eq!(copied.expect("a copy"), place.text("findings.md"));
}

#[test]
fn a_conversation_has_a_folder_of_its_own_whatever_its_key() {
    let mut place = place();
    place.send("init_plan", &[("task_title", "Move")]);
    let plan = place.plan();
    let keys = [
        "../x", "a/b", ".", "..", "%2e", "%2E", "%", "", "a b", "a_b", "ä", "/", "x\0", "users",
    ];
    let names: BTreeSet<String> = keys.iter().map(|key| folder_name(key)).collect();
    assert_eq!(names.len(), keys.len());
    for (key, name) in [
        ("../x", "%2E%2E%2Fx"),
        ("a/b", "a%2Fb"),
        (".", "%2E"),
        ("%2e", "%252e"),
    ] {
        assert_eq!(folder_name(key), name);
    }
    for key in keys {
        place.files.show(key, plan.as_ref()).expect(key);
        let file = place.all.path().join("data/users").join(folder_name(key));
        assert!(file.join("plan/task_plan.md").is_file(), "{key:?}");
    }
    let users = fs::read_dir(place.all.path().join("data/users")).expect("a folder");
    assert_eq!(users.count(), keys.len() + 1);
    assert_eq!(fs::read_dir(place.all.path()).expect("a folder").count(), 2);
}

#[test]
fn effects_and_plans_of_other_machines_are_left_alone() {
    let mut place = place();
    place.send("init_plan", &[("task_title", "Move")]);
    let mut plan = place.plan().expect("a plan");
    place.send("clear_plan", &[]);
    plan.state = "READY".into();
    assert!(place.files.show(THREAD, Some(&plan)).is_err());
    let effect = EffectView {
        name: "plan_ready".into(),
        plan: None,
        fields: Object::new(),
    };
    assert_eq!(effect.typed::<Machine>(), None);
    assert_eq!(place.names(""), ["archive"]);
}
