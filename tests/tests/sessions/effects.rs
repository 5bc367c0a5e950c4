//! Effects are stored together with their event. Only `Session::effects` delivers them, always under the same identity,
//! until they are settled.

use plan_machine::gate::{Decision, EarlierDecision};
use plan_machine::machine::{Call, CallKind, Outcome};
use plan_machine_sessions::Transaction;

use super::{around, draft, identity, in_memory, on_disk, ready, work_by_plan};

#[tokio::test]
async fn an_effect_is_delivered_until_it_is_settled() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let identity = identity("until-it-is-settled");
    let session = on_disk(&path).session(&identity);
    ready(&session).await;
    let delivered = session.effects().await.expect("the pending effects");
    assert_eq!(delivered.len(), 1);
    assert_eq!(delivered[0].id.to_string(), "plan-1/2/0");
    assert_eq!(delivered[0].effect.name, "plan_ready");
    drop(session);

    let sessions = on_disk(&path);
    assert_eq!(sessions.with_effects(10).await, Ok(vec![identity.clone()]));
    let session = sessions.session(&identity);
    let pending = session.effects().await.expect("the pending effects");
    assert_eq!(pending, delivered);
    session
        .settle(&pending[0].id)
        .await
        .expect("the effect is settled");
    session
        .settle(&pending[0].id)
        .await
        .expect("settling an effect twice is not an error");
    assert_eq!(session.effects().await, Ok(Vec::new()));
    assert_eq!(on_disk(&path).with_effects(10).await, Ok(Vec::new()));
}

/// Returns the number of effects that an answer contains.
fn carried(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Accepted(acceptance) => acceptance.effects.len(),
        Outcome::Run { .. } | Outcome::Denied(_) => 0,
    }
}

#[tokio::test]
async fn no_answer_contains_effects_not_even_a_repeated_one() {
    let session = in_memory().session(&identity("no-answer-carries-effects"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    for _ in 0..2 {
        let calls = [draft("# v1").once("c-1")];
        let done = session
            .decide(&calls, &around())
            .await
            .expect("the draft is stored");
        let decision = &done.answer[0];
        assert!(
            matches!(
                decision,
                Decision::Applied { acceptance, .. }
                | Decision::Repeated(EarlierDecision::Applied { acceptance, .. })
                    if acceptance.effects.is_empty()
            ),
            "{decision:?}"
        );
    }
    let token = session.plans().await.expect("the plans of the session")[0]
        .plan
        .token
        .clone();
    let line = format!("/plan approve {token}");
    for _ in 0..2 {
        let done = session.command(&line, &around().once("m-1")).await;
        let outcome = &done.expect("the approval is answered").answer[0].outcome;
        assert!(outcome.is_accepted(), "{outcome:?}");
        assert_eq!(carried(outcome), 0);
    }
    let names: Vec<String> = session
        .effects()
        .await
        .expect("the pending effects")
        .iter()
        .map(|effect| effect.effect.name.to_string())
        .collect();
    assert_eq!(names, ["plan_ready"]);
}

#[tokio::test]
async fn an_event_that_a_host_sends_reports_its_effects_and_does_not_deliver_them() {
    let session = in_memory().session(&identity("reported-not-delivered"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let mut call = Call::new(CallKind::Event("plan_set_content".into()));
    call.with.push("plan_markdown", "# v1");
    let around = around().once("a-1");
    let done = session.send("WorkByPlan", &call, &around).await;
    let done = done.expect("the event is answered");
    assert!(done.answer.is_accepted() && !done.repeated, "{done:?}");
    assert_eq!(carried(&done.answer), 0);
    // The same event is sent again in a transaction, whose result contains the effects that the
    // step emitted.
    let send = |all: &mut Transaction<'_>| all.send("WorkByPlan", &call, Some("a-1"));
    let again = session.transaction(&around, &["a-1"], send).await;
    let again = again
        .expect("the event is answered")
        .answer
        .expect("a known machine and event");
    assert!(again.repeated);
    assert_eq!(carried(&again.outcome), 0);
    assert_eq!(again.emitted.len(), 1);
    let effect = again.emitted[0].typed::<work_by_plan::Machine>();
    assert!(matches!(
        effect,
        Some(work_by_plan::Effect::PlanReady { .. })
    ));
    let delivered = session.effects().await.expect("the pending effects");
    assert_eq!(delivered.len(), 1, "{delivered:?}");
}

#[tokio::test]
async fn effects_are_delivered_oldest_first_and_numbered_per_entry() {
    let session = in_memory().session(&identity("oldest-first"));
    ready(&session).await;
    session
        .decide(&[draft("# v2"), draft("# v3")], &around())
        .await
        .expect("the draft is stored");
    let ids: Vec<String> = session
        .effects()
        .await
        .expect("the pending effects")
        .iter()
        .map(|effect| effect.id.to_string())
        .collect();
    assert_eq!(ids.first().map(String::as_str), Some("plan-1/2/0"));
    let mut sorted = ids.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(ids, sorted);
}
