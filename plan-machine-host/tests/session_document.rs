//! A host whose mode has the gate of a session document: several machines, and classes of calls.

use std::path::Path;
use std::sync::{Arc, Mutex};

use plan_machine::Object;
use plan_machine::calls::Project;
use plan_machine::gate::{ConfirmedCall, Gate, GateBuilder};
use plan_machine_host::chats::Transport;
use plan_machine_host::lifecycles::WorkByPlan;
use plan_machine_host::model::script::Script;
use plan_machine_host::tools::{ToolFuture, ToolInfo, Tools};
use plan_machine_host::{
    Attendant, Content, ContentFuture, Conversation, Handler, Host, HostBuilder, HostError,
    Outgoing, Stop,
};
use plan_machine_sessions::store::Memory;
use tempfile::TempDir;

plan_machine::session!("tests/session/desk.yaml");

/// A machine with the name of a machine of the session, but with other rules.
mod other {
    plan_machine::machine! {
        machine Planning;
        command begin = "/plan on";
        command stop = "/plan off";
        state none { on begin => PLANNING; }
        state PLANNING { on stop => DONE next none; }
        final state DONE;
    }
}

const SCRIPT: &str = r#"
- user: Tidy up.
  model:
    - calls: [{ shell: { command: "git status" } }]
    - calls: [{ shell: { command: "git status && rm -rf src" } }]
    - text: "{result}"
- user: Look.
  model:
    - calls: [{ shell: { command: "ls" } }]
    - text: "{result}"
"#;

/// The handler of the plans of `Planning`.
struct Plans;

impl Attendant for Plans {}

impl Handler for Plans {
    type Machine = desk::work::Machine;

    fn effect<'a>(
        &'a self,
        _: &'a Conversation<'a>,
        effect: desk::work::Effect,
    ) -> ContentFuture<'a> {
        let desk::work::Effect::Approved { plan } = effect;
        Box::pin(async move { Ok(vec![Content::Notice(format!("{plan} is approved."))]) })
    }
}

/// The handler of a machine that the session does not have in this form.
struct OtherPlans;

impl Attendant for OtherPlans {}

impl Handler for OtherPlans {
    type Machine = other::planning::Machine;

    fn effect<'a>(
        &'a self,
        _: &'a Conversation<'a>,
        _: other::planning::Effect,
    ) -> ContentFuture<'a> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// A shell that does not run its commands but only records them.
#[derive(Default)]
struct NotedShell(Mutex<Vec<String>>);

impl NotedShell {
    fn ran(&self) -> Vec<String> {
        self.0.lock().expect("no test panics with the list").clone()
    }
}

impl Tools for NotedShell {
    fn infos(&self) -> Vec<ToolInfo> {
        vec![ToolInfo {
            name: "shell",
            description: "Run a command.",
            schema: Object::new(),
        }]
    }

    fn run<'a>(&'a self, call: ConfirmedCall, _: &'a Stop) -> ToolFuture<'a> {
        let args = call.args().as_object();
        let command = args.and_then(|args| args.get("command")?.as_text());
        let command = command.unwrap_or_default().to_owned();
        Box::pin(async move {
            let mut all = self.0.lock().expect("no test panics with the list");
            all.push(command);
            Ok("It ran.".to_owned())
        })
    }
}

fn gate() -> GateBuilder {
    desk::gate(Project::new(env!("CARGO_MANIFEST_DIR")))
}

fn builder(shell: &Arc<NotedShell>) -> HostBuilder {
    let script = Script::read("desk", SCRIPT).expect("a script");
    let tools: Arc<dyn Tools> = Arc::<NotedShell>::clone(shell);
    Host::builder(Arc::new(Memory::new()), Arc::new(script), tools)
}

/// Returns a host with the session, and with another mode.
fn host(shell: &Arc<NotedShell>, data: &Path) -> Host {
    let host = builder(shell).session("desk", gate(), Plans);
    let host = host.mode("work_by_plan", WorkByPlan::default());
    host.open(data.to_owned()).expect("a host")
}

fn refused(host: HostBuilder) -> String {
    let data = TempDir::new().expect("a folder");
    let opened: Result<Host, HostError> = host.open(data.path().to_owned());
    opened.err().expect("no host").to_string()
}

fn chat() -> Transport {
    Transport {
        channel: "test".to_owned(),
        chat: "1".to_owned(),
    }
}

