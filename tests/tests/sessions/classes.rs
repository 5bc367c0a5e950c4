//! Classes of calls in stored sessions: the journal contains the class by which a step was decided.

use std::sync::Arc;

use plan_machine::Object;
use plan_machine::calls::Project;
use plan_machine::gate::{Decision, Gate, MachineSet, ToolCall};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{Memory, Store};

use super::{around, identity};

plan_machine::calls!("corpus/session/calls/agent.yaml");
plan_machine::machine!("corpus/session/machines/planning.yaml");

fn machines() -> MachineSet {
    let calls = agent::classifier(Project::new(env!("CARGO_MANIFEST_DIR")));
    let parts = Gate::builder().with(planning::Machine).calls(calls);
    parts.any_host_tool().join().expect("no conflicts")
}

#[tokio::test]
async fn the_class_of_a_step_is_stored_and_replayed() {
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let sessions = Sessions::new(Arc::clone(&store), machines());
    let session = sessions.session(&identity("classes-of-calls"));
    session.command("/plan", &around()).await.expect("a plan");
    let note = Object::from_iter([("path", "plans/a.md")]);
    let done = session
        .decide(&[ToolCall::new("Write", note)], &around())
        .await;
    let decisions = done.expect("the call is decided").answer;
    assert!(matches!(decisions[0], Decision::Run(_)), "{decisions:?}");

    let history = session.history(0, 9).await.expect("a history");
    let entry = history.last().expect("the counted call");
    assert_eq!(entry.step.call.class.as_deref(), Some("notes"));

    // Another host opens the session; its replay takes the class from the journal.
    let again = Sessions::new(store, machines()).session(&identity("classes-of-calls"));
    assert_eq!(again.verify(&machines()).await, Ok(Vec::new()));
    let plans = again.plans_of::<planning::Machine>().await;
    let plans = plans.expect("the plans of the session");
    assert_eq!(plans[0].data.notes, 1);
}
