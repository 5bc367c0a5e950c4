//! A session that cannot be read is still listed, and a person can restart it. Its entries are kept.

use std::sync::Arc;

use plan_machine::gate::{Gate, MachineSet, Step, ToolCall};
use plan_machine::machine::{Call, CallKind, Env, Outcome};
use plan_machine::{Id, Json, Machine as _, Object};
use plan_machine_sessions::journal::{Chain, Entry, EntryKind, Format};
use plan_machine_sessions::store::{Commit, Memory, NextDue, Row, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, Sessions};

use super::{around, identity, plan_mode, states};

fn machines() -> MachineSet {
    let parts = Gate::builder().with(plan_mode::Machine);
    let parts = parts.host_tool("shell", "Runs a command.", Object::new());
    parts.join().expect("a valid set of machines")
}

fn opened(store: &Arc<dyn Store>) -> Session {
    Sessions::new(Arc::clone(store), machines()).session(&identity("nested-too-deep"))
}

fn shell(value: Json) -> ToolCall {
    ToolCall::new("shell", Object::from_iter([("value", value)]))
}

/// Returns the entries of a session as an earlier version without limits wrote them. A plan was started, and two calls
/// were recorded; the arguments of the second call are nested `depth` levels deep.
fn entries(depth: usize) -> Vec<Row> {
    let deep = (1..depth).fold(Json::Null, |inner, _| Json::List(vec![inner]));
    let recorded = |value: Json| {
        let mut call = Call::new(CallKind::HostTool("shell".into()));
        call.with = Object::from_iter([("value", value)]);
        call
    };
    let begun = Call::new(CallKind::Event("plan_on".into()));
    let calls = [begun, recorded(Json::from("first")), recorded(deep)];
    let (machine, context) = (plan_mode::Machine, Object::new());
    let (tables, mut held) = (machine.description(), machine.empty());
    let mut chain = Chain::start(&identity("nested-too-deep"));
    let rows = (1..).zip(calls).map(|(seq, call)| {
        let mut env = Env {
            now: around().now,
            new_id: Id::from("plan-1"),
            context: &context,
            host_tools: None,
        };
        let stepped = machine.step(&mut held, &call, &mut env);
        let Ok(Outcome::Accepted(acceptance)) = stepped else {
            panic!("{stepped:?}");
        };
        let entry = Entry {
            format: Format::CURRENT,
            seq,
            call_id: None,
            kind: EntryKind::Taken,
            step: Step {
                machine: tables.name.into(),
                version: tables.version,
                fingerprint: tables.fingerprint.into(),
                at: env.now,
                actor: Some("ann".to_owned()),
                call,
                context: Object::new(),
                new_id: (seq == 1).then_some(env.new_id),
                acceptance: *acceptance,
                floor: None,
            },
            bases: Vec::new(),
        };
        let body = entry.to_text();
        let body = body.replace(
            &format!("{{\"format\":{},", Format::CURRENT),
            "{\"format\":2,",
        );
        chain = chain.then(&body);
        Row {
            seq,
            body,
            digest: chain.digest(),
        }
    });
    rows.collect()
}

/// Stores a session with the entries of [`entries`], and returns the store.
async fn nested(depth: usize, store: Arc<dyn Store>) -> Arc<dyn Store> {
    let commit = Commit {
        session: identity("nested-too-deep"),
        expected: 0,
        after: None,
        rows: entries(depth),
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: None,
        due: NextDue::Unchanged,
    };
    store.append(commit).await.expect("the commit is stored");
    store
}

#[tokio::test]
async fn a_session_with_a_call_that_an_earlier_version_nested_too_deep_continues() {
    for depth in [65, 122, 123, 128] {
        let store = nested(depth, Arc::new(Memory::new())).await;
        let session = opened(&store);
        assert_eq!(states(&session).await, ["COLLECTING"], "{depth}");
        for number in 0..40_i64 {
            let call = shell(Json::from(number));
            session
                .decide(&[call], &around())
                .await
                .expect("the calls are recorded");
        }
        let readied = ToolCall::new("plan_finalize", Object::new());
        session
            .decide(&[readied], &around())
            .await
            .expect("the plan is ready");
        assert_eq!(opened(&store).verify(&machines()).await, Ok(Vec::new()));
        let off = opened(&store).command("/plan off", &around()).await;
        assert!(
            off.expect("the plan is ended").answer[0]
                .outcome
                .is_accepted()
        );
    }
}

