//! Calls that are counted and still run: the count is stored before the call runs, once for each call.

use std::path::Path;
use std::sync::Arc;

use plan_machine::gate::{AllowedCall, Decision, EarlierDecision, Gate, MachineSet, ToolCall};
use plan_machine::machine::{Call, CallKind, Outcome};
use plan_machine::{Json, Object};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, Sessions};

use super::{around, identity};

plan_machine::machine! {
    machine Budget;
    data { calls: int = 0 }
    effect counted;
    command begin = "/budget";
    command leave = "/leave";
    command end = "/end";
    state none { on begin => OPEN; }
    state OPEN {
        other_tools [
            when calls < 2 { set calls = calls + 1; emit counted; run; }
            else deny;
        ]
        on leave => AWAY;
        on end => CLOSED next none;
    }
    state AWAY { on begin => OPEN; }
    final state CLOSED;
}

fn machines() -> MachineSet {
    let parts = Gate::builder().with(budget::Machine);
    let parts = parts.host_tool("shell", "Runs a command.", Object::new());
    parts.join().expect("a valid set of machines")
}

fn sessions(store: Arc<dyn Store>) -> Sessions {
    Sessions::new(store, machines())
}

async fn begun(store: Arc<dyn Store>) -> Session {
    let session = sessions(store).session(&identity("counted-calls"));
    session
        .command("/budget", &around())
        .await
        .expect("the plan is started");
    session
}

fn shell(id: &str) -> ToolCall {
    ToolCall::new("shell", Object::from_iter([("command", id)])).once(id)
}

async fn decide(session: &Session, ids: &[&str]) -> Vec<Decision> {
    let calls: Vec<ToolCall> = ids.iter().map(|id| shell(id)).collect();
    let done = session.decide(&calls, &around()).await;
    done.expect("the calls are decided").answer
}

fn allowed(decision: Decision) -> AllowedCall {
    match decision {
        Decision::Run(allowed) => allowed,
        other => panic!("{other:?}"),
    }
}

async fn calls(session: &Session) -> Json {
    let plans = session.plans().await.expect("the plans of the session");
    plans[0].plan.data.get("calls").cloned().unwrap_or_default()
}

fn on_disk(path: &Path) -> Arc<dyn Store> {
    Arc::new(Sqlite::open(path).expect("a store"))
}

#[tokio::test]
async fn every_call_that_runs_has_an_entry_and_the_count_survives_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sessions.db");
    let session = begun(on_disk(&path)).await;
    let allowed = allowed(decide(&session, &["a"]).await.remove(0));
    assert_eq!(session.seq().await, Ok(2));
    assert!(allowed.counted()[0].acceptance.effects.is_empty());
    assert_eq!(session.effects().await.expect("the effects").len(), 1);
    drop(session);

    let session = sessions(on_disk(&path)).session(&identity("counted-calls"));
    assert_eq!(calls(&session).await, Json::Int(1));
    decide(&session, &["b"]).await;
    let decisions = decide(&session, &["c"]).await;
    assert!(matches!(decisions[0], Decision::Denied(_)), "{decisions:?}");
    let entries = session.history(0, 100).await.expect("the entries");
    let ran: Vec<Option<&str>> = entries
        .iter()
        .map(|entry| entry.step.acceptance.runs.as_deref())
        .collect();
    assert_eq!(ran, [None, Some("shell"), Some("shell")]);
    let ids: Vec<Option<&str>> = entries
        .iter()
        .map(|entry| entry.call_id.as_deref())
        .collect();
    assert_eq!(ids, [None, Some("a"), Some("b")]);
    let found = session.verify(&machines()).await;
    assert_eq!(found.expect("the journal is read").len(), 0);
}

#[tokio::test]
async fn a_repeated_id_counts_once_and_permits_nothing() {
    let session = begun(Arc::new(Memory::new())).await;
    let decisions = decide(&session, &["a", "a"]).await;
    assert!(matches!(decisions[0], Decision::Run(_)), "{decisions:?}");
    let again = decide(&session, &["a"]).await;
    for repeated in [&decisions[1], &again[0]] {
        let Decision::Repeated(EarlierDecision::LetRun { tool }) = repeated else {
            panic!("{repeated:?}")
        };
        assert_eq!(tool, "shell");
    }
    assert_eq!(calls(&session).await, Json::Int(1));
    assert_eq!(session.seq().await, Ok(2));
}

#[tokio::test]
async fn a_counted_event_that_is_sent_twice_counts_once() {
    let session = begun(Arc::new(Memory::new())).await;
    let mut around = around();
    around.call_id = Some("event-1".to_owned());
    let call = Call::new(CallKind::HostTool("shell".into()));
    let first = session.send("Budget", &call, &around).await;
    let first = first.expect("the event is sent").answer;
    assert_eq!(first.runs(), Some("shell"));
    let second = session.send("Budget", &call, &around).await;
    let second = second.expect("the event is sent");
    assert!(second.repeated);
    assert!(matches!(second.answer, Outcome::Denied(_)), "{second:?}");
    assert_eq!(calls(&session).await, Json::Int(1));
}

#[tokio::test]
async fn calls_that_two_hosts_counted_in_parallel_are_both_confirmed() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let here = begun(Arc::clone(&store)).await;
    let there = sessions(store).session(&identity("counted-calls"));
    let first = allowed(decide(&here, &["a"]).await.remove(0));
    // The other host spends the rest of the budget before the first call runs.
    let second = allowed(decide(&there, &["b"]).await.remove(0));
    here.confirm(first).await.expect("the call may run");
    there.confirm(second).await.expect("the call may run");
    assert_eq!(
        calls(&here).await,
        Json::Int(2),
        "confirming counts nothing"
    );
    assert_eq!(here.seq().await, Ok(3));
}

#[tokio::test]
async fn a_counted_call_is_refused_once_the_plan_has_left_its_state() {
    let session = begun(Arc::new(Memory::new())).await;
    let mut decisions = decide(&session, &["a", "b"]).await.into_iter();
    for line in ["/leave", "/budget"] {
        session
            .command(line, &around())
            .await
            .expect("the plan moves");
    }
    for decision in decisions.by_ref() {
        let error = session.confirm(allowed(decision)).await;
        let error = error.expect_err("the plan left its state");
        assert!(matches!(error, SessionError::NotConfirmed(_)), "{error}");
    }
}
