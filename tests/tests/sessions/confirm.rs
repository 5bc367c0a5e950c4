//! An allowed call must be confirmed right before it runs: if the gate has been closed since the decision, by this
//! process or another one, the call is refused.

use std::sync::Arc;

use plan_machine::gate::{AllowedCall, Decision, Gate, MachineSet, StartedCall, ToolCall};
use plan_machine::{HostTool, Json, Object};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, Sessions};

use super::{approval, around, identity, plan_mode, states, work_by_plan};

fn machines() -> MachineSet {
    let parts = Gate::builder().with(plan_mode::Machine);
    let parts = parts.host_tool("shell", "Runs a command.", Object::new());
    parts.join().expect("a valid set of machines")
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

/// Lets a session decide on `number` calls of one response, and returns them; all of them must be
/// allowed.
async fn allowed(session: &Session, number: usize) -> Vec<AllowedCall> {
    let calls: Vec<ToolCall> = (0..number).map(|at| shell(&format!("echo {at}"))).collect();
    let done = session
        .decide(&calls, &around())
        .await
        .expect("the calls are decided");
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
        let confirmed = session.confirm(call).await.expect("the call may run");
        let args = confirmed
            .args()
            .as_object()
            .and_then(|args| args.get("command"));
        assert_eq!(args, Some(&Json::from(format!("echo {number}"))));
        assert_eq!(confirmed.tool(), "shell");
        if number == 0 {
            assert_eq!(
                session.seq().await,
                Ok(0),
                "confirming a call does not add an entry"
            );
        } else {
            session
                .command("/plan on", &around())
                .await
                .expect("the plan is started");
        }
    }
    let error = session.confirm(calls.next().expect("a call")).await;
    let error = error.expect_err("plan mode is on");
    assert!(refused(&error));
    assert_eq!(
        error.to_string(),
        "not_allowed: `shell` may no longer run: PlanMode does not allow this tool to run in COLLECTING"
    );
    assert_eq!(session.seq().await, Ok(1));
}