/// Checks that a session that cannot be read can be restarted, and that its entries remain unchanged.
async fn starts_over(store: Arc<dyn Store>) {
    let session = opened(&store);
    let name = session.identity().clone();
    let before = store
        .history(&name, 0, 100)
        .await
        .expect("the stored entries");
    let error = session
        .plans()
        .await
        .expect_err("the session cannot be read");
    assert!(
        matches!(error, SessionError::Unreadable { .. }) && error.to_string().contains("restart"),
        "{error}"
    );
    assert_eq!(
        session.command("/plan off", &around()).await.err(),
        Some(error.clone())
    );
    let listed = Sessions::new(Arc::clone(&store), machines());
    let listed = listed.list(None, 10).await.expect("the list of sessions");
    assert_eq!((&listed[0].session, listed[0].seq), (&name, 3));

    let seq = session.restart("nested too deep", &around()).await;
    assert_eq!(seq, Ok(4));
    let after = store
        .history(&name, 0, 100)
        .await
        .expect("the stored entries");
    assert_eq!(after[..3], before, "the old entries are unchanged");
    let entry = Entry::read(&after[3].body).expect("an entry");
    assert_eq!(entry.step.actor.as_deref(), Some("ann"));
    let why = "nested too deep".to_owned();
    assert_eq!(entry.kind, EntryKind::Restarted { why });

    assert_eq!(session.effects().await, Ok(Vec::new()));
    for session in [session, opened(&store)] {
        assert_eq!(states(&session).await, Vec::<String>::new());
        let again = session.restart("once more", &around()).await;
        assert_eq!(again, Err(SessionError::Readable));
        let on = session.command("/plan on", &around()).await;
        assert!(
            on.expect("the plan is started").answer[0]
                .outcome
                .is_accepted()
        );
        let plans = session.plans().await.expect("the plans of the session");
        assert_ne!(plans[0].plan.id, "plan-1", "no plan id is used twice");
        let off = session.command("/plan off", &around()).await;
        assert!(
            off.expect("the plan is ended").answer[0]
                .outcome
                .is_accepted()
        );
    }
    let differences = opened(&store)
        .verify(&machines())
        .await
        .expect("the result of the verification");
    let seqs: Vec<u64> = differences.iter().map(|one| one.seq).collect();
    assert_eq!(
        seqs,
        [3],
        "only the unreadable entry is reported; all others are verified"
    );
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_restarted_and_its_entries_are_kept() {
    starts_over(nested(400, Arc::new(Memory::new())).await).await;
}

#[tokio::test]
async fn a_session_in_a_file_that_cannot_be_read_is_restarted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = Sqlite::open(folder.path().join("plans.db")).expect("a store");
    starts_over(nested(400, Arc::new(file)).await).await;
}

#[tokio::test]
async fn effects_of_an_entry_that_cannot_be_read_do_not_stop_a_restarted_session() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let commit = Commit {
        session: identity("nested-too-deep"),
        expected: 0,
        after: None,
        rows: entries(400),
        effects: vec![(1, 0), (3, 0)],
        answers: Vec::new(),
        snapshot: None,
        due: NextDue::Unchanged,
    };
    store.append(commit).await.expect("the commit is stored");
    let session = opened(&store);
    assert!(session.effects().await.is_err());
    starts_over(store).await;
}

#[tokio::test]
async fn a_session_that_can_be_read_is_not_restarted() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let session = opened(&store);
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let refused = session.restart("for fun", &around()).await;
    assert_eq!(refused, Err(SessionError::Readable));
    assert_eq!(states(&session).await, ["COLLECTING"]);
    assert_eq!(session.seq().await, Ok(1));
}
