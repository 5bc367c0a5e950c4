//! A call id makes a repeated call return the first answer instead of acting twice.

use plan_machine::Object;
use plan_machine::gate::{Decision, ToolCall};
use plan_machine::machine::Outcome;

use super::{approval, around, draft, identity, in_memory, on_disk, ready, states};

#[tokio::test]
async fn a_repeated_command_is_answered_as_the_first_and_does_nothing() {
    let session = in_memory().session(&identity("once-a-command"));
    let first = session
        .command("/plan on", &around().once("m-1"))
        .await
        .expect("begun");
    let again = session
        .command("/plan on", &around().once("m-1"))
        .await
        .expect("answered");
    assert!(!first.repeated && again.repeated);
    assert_eq!(first.answer, again.answer);
    assert_eq!(again.seq, 1);
    let other = session
        .command("/plan on", &around().once("m-2"))
        .await
        .expect("answered");
    assert!(matches!(other.answer[0].outcome, Outcome::Denied(_)));
}

#[tokio::test]
async fn every_kind_of_decision_is_remembered() {
    let session = in_memory().session(&identity("every-kind-of-decision"));
    session.command("/plan on", &around()).await.expect("begun");
    let batch = [
        draft("# v1").once("c-1"),
        ToolCall::new("plan_get", Object::new()).once("c-2"),
        ToolCall::new("nonsense", Object::new()).once("c-3"),
        ToolCall::new("shell", [("cmd", "ls")].into_iter().collect()).once("c-4"),
    ];
    let first = session
        .decide(&batch, &around())
        .await
        .expect("decided")
        .answer;
    assert!(matches!(first[0].decision, Decision::Applied { .. }));
    assert!(matches!(first[1].decision, Decision::Applied { .. }));
    assert!(matches!(first[2].decision, Decision::Denied(_)));
    assert!(matches!(first[3].decision, Decision::Run(_)));
    session
        .decide(&[draft("# v2")], &around())
        .await
        .expect("drafted");
    let again = session.decide(&batch, &around()).await.expect("decided");
    assert!(again.repeated);
    assert_eq!(again.seq, 3);
    for (one, other) in first.iter().zip(&again.answer) {
        assert_eq!(one.decision, other.decision);
        assert!(other.repeated && !one.repeated);
    }
}

#[tokio::test]
async fn a_batch_may_hold_old_and_new_calls() {
    let session = in_memory().session(&identity("old-and-new"));
    session.command("/plan on", &around()).await.expect("begun");
    session
        .decide(&[draft("# v1").once("c-1")], &around())
        .await
        .expect("drafted");
    let batch = [draft("# v1").once("c-1"), draft("# v2").once("c-2")];
    let done = session.decide(&batch, &around()).await.expect("decided");
    assert!(!done.repeated);
    assert_eq!(
        done.answer
            .iter()
            .map(|decided| decided.repeated)
            .collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(done.seq, 3);
}

#[tokio::test]
async fn the_first_answer_stands_after_the_process_began_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let identity = identity("begun-anew");
    let session = on_disk(&path).session(&identity);
    ready(&session).await;
    let around = around().once("approval-1");
    let first = session
        .send("WorkByPlan", &approval(), &around)
        .await
        .expect("approved");
    drop(session);
    let session = on_disk(&path).session(&identity);
    let again = session
        .send("WorkByPlan", &approval(), &around)
        .await
        .expect("answered");
    assert!(again.repeated);
    assert_eq!(first.answer, again.answer);
    assert_eq!(states(&session).await, ["EXECUTING"]);
}

#[tokio::test]
async fn two_deliveries_at_once_act_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let identity = identity("two-deliveries");
    ready(&on_disk(&path).session(&identity)).await;
    let deliveries = (0..8).map(|_| {
        let session = on_disk(&path).session(&identity);
        tokio::spawn(async move {
            let done = session
                .send("WorkByPlan", &approval(), &around().once("m-9"))
                .await;
            done.expect("answered")
        })
    });
    let deliveries: Vec<_> = deliveries.collect();
    let mut first = 0;
    for delivery in deliveries {
        let done = delivery.await.expect("no panic");
        assert!(matches!(done.answer, Outcome::Accepted(_)));
        first += u32::from(!done.repeated);
    }
    assert_eq!(first, 1);
    assert_eq!(on_disk(&path).session(&identity).seq().await, Ok(3));
}
