//! A call that is repeated with the same call id returns the first answer, and does not act a second time.

use std::sync::Arc;

use plan_machine::gate::{Decision, EarlierDecision, Gate, ToolCall};
use plan_machine::machine::{Call, CallKind, Outcome};
use plan_machine::{Json, Object};
use plan_machine_sessions::store::Memory;
use plan_machine_sessions::{SessionError, Sessions, Transaction};

use super::{approval, around, draft, identity, in_memory, on_disk, plan_mode, ready, states};

#[tokio::test]
async fn a_repeated_command_gets_the_first_answer_and_does_nothing() {
    let session = in_memory().session(&identity("once-a-command"));
    let first = session
        .command("/plan on", &around().once("m-1"))
        .await
        .expect("the plan is started");
    let again = session
        .command("/plan on", &around().once("m-1"))
        .await
        .expect("the event is answered");
    assert!(!first.repeated && again.repeated);
    assert_eq!(first.answer, again.answer);
    assert_eq!(again.seq, 1);
    let other = session
        .command("/plan on", &around().once("m-2"))
        .await
        .expect("the event is answered");
    assert!(matches!(other.answer[0].outcome, Outcome::Denied(_)));
}

#[tokio::test]
async fn every_kind_of_decision_is_remembered() {
    let session = in_memory().session(&identity("every-kind-of-decision"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let batch = [
        draft("# v1").once("c-1"),
        ToolCall::new("plan_get", Object::new()).once("c-2"),
        ToolCall::new("nonsense", Object::new()).once("c-3"),
        ToolCall::new("shell", [("cmd", "ls")].into_iter().collect()).once("c-4"),
    ];
    let first = session
        .decide(&batch, &around())
        .await
        .expect("the calls are decided")
        .answer;
    assert!(matches!(first[0], Decision::Applied { .. }));
    assert!(matches!(first[1], Decision::Applied { .. }));
    assert!(matches!(first[2], Decision::Denied(_)));
    assert!(matches!(first[3], Decision::Run(_)));
    session
        .decide(&[draft("# v2")], &around())
        .await
        .expect("the draft is stored");
    let again = session
        .decide(&batch, &around())
        .await
        .expect("the calls are decided");
    assert!(again.repeated);
    assert_eq!(again.seq, 3);
    assert_eq!(first.len(), again.answer.len());
    for (one, other) in first.iter().zip(&again.answer) {
        let Decision::Repeated(earlier) = other else {
            panic!("{other:?}");
        };
        if let EarlierDecision::LetRun { tool } = earlier {
            assert_eq!(tool, "shell");
            assert_eq!(one.answer(), None);
        } else {
            assert_eq!(one.answer(), other.answer());
        }
    }
}

#[tokio::test]
async fn a_call_that_a_plan_has_recorded_is_not_recorded_again() {
    let machines = Gate::builder().with(plan_mode::Machine);
    let machines = machines
        .host_tool("shell", "Runs a command.", Object::new())
        .join();
    let sessions = Sessions::new(
        Arc::new(Memory::new()),
        machines.expect("a valid set of machines"),
    );
    let session = sessions.session(&identity("recorded-once"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let args: Object = [("cmd", "ls")].into_iter().collect();
    let batch = [ToolCall::new("shell", args).once("c-1")];
    let first = session
        .decide(&batch, &around())
        .await
        .expect("the calls are decided");
    assert!(
        matches!(first.answer[0], Decision::Recorded { .. }),
        "{first:?}"
    );
    let again = session
        .decide(&batch, &around())
        .await
        .expect("the calls are decided");
    assert!(again.repeated);
    assert_eq!((again.answer.len(), again.seq), (1, 2));
    assert!(
        matches!(
            again.answer[0],
            Decision::Repeated(EarlierDecision::Recorded { .. })
        ),
        "{again:?}"
    );
    assert_eq!(first.answer[0].answer(), again.answer[0].answer());
    let plan = session.plans().await.expect("a plan").remove(0).plan;
    let steps = plan.data.get("steps").and_then(Json::as_list);
    assert_eq!(steps.map(<[Json]>::len), Some(1), "{steps:?}");
}

#[tokio::test]
async fn a_batch_may_hold_old_and_new_calls() {
    let session = in_memory().session(&identity("old-and-new"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    session
        .decide(&[draft("# v1").once("c-1")], &around())
        .await
        .expect("the draft is stored");
    let batch = [draft("# v1").once("c-1"), draft("# v2").once("c-2")];
    let done = session
        .decide(&batch, &around())
        .await
        .expect("the calls are decided");
    assert!(!done.repeated);
    assert_eq!(
        done.answer
            .iter()
            .map(|decision| matches!(decision, Decision::Repeated(_)))
            .collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(done.seq, 3);
}

#[tokio::test]
async fn the_first_answer_survives_a_restart_of_the_process() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let identity = identity("begun-anew");
    let session = on_disk(&path).session(&identity);
    ready(&session).await;
    let around = around().once("approval-1");
    let first = session
        .send("WorkByPlan", &approval(), &around)
        .await
        .expect("the approval is answered");
    drop(session);
    let session = on_disk(&path).session(&identity);
    let again = session
        .send("WorkByPlan", &approval(), &around)
        .await
        .expect("the event is answered");
    assert!(again.repeated);
    assert_eq!(first.answer, again.answer);
    assert_eq!(states(&session).await, ["EXECUTING"]);
}

#[tokio::test]
async fn two_deliveries_at_once_act_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let identity = identity("two-deliveries");
    ready(&on_disk(&path).session(&identity)).await;
    let deliveries = (0..8).map(|_| {
        let session = on_disk(&path).session(&identity);
        tokio::spawn(async move {
            let done = session
                .send("WorkByPlan", &approval(), &around().once("m-9"))
                .await;
            done.expect("the event is answered")
        })
    });
    let deliveries: Vec<_> = deliveries.collect();
    let mut first = 0;
    for delivery in deliveries {
        let done = delivery.await.expect("the task does not panic");
        assert!(matches!(done.answer, Outcome::Accepted(_)));
        first += u32::from(!done.repeated);
    }
    assert_eq!(first, 1);
    assert_eq!(on_disk(&path).session(&identity).seq().await, Ok(3));
}

#[tokio::test]
async fn a_command_acts_under_an_id_that_the_model_has_used() {
    let session = in_memory().session(&identity("ids-of-the-model"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let call = draft("# v1").once("message-18");
    session
        .decide(&[call], &around())
        .await
        .expect("the draft is stored");
    let approved = session.send("WorkByPlan", &approval(), &around()).await;
    approved.expect("the approval is answered");
    let typed = around().once("message-18");
    let off = session.command("/plan done", &typed).await;
    let off = off.expect("the event is answered");
    assert!(!off.repeated && off.answer[0].outcome.is_accepted());
    assert_eq!(states(&session).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_id_with_different_arguments_is_a_separate_error() {
    let session = in_memory().session(&identity("other-arguments"));
    ready(&session).await;
    let call = |text: &str| draft(text).once("c-1");
    session
        .decide(&[call("# v2")], &around())
        .await
        .expect("the draft is stored");
    let error = session.decide(&[call("# v3")], &around()).await;
    assert!(
        matches!(error, Err(SessionError::OtherCall { .. })),
        "{error:?}"
    );
    let other = ToolCall::new("plan_get", Object::new()).once("c-1");
    let error = session
        .decide(&[other], &around())
        .await
        .expect_err("the id was used for another tool");
    assert_eq!(
        error.to_string(),
        "the call id `c-1` of the model was already used for `plan_set_content`, so it cannot be used for `plan_get`; give each call its own id"
    );
    let once = around().once("a-1");
    session
        .send("WorkByPlan", &approval(), &once)
        .await
        .expect("the approval is answered");
    let stale = Call {
        expect_revision: Some(9),
        ..approval()
    };
    let error = session.send("WorkByPlan", &stale, &once).await;
    assert!(
        matches!(error, Err(SessionError::OtherCall { .. })),
        "{error:?}"
    );
    assert_eq!(session.seq().await, Ok(4));
}

#[tokio::test]
async fn an_old_call_id_does_not_permit_a_tool_in_a_state_that_denies_it() {
    let machines = Gate::builder().with(plan_mode::Machine);
    let machines = machines
        .host_tool("shell", "Runs a command.", Object::new())
        .join();
    let sessions = Sessions::new(
        Arc::new(Memory::new()),
        machines.expect("a valid set of machines"),
    );
    let session = sessions.session(&identity("no-permission"));
    let call = || [ToolCall::new("shell", Object::new()).once("c-1")];
    let first = session
        .decide(&call(), &around())
        .await
        .expect("the calls are decided");
    assert!(matches!(first.answer[0], Decision::Run(_)));
    let mut sent = Call::new(CallKind::HostTool("shell".into()));
    sent.with.push("cmd", "ls");
    let ran = session.send("PlanMode", &sent, &around().once("h-1")).await;
    assert!(matches!(
        ran.expect("the event is answered").answer,
        Outcome::Run { .. }
    ));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let again = session
        .decide(&call(), &around())
        .await
        .expect("the calls are decided");
    let let_run = EarlierDecision::LetRun {
        tool: "shell".to_owned(),
    };
    assert_eq!(again.answer, [Decision::Repeated(let_run)]);
    let again = session.send("PlanMode", &sent, &around().once("h-1")).await;
    let again = again.expect("the event is answered");
    assert!(
        again.repeated && matches!(again.answer, Outcome::Denied(_)),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_transaction_can_look_up_an_earlier_event_without_sending_it() {
    let session = in_memory().session(&identity("looked-up"));
    let on = Call::new(CallKind::Event("plan_on".into()));
    let earlier = async |call: &Call| {
        let earlier = |all: &mut Transaction<'_>| all.earlier("WorkByPlan", call, Some("a-1"));
        let done = session.transaction(&around(), &["a-1"], earlier).await;
        let done = done.expect("a transaction");
        assert!(!done.repeated, "nothing was sent");
        done.answer
    };
    assert_eq!(earlier(&on).await, Ok(None));
    assert_eq!(session.seq().await, Ok(0));
    let sent = session.send("WorkByPlan", &on, &around().once("a-1")).await;
    let sent = sent.expect("the event is answered");
    let found = earlier(&on).await.expect("the same event");
    let found = found.expect("the earlier result");
    assert!(found.repeated && found.outcome == sent.answer, "{found:?}");
    let other = earlier(&approval()).await;
    assert!(
        matches!(other, Err(SessionError::OtherCall { .. })),
        "{other:?}"
    );
    assert_eq!(session.seq().await, Ok(1));
}
