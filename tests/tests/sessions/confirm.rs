//! A decision is used at once or confirmed: what closed the gate since is seen, whoever did it.

use std::sync::Arc;

use plan_machine::gate::{AllowedCall, Decision, Gate, MachineSet, ToolCall};
use plan_machine::machine::{Call, What};
use plan_machine::{HostTool, Json, Object};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, Sessions};

use super::{approval, around, identity, plan_mode, states, work_by_plan};

fn machines() -> MachineSet {
    let parts = Gate::builder().with(plan_mode::Machine);
    let parts = parts.host_tool("shell", "Runs a command.", Object::new());
    parts.join().expect("a machine")
}

fn opened(store: &Arc<dyn Store>) -> Session {
    Sessions::new(Arc::clone(store), machines()).session(&identity("confirmed-calls"))
}

fn in_memory() -> Session {
    opened(&(Arc::new(Memory::new()) as Arc<dyn Store>))
}

fn shell(command: &str) -> ToolCall {
    ToolCall::new("shell", Object::from_iter([("command", command)]))
}

/// Calls of one response, all of them allowed.
async fn allowed(session: &Session, number: usize) -> Vec<AllowedCall> {
    let calls: Vec<ToolCall> = (0..number).map(|at| shell(&format!("echo {at}"))).collect();
    let done = session.decide(&calls, &around()).await.expect("decided");
    let allowed = done.answer.into_iter().map(|decision| match decision {
        Decision::Run(allowed) => allowed,
        other => panic!("{other:?}"),
    });
    allowed.collect()
}

fn refused(error: &SessionError) -> bool {
    matches!(error, SessionError::NotConfirmed(_))
}

#[tokio::test]
async fn calls_of_a_response_run_until_somebody_closes_the_gate() {
    let session = in_memory();
    let mut calls = allowed(&session, 3).await.into_iter();
    for number in 0..2 {
        let call = calls.next().expect("a call");
        let confirmed = session.confirm(call).await.expect("it may run");
        let args = confirmed
            .args()
            .as_object()
            .and_then(|args| args.get("command"));
        assert_eq!(args, Some(&Json::from(format!("echo {number}"))));
        assert_eq!(confirmed.tool(), "shell");
        if number == 0 {
            assert_eq!(session.seq().await, Ok(0), "it neither steps nor counts");
        } else {
            session.command("/plan on", &around()).await.expect("begun");
        }
    }
    let error = session.confirm(calls.next().expect("a call")).await;
    let error = error.expect_err("plan mode is on");
    assert!(refused(&error));
    assert_eq!(
        error.to_string(),
        "not_allowed: `shell` may not run any more: PlanMode does not let it run in COLLECTING"
    );
    assert_eq!(session.seq().await, Ok(1));
}

#[tokio::test]
async fn a_state_that_was_left_and_entered_again_is_not_the_one_that_allowed_it() {
    let assembly = Gate::builder().with(work_by_plan::Machine);
    let assembly = assembly.host_tool("shell", "Runs a command.", Object::new());
    let sessions = Sessions::new(Arc::new(Memory::new()), assembly.join().expect("a machine"));
    let session = sessions.session(&identity("left-and-entered"));
    session.command("/plan on", &around()).await.expect("begun");
    let mut calls = allowed(&session, 2).await.into_iter();
    let first = session.confirm(calls.next().expect("a call")).await;
    assert!(first.is_ok(), "{first:?}");
    for line in ["/reset", "/plan on"] {
        session.command(line, &around()).await.expect("taken");
    }
    assert_eq!(states(&session).await, ["COLLECTING"]);
    let error = session.confirm(calls.next().expect("a call")).await;
    let error = error.expect_err("it is another plan");
    assert!(refused(&error), "{error}");
    assert!(
        error.to_string().contains("WorkByPlan has changed"),
        "{error}"
    );
}

#[tokio::test]
async fn what_another_process_has_changed_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let open = || opened(&(Arc::new(Sqlite::open(&path).expect("a store")) as Arc<dyn Store>));
    let (ours, theirs) = (open(), open());
    let mut calls = allowed(&ours, 2).await.into_iter();
    let first = ours.confirm(calls.next().expect("a call")).await;
    assert!(first.is_ok(), "{first:?}");
    theirs.command("/plan on", &around()).await.expect("begun");
    let error = ours.confirm(calls.next().expect("a call")).await;
    assert!(refused(
        &error.expect_err("the other process closed the gate")
    ));
}

#[tokio::test]
async fn a_call_is_confirmed_by_the_session_that_allowed_it_and_by_no_other() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let session = opened(&store);
    let other = Sessions::new(store, machines()).session(&identity("another-session"));
    let call = allowed(&session, 1).await.remove(0);
    let error = other.confirm(call).await.expect_err("another session");
    assert_eq!(error, SessionError::ForeignCall);
    let mut gate = machines().gate();
    let Decision::Run(call) = gate.decide(&[shell("ls")], &around()).remove(0) else {
        panic!("it may run");
    };
    let error = session.confirm(call).await.expect_err("of no session");
    assert_eq!(error, SessionError::ForeignCall);
}

#[tokio::test]
async fn a_recorded_call_runs_only_as_a_step_of_its_plan() {
    let session = in_memory();
    session.command("/plan on", &around()).await.expect("begun");
    let finalize = ToolCall::new("plan_finalize", Object::new());
    session
        .decide(&[shell("ls"), finalize], &around())
        .await
        .expect("recorded");
    session
        .send("PlanMode", &approval(), &around())
        .await
        .expect("approved");
    let mut started = Call::new(What::Event("step_started".into()));
    started.with.push("step", 0_i64);
    session
        .send("PlanMode", &started, &around())
        .await
        .expect("started");
    let plan = session.plans().await.expect("plans").remove(0).plan;
    let call = |command: &str| HostTool::new("shell", Object::from_iter([("command", command)]));
    let confirmed = session
        .confirm_recorded("PlanMode", &plan, call("ls"))
        .await;
    assert_eq!(confirmed.expect("a step").tool(), "shell");
    let other = session
        .confirm_recorded("PlanMode", &plan, call("rm -r ."))
        .await;
    let other = other.expect_err("it is not in the plan");
    assert!(
        other.to_string().contains("has recorded no such call"),
        "{other}"
    );
    session
        .command("/plan cancel", &around())
        .await
        .expect("cancelled");
    let error = session
        .confirm_recorded("PlanMode", &plan, call("ls"))
        .await;
    assert!(refused(&error.expect_err("the plan was given up")));
}
