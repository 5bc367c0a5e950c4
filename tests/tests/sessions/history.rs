//! Tests of the journal: a replay produces the same bytes, opening a session reads a snapshot and the entries after it,
//! and the journal records who did what.

use std::sync::Arc;

use plan_machine::DenialKind;
use plan_machine::gate::{EventContext, TurnId};
use plan_machine::machine::Outcome;
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{Memory, Store};

use super::{approval, around, changed, draft, identity, in_memory, machine_set, ready, states};

#[tokio::test]
async fn a_replay_gives_the_same_bytes() {
    let session = in_memory().session(&identity("same-bytes"));
    for round in 0..100 {
        session
            .command("/plan on", &around())
            .await
            .expect("the plan is started");
        session
            .decide(&[draft(&format!("# {round}"))], &around())
            .await
            .expect("the draft is stored");
        session
            .command("/plan done", &around())
            .await
            .expect("the plan is closed");
    }
    assert_eq!(session.seq().await, Ok(300));
    assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
    let interpreted = changed("WorkByPlan", "WorkByPlan");
    assert_eq!(session.verify(&interpreted).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_replay_by_another_spec_reports_where_the_result_differs() {
    let session = in_memory().session(&identity("another-spec"));
    ready(&session).await;
    let newer = changed("max: 100000", "max: 3");
    let differences = session
        .verify(&newer)
        .await
        .expect("the result of the verification");
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert!(differences[0].other_spec);
    assert_eq!(differences[0].seq, 2);
    assert!(
        differences[0].problem.contains("invalid_input"),
        "{differences:?}"
    );
}

#[tokio::test]
async fn opening_an_old_session_reads_a_snapshot_and_its_tail() {
    let store = Arc::new(Memory::new());
    let identity = identity("old-session");
    let session =
        Sessions::new(Arc::clone(&store) as Arc<dyn Store>, machine_set()).session(&identity);
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    for edition in 0..1000 {
        session
            .decide(&[draft(&format!("# {edition}"))], &around())
            .await
            .expect("the draft is stored");
    }
    let read = store.read(&identity).await.expect("the stored session");
    assert!(read.tail.len() < 128, "{}", read.tail.len());
    assert!(
        read.snapshot
            .is_some_and(|snapshot| snapshot.body.len() < 2000)
    );
    let anew = Sessions::new(store, machine_set()).session(&identity);
    assert_eq!(states(&anew).await, ["READY"]);
    assert_eq!(
        anew.plans().await.expect("the plans of the session"),
        session.plans().await.expect("the plans of the session")
    );
}

/// After a few short entries, no further snapshot is made, because it would repeat the long plan; after 2,048 of them,
/// one is made nevertheless.
#[tokio::test]
async fn opening_a_session_with_a_long_plan_reads_fewer_than_2048_short_entries() {
    const LONG: usize = 2_000_000;
    let store = Arc::new(Memory::new());
    let identity = identity("long-plan");
    let machines = changed("max: 100000", "max: 4000000");
    let session = Sessions::new(Arc::clone(&store) as Arc<dyn Store>, machines).session(&identity);
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    session
        .decide(&[draft(&"x".repeat(LONG))], &around())
        .await
        .expect("the draft is stored");
    assert_eq!(states(&session).await, ["READY"]);
    // The first snapshot follows the draft, which is as long as the snapshot.
    for (last, snapshot, tail) in [(128, 128, 0), (2175, 128, 2047), (2176, 2176, 0)] {
        while session.seq().await.expect("the number of the last entry") < last {
            let turn = TurnId::unique();
            session.begin_turn(&turn, &around()).await.expect("a turn");
        }
        let read = store.read(&identity).await.expect("the stored session");
        assert_eq!(read.tail.len(), tail, "after entry {last}");
        let found = read.snapshot.expect("a snapshot");
        assert_eq!(found.seq, snapshot, "after entry {last}");
        assert!(found.body.len() > LONG, "{}", found.body.len());
    }
}

#[tokio::test]
async fn plans_that_ended_are_in_the_journal_and_not_in_memory() {
    let session = in_memory().session(&identity("in-the-journal"));
    for _ in 0..200 {
        session
            .command("/plan on", &around())
            .await
            .expect("the plan is started");
        session
            .command("/plan done", &around())
            .await
            .expect("the plan is closed");
    }
    assert!(states(&session).await.is_empty());
    let read = session
        .store()
        .read(session.identity())
        .await
        .expect("the stored session");
    assert!(
        read.snapshot
            .is_some_and(|snapshot| !snapshot.body.contains("plan-1\""))
    );
    let last = session.history(399, 1).await.expect("the last entry");
    let ended = last[0]
        .step
        .acceptance
        .ended
        .as_ref()
        .map(|plan| plan.id.to_string());
    assert_eq!(ended.as_deref(), Some("plan-200"));
}

#[tokio::test]
async fn an_audit_reports_who_did_what_to_which_plan_with_which_token() {
    let session = in_memory().session(&identity("who-did-what"));
    session
        .command("/plan on", &EventContext::default().by("ann"))
        .await
        .expect("the plan is started");
    session
        .decide(&[draft("# v1")], &EventContext::default().by("model"))
        .await
        .expect("the draft is stored");
    let token = session.plans().await.expect("the plans of the session")[0]
        .plan
        .token
        .clone();
    let line = format!("/plan approve {token}");
    session
        .command(&line, &EventContext::default().by("bob"))
        .await
        .expect("the approval is answered");
    let deeds = session.audit(0, 10).await.expect("the audit log");
    let told: Vec<String> = deeds
        .iter()
        .map(|deed| {
            let (plan, state) = deed.plans.last().expect("a plan");
            let token = deed.token.as_deref().unwrap_or("-");
            let actor = deed.actor.as_deref().unwrap_or("-");
            format!("{actor} {} {plan} {state} {token}", deed.event)
        })
        .collect();
    let last = format!("bob approve plan-1 EXECUTING {token}");
    assert_eq!(
        told,
        [
            "ann plan_on plan-1 COLLECTING -",
            "model plan_set_content plan-1 READY -",
            &last
        ]
    );
}

#[tokio::test]
async fn an_audit_reports_the_token_that_was_current() {
    let session = in_memory().session(&identity("which-was-current"));
    ready(&session).await;
    let token = session.plans().await.expect("the plans of the session")[0]
        .plan
        .token
        .clone();
    let done = session.send("WorkByPlan", &approval(), &around()).await;
    assert_eq!(done.expect("the approval is answered").seq, 3);
    let deeds = session.audit(2, 1).await.expect("a line of the audit log");
    assert_eq!(deeds[0].token, Some(token));
    assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_command_that_names_an_ended_plan_is_denied() {
    let machines = changed(
        "plan_done: /plan done",
        "plan_done: \"/plan done {plan_id?}\"",
    );
    let sessions = Sessions::new(Arc::new(Memory::new()), machines);
    let session = sessions.session(&identity("of-the-past"));
    for line in ["/plan on", "/plan done", "/plan on"] {
        session
            .command(line, &around())
            .await
            .expect("the command is answered");
    }
    let done = session
        .command("/plan done plan-1", &around())
        .await
        .expect("the event is answered");
    let Outcome::Denied(denial) = &done.answer[0].outcome else {
        panic!("{done:?}");
    };
    assert_eq!(denial.kind, DenialKind::NotFound);
    let unknown = session.command("/plan done plan-3", &around()).await;
    assert!(unknown.is_err(), "there has never been a plan with this id");
}
