//! Tests of sessions: every answer is stored before it is returned, and no session affects another.

mod classes;
mod confirm;
mod counted;
mod crash;
mod damage;
mod damaged_plans;
mod editions;
mod effects;
mod formats;
mod history;
mod isolation;
mod kept;
mod logs;
mod making;
mod memory;
mod once;
mod outages;
mod restart;
mod rewritten;
mod signals;
mod snapshots;
mod timers;
mod turns;
mod wakers;
mod watchers;
mod writers;

use std::path::Path;
use std::sync::Arc;

use plan_machine::Object;
use plan_machine::gate::{EventContext, Gate, MachineSet, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionIdentity, Sessions};

plan_machine::machine!("corpus/valid/work_by_plan.yaml");
plan_machine::machine!("corpus/valid/plan_mode.yaml");

/// Returns the machine and the host tool that most of these tests use.
fn machine_set() -> MachineSet {
    let assembly = Gate::builder().with(work_by_plan::Machine);
    let assembly = assembly.host_tool("shell", "Runs a command.", Object::new());
    assembly.join().expect("machines without conflicts")
}

/// Returns the machine of the spec in which one string is replaced with another. The scenarios are removed, because the
/// change might make them fail.
fn changed(from: &str, to: &str) -> MachineSet {
    let spec = include_str!("../../corpus/valid/work_by_plan.yaml");
    assert!(spec.contains(from), "{from}");
    let spec = spec.replace(from, to);
    let spec = spec.split("\nscenarios:").next().unwrap_or_default();
    let machine = InterpretedMachine::read("work_by_plan.yaml", spec).expect("a valid spec");
    Gate::builder()
        .with(machine)
        .join()
        .expect("a valid set of machines")
}

fn identity(conversation: &str) -> SessionIdentity {
    SessionIdentity::new("test", conversation).expect("a valid identity")
}

fn in_memory() -> Sessions {
    Sessions::new(Arc::new(Memory::new()), machine_set())
}

fn on_disk(path: &Path) -> Sessions {
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(path).expect("a store"));
    Sessions::new(store, machine_set())
}

fn around() -> EventContext {
    EventContext::default().by("ann")
}

/// Returns a call that stores this Markdown text in the plan.
fn draft(markdown: &str) -> ToolCall {
    let mut args = Object::new();
    args.push("plan_markdown", markdown);
    ToolCall::new("plan_set_content", args)
}

/// Starts a plan in a session and brings it to the state in which it waits for approval.
async fn ready(session: &Session) {
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    session
        .decide(&[draft("# v1")], &around())
        .await
        .expect("the draft is stored");
}

/// Returns an approval of the current plan, whichever plan that is.
fn approval() -> Call {
    let mut call = Call::new(CallKind::Event("approve".into()));
    call.token = ShownToken::Current;
    call
}

async fn states(session: &Session) -> Vec<String> {
    let plans = session.plans().await.expect("the plans of the session");
    plans
        .into_iter()
        .map(|held| held.plan.state.into_owned())
        .collect()
}