/// Returns what the model said.
fn words(all: &[Outgoing]) -> Vec<&str> {
    let words = all.iter().filter_map(|one| match &one.content {
        Content::Model(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

/// Returns the lines of `/help`.
async fn help(host: &Host) -> Vec<String> {
    match host.handle(&chat(), "/help").await.remove(0).content {
        Content::List(lines) => lines,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_class_of_the_session_document_denies_a_command_while_planning() {
    let (shell, data) = (Arc::default(), TempDir::new().expect("a folder"));
    let host = host(&shell, data.path());
    host.handle(&chat(), "/plan on").await;
    let said = host.handle(&chat(), "Tidy up.").await;
    let denied = words(&said)[0];
    assert!(denied.starts_with("not_allowed: "), "{denied}");
    assert!(
        denied.contains("the call has the class `writes`") && denied.contains("`rm`"),
        "{denied}"
    );
    assert_eq!(shell.ran(), ["git status"]);

    let said = host.handle(&chat(), "/plan approve").await;
    let notice = Content::Notice("plan-1 is approved.".to_owned());
    assert!(said.iter().any(|one| one.content == notice), "{said:?}");
    let said = host.handle(&chat(), "Tidy up.").await;
    assert_eq!(words(&said), ["It ran."]);
    assert_eq!(
        shell.ran().last().map(String::as_str),
        Some("git status && rm -rf src")
    );
}

#[tokio::test]
async fn a_machine_of_the_session_without_a_handler_takes_part() {
    let (shell, data) = (Arc::default(), TempDir::new().expect("a folder"));
    let host = host(&shell, data.path());
    let said = host.handle(&chat(), "/pause").await;
    let unhandled = Content::Error("unhandled effect `paused` of Pause".to_owned());
    assert!(said.iter().any(|one| one.content == unhandled), "{said:?}");
    let said = host.handle(&chat(), "Look.").await;
    assert!(words(&said)[0].starts_with("not_allowed: "), "{said:?}");
    assert!(shell.ran().is_empty());
    let lines = help(&host).await;
    assert!(
        lines.iter().any(|line| line.starts_with("/resume")),
        "{lines:?}"
    );
    host.handle(&chat(), "/resume").await;
    host.handle(&chat(), "Look.").await;
    assert_eq!(shell.ran(), ["ls"]);
}

#[tokio::test]
async fn another_mode_keeps_the_plans_of_all_machines_of_the_session() {
    let (shell, data) = (Arc::default(), TempDir::new().expect("a folder"));
    let host = host(&shell, data.path());
    host.handle(&chat(), "/pause").await;
    let said = host.handle(&chat(), "/mode work_by_plan").await;
    let failed = |one: &Outgoing| matches!(one.content, Content::Error(_));
    assert!(!said.iter().any(failed), "{said:?}");
    // The other mode does not have the machine.
    host.handle(&chat(), "Look.").await;
    assert_eq!(shell.ran(), ["ls"]);
    host.handle(&chat(), "/mode desk").await;
    host.handle(&chat(), "Look.").await;
    assert_eq!(shell.ran(), ["ls"], "the work is still paused");
}

#[test]
fn a_session_without_the_machine_of_its_plans_is_refused() {
    let host = builder(&Arc::default()).session("desk", gate(), WorkByPlan::default());
    assert_eq!(
        refused(host),
        "the session of the mode `desk` has no machine `WorkByPlan`, whose plans the mode's handler handles; it has Planning, Pause"
    );
}

#[test]
fn a_handler_of_another_version_of_a_machine_is_refused() {
    let host = builder(&Arc::default()).session("desk", gate(), OtherPlans);
    assert_eq!(
        refused(host),
        "the machine `Planning` in the session of the mode `desk` differs from the machine of its handler"
    );
}

#[test]
fn two_modes_with_different_machines_of_the_same_name_are_refused() {
    let host = builder(&Arc::default())
        .session("desk", gate(), Plans)
        .mode("other", OtherPlans);
    assert_eq!(
        refused(host),
        "the modes `desk` and `other` have different machines with the same name, `Planning`: rename one of them"
    );
    let host = builder(&Arc::default())
        .session("desk", gate(), Plans)
        .session("again", gate(), Plans);
    let data = TempDir::new().expect("a folder");
    assert!(host.open(data.path().to_owned()).is_ok());
}

#[test]
fn a_conflict_between_the_session_and_the_tools_of_the_host_is_refused() {
    let gate = Gate::builder().with(desk::work::Machine);
    // Without the calls document, `reads` and `writes` are tools, and the host does not have them.
    let host = builder(&Arc::default()).session("desk", gate, Plans);
    assert!(refused(host).contains("`reads`"));
}
