//! Events that the host sends: as typed values, or by their names, which are checked.

use plan_machine::gate::{Decision, ToolCall, UnknownName};
use plan_machine::{Address, DenialKind, Object};
use plan_machine_sessions::SessionError;

use super::{approval, around, identity, in_memory, ready, states, work_by_plan};
use work_by_plan::{Event, Machine, State, event};

#[tokio::test]
async fn a_typed_signal_goes_to_the_plan_that_it_names() {
    let around = around();
    let session = in_memory().session(&identity("typed-signals"));
    ready(&session).await;
    let plan = session
        .plans_of::<Machine>()
        .await
        .expect("the plans of the session")
        .remove(0);
    assert_eq!(plan.state, State::Ready);
    assert_eq!(plan.data.markdown.as_deref(), Some("# v1"));
    let finished = Event::Finished;
    let early = session.signal::<Machine>(&plan.id, finished.clone(), &around);
    let early = early.await.expect("the event is answered").answer;
    assert!(!early.is_accepted(), "{early:?}");

    // This event is not a signal, and it has a payload: the type of the event requires the token of the plan that a
    // person has seen.
    let token = plan_machine::AnyPlan::<Machine>::restore(
        &session.plans().await.expect("the plans of the session")[0].plan,
    )
    .expect("a plan of the machine")
    .token();
    let approve = Event::Approve(event::Approve { token });
    let approved = session.signal::<Machine>(Address::ANY, approve, &around);
    assert!(
        approved
            .await
            .expect("the event is answered")
            .answer
            .is_accepted()
    );

    let stale = session.signal::<Machine>("another", finished.clone(), &around);
    assert!(
        !stale
            .await
            .expect("the event is answered")
            .answer
            .is_accepted()
    );
    let old = Address::from(&plan.id).at_revision(plan.revision);
    let old = session.signal::<Machine>(old, finished.clone(), &around);
    assert!(
        !old.await
            .expect("the event is answered")
            .answer
            .is_accepted()
    );
    let done = session.signal::<Machine>(&plan.id, finished, &around);
    assert!(
        done.await
            .expect("the event is answered")
            .answer
            .is_accepted()
    );
    assert_eq!(states(&session).await, ["COMPLETED"]);
}

#[tokio::test]
async fn a_mistyped_signal_is_an_error_with_a_suggestion_and_changes_nothing() {
    let session = in_memory().session(&identity("mistyped-signals"));
    ready(&session).await;
    let around = around().once("m-1");
    let (plan, none) = ("plan-1", Object::new());
    let mistyped = session.signal_by_name("WorkByPlan", "finishd", plan, none.clone(), &around);
    let error = mistyped.await.expect_err("there is no such event");
    assert_eq!(
        error.to_string(),
        "WorkByPlan has no event `finishd`; did you mean `finished`?"
    );
    let mistyped = session.signal_by_name("WorkByPlam", "finished", plan, none.clone(), &around);
    let error = mistyped.await.expect_err("there is no such machine");
    assert_eq!(
        error.to_string(),
        "the session has no machine `WorkByPlam`; did you mean `WorkByPlan`?"
    );
    let mut mistyped = approval();
    mistyped.what = plan_machine::machine::CallKind::Event("aprove".into());
    let error = session.send("WorkByPlan", &mistyped, &around).await;
    assert!(
        matches!(&error, Err(SessionError::Unknown(UnknownName::Event(unknown))) if unknown.nearest == Some("approve")),
        "{error:?}"
    );
    // Nothing is stored under the call id, so the corrected event is accepted.
    assert_eq!(session.seq().await, Ok(2));
    let done = session.send("WorkByPlan", &approval(), &around).await;
    assert!(done.expect("the event is answered").answer.is_accepted());
}

#[tokio::test]
async fn a_tool_that_a_model_mistypes_stays_a_denial() {
    let session = in_memory().session(&identity("mistyped-tools"));
    let call = ToolCall::new("plan_set_contnt", Object::new());
    let done = session
        .decide(&[call], &around())
        .await
        .expect("the calls are decided");
    let decision = &done.answer[0];
    assert!(
        matches!(decision, Decision::Denied(denial) if denial.kind == DenialKind::UnknownTool),
        "{decision:?}"
    );
    let words = decision.answer().expect("an answer to the model");
    assert!(
        words.contains("did you mean `plan_set_content`?"),
        "{words}"
    );
}