#[tokio::test]
async fn a_call_is_not_confirmed_after_its_state_was_left_and_entered_again() {
    let parts = Gate::builder().with(work_by_plan::Machine);
    let parts = parts.host_tool("shell", "Runs a command.", Object::new());
    let sessions = Sessions::new(
        Arc::new(Memory::new()),
        parts.join().expect("a valid set of machines"),
    );
    let session = sessions.session(&identity("left-and-entered"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let mut calls = allowed(&session, 2).await.into_iter();
    let first = session.confirm(calls.next().expect("a call")).await;
    assert!(first.is_ok(), "{first:?}");
    for line in ["/reset", "/plan on"] {
        session
            .command(line, &around())
            .await
            .expect("the command is answered");
    }
    assert_eq!(states(&session).await, ["COLLECTING"]);
    let error = session.confirm(calls.next().expect("a call")).await;
    let error = error.expect_err("the call was allowed for another plan");
    assert!(refused(&error), "{error}");
    assert!(
        error.to_string().contains("WorkByPlan has changed"),
        "{error}"
    );
}

#[tokio::test]
async fn changes_by_another_process_are_seen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let open = || opened(&(Arc::new(Sqlite::open(&path).expect("a store")) as Arc<dyn Store>));
    let (ours, theirs) = (open(), open());
    let mut calls = allowed(&ours, 2).await.into_iter();
    let first = ours.confirm(calls.next().expect("a call")).await;
    assert!(first.is_ok(), "{first:?}");
    theirs
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
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
    let error = other
        .confirm(call)
        .await
        .expect_err("another session allowed the call");
    assert_eq!(error, SessionError::ForeignCall);
    let mut gate = machines().gate();
    let Decision::Run(call) = gate.decide(&[shell("ls")], &around()).remove(0) else {
        panic!("the call was not allowed");
    };
    let error = session
        .confirm(call)
        .await
        .expect_err("no session allowed the call");
    assert_eq!(error, SessionError::ForeignCall);
}

#[tokio::test]
async fn a_recorded_call_runs_only_as_a_step_of_its_plan() {
    let session = in_memory();
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let finalize = ToolCall::new("plan_finalize", Object::new());
    session
        .decide(&[shell("ls"), finalize], &around())
        .await
        .expect("the calls are recorded");
    session
        .send("PlanMode", &approval(), &around())
        .await
        .expect("the approval is answered");
    let error = start(&session, 0, "rm -r .").await;
    assert!(
        denied(error).contains("has not recorded this call"),
        "the call is not in the plan"
    );
    let StartedCall::Run(call) = start(&session, 0, "ls").await else {
        panic!("the step of the plan did not start");
    };
    assert_eq!(call.tool(), "shell");
    let again = denied(start(&session, 0, "ls").await);
    assert!(again.contains("a step is already running"), "{again}");
    session
        .command("/plan cancel", &around())
        .await
        .expect("the plan is cancelled");
    let over = start(&session, 0, "ls").await;
    assert!(matches!(over, StartedCall::Denied(_)), "{over:?}");
}

/// Starts a step of the plan that makes this call to the tool `shell`.
async fn start(session: &Session, step: i64, command: &str) -> StartedCall {
    let call = HostTool::new("shell", Object::from_iter([("command", command)]));
    let event = plan_mode::Event::StepStarted(plan_mode::event::StepStarted { step });
    let around = around();
    let started = session.start_recorded::<plan_mode::Machine>("plan-1", event, call, &around);
    started.await.expect("an answer").answer
}

fn denied(started: StartedCall) -> String {
    match started {
        StartedCall::Denied(denial) => denial.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Returns a session with a plan that contains these recorded calls and has not been approved yet.
async fn planned(commands: &[&str]) -> Session {
    let session = in_memory();
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let calls: Vec<ToolCall> = commands.iter().map(|command| shell(command)).collect();
    session
        .decide(&calls, &around())
        .await
        .expect("the calls are recorded");
    session
}

#[tokio::test]
async fn a_recorded_call_does_not_run_before_its_plan_is_approved() {
    let session = planned(&["ls"]).await;
    assert!(matches!(
        start(&session, 0, "ls").await,
        StartedCall::Denied(_)
    ));
    let finalize = ToolCall::new("plan_finalize", Object::new());
    session
        .decide(&[finalize], &around())
        .await
        .expect("the plan is ready");
    assert!(matches!(
        start(&session, 0, "ls").await,
        StartedCall::Denied(_)
    ));
    assert_eq!(states(&session).await, ["READY"]);
}

#[tokio::test]
async fn a_started_step_runs_its_own_call_and_no_other_call_of_the_plan() {
    let session = planned(&["ls", "rm -r ."]).await;
    let finalize = ToolCall::new("plan_finalize", Object::new());
    session
        .decide(&[finalize], &around())
        .await
        .expect("the plan is ready");
    session
        .send("PlanMode", &approval(), &around())
        .await
        .expect("the approval is answered");
    let other = start(&session, 0, "rm -r .").await;
    assert!(matches!(other, StartedCall::Withdrawn(_)), "{other:?}");
}

#[tokio::test]
async fn a_call_inside_the_arguments_of_another_is_not_a_step() {
    let session = in_memory();
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let hidden = Object::from_iter([("command", "rm -r .")]);
    let mut inner = Object::new();
    inner.push("x", "shell");
    inner.push("y", hidden);
    let mut args = Object::new();
    args.push("command", "ls");
    args.push("steps", Json::List(vec![Json::Object(inner)]));
    let finalize = ToolCall::new("plan_finalize", Object::new());
    let calls = [ToolCall::new("shell", args), finalize];
    session
        .decide(&calls, &around())
        .await
        .expect("the calls are recorded");
    session
        .send("PlanMode", &approval(), &around())
        .await
        .expect("the approval is answered");
    let error = denied(start(&session, 0, "rm -r .").await);
    assert!(error.contains("has not recorded this call"), "{error}");
}

#[tokio::test]
async fn a_call_is_not_confirmed_if_a_machine_has_changed_state_in_between() {
    let session = in_memory();
    let mut calls = allowed(&session, 2).await.into_iter();
    let first = session.confirm(calls.next().expect("a call")).await;
    assert!(first.is_ok(), "{first:?}");
    for line in ["/plan on", "/plan off"] {
        session
            .command(line, &around())
            .await
            .expect("the command is answered");
    }
    let error = session.confirm(calls.next().expect("a call")).await;
    let error = error.expect_err("plan mode was on").to_string();
    assert!(error.contains("PlanMode has changed since"), "{error}");
}

#[tokio::test]
async fn the_gate_of_a_session_confirms_nothing_by_itself() {
    let session = in_memory();
    let other = opened(&(Arc::new(Memory::new()) as Arc<dyn Store>));
    let mut calls = allowed(&session, 2).await.into_iter();
    let own = calls.next().expect("a call");
    let error = session
        .at_gate(|gate| gate.confirm(own))
        .await
        .expect("the gate of the session");
    assert!(error.is_err(), "only the session can confirm the call");
    let foreign = calls.next().expect("a call");
    let error = other
        .at_gate(|gate| gate.confirm(foreign))
        .await
        .expect("the gate of the session");
    assert!(error.is_err(), "another session allowed the call");
    let mut gate = machines().gate();
    let Decision::Run(call) = gate.decide(&[shell("ls")], &around()).remove(0) else {
        panic!("the call was not allowed");
    };
    let error = machines()
        .gate()
        .confirm(call)
        .expect_err("another gate allowed the call");
    assert!(error.to_string().contains("by another gate"), "{error}");
}

#[tokio::test]
async fn a_call_from_another_store_or_from_a_deleted_session_is_not_confirmed() {
    let session = in_memory();
    let other = in_memory();
    let call = allowed(&session, 1).await.remove(0);
    assert!(
        other.confirm(call).await.is_err(),
        "the session has the same name, but is in another store"
    );

    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let sessions = Sessions::new(Arc::clone(&store), machines());
    let name = identity("deleted-meanwhile");
    let session = sessions.session(&name);
    for line in ["/plan on", "/plan off"] {
        session
            .command(line, &around())
            .await
            .expect("the command is answered");
    }
    let call = allowed(&session, 1).await.remove(0);
    store.delete(&name).await.expect("the session is deleted");
    let error = session
        .confirm(call)
        .await
        .expect_err("the session was deleted");
    assert!(refused(&error), "{error}");
}

#[test]
fn a_batch_of_another_gate_decides_nothing() {
    let mut gate = machines().gate();
    let empty = Gate::builder().any_host_tool().open().expect("a gate");
    let decision = gate.decide_in(&empty.begin_batch(), &shell("ls"), &around());
    assert!(matches!(decision, Decision::Denied(_)), "{decision:?}");
    let own = gate.begin_batch();
    let decision = gate.decide_in(&own, &shell("ls"), &around());
    assert!(matches!(decision, Decision::Run(_)), "{decision:?}");
}
