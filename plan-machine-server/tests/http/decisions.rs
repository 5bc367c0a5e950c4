//! Decisions about plans.

use plan_machine_kernel::json::Json;

use crate::bench::{Bench, Setup, called, ready_plan, typed};
use crate::client::Answer;

/// Returns the body of a decision about the first card of a session.
fn decision(view: &Answer, decision: &str, more: &str) -> String {
    let (machine, plan) = (view.text("cards.0.machine"), view.text("cards.0.plan"));
    let token = view.text("cards.0.token");
    format!(
        r#"{{"decision":"{decision}","machine":"{machine}","plan":"{plan}","token":"{token}"{more}}}"#
    )
}

#[tokio::test]
async fn an_approval_is_in_the_journal_with_its_actor() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    let path = "/api/sessions/codex:first-talk/decision";
    let answer = bench
        .post(path, &decision(&view, "approve", ""))
        .await
        .expect(200);
    assert_eq!(answer.at("accepted"), Json::Bool(true));
    assert_eq!(answer.text("plans.0.state"), "EXECUTING");
    let audit = session.audit(0, 100).await.expect("an audit log");
    let last = audit.last().expect("a line");
    assert_eq!(
        (last.actor.as_deref(), last.event.as_str()),
        (Some("ann"), "approve")
    );
    assert_eq!(
        last.token.as_deref(),
        Some(view.text("cards.0.token").as_str())
    );
    bench.stop().await;
}

#[tokio::test]
async fn a_stale_click_is_refused_and_the_difference_is_shown() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    let old = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    typed(&session, "/plan cancel").await;
    ready_plan(&session, "make test").await;
    let path = "/api/sessions/codex:first-talk/decision";
    let answer = bench
        .post(path, &decision(&old, "approve", ""))
        .await
        .expect(409);
    assert_eq!(answer.text("type"), "urn:plan-machine:stale");
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(answer.text("shown.content.0.steps.0.args.cmd"), "make");
    assert_eq!(
        answer.text("current.content.0.steps.0.args.cmd"),
        "make test"
    );
    assert_eq!(answer.text("card.actions.0.name"), "approve");
    let plans = session.plans().await.expect("plans");
    assert_eq!(plans.last().expect("a plan").plan.state, "READY");
    bench.stop().await;
}

#[tokio::test]
async fn a_short_token_does_not_approve() {
    let bench = Bench::new().await;
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    let (long, short) = (view.text("cards.0.token"), view.text("cards.0.shortToken"));
    let body = decision(&view, "approve", "").replace(&long, &short);
    bench
        .post("/api/sessions/codex:first-talk/decision", &body)
        .await
        .expect(409);
    bench.stop().await;
}

#[tokio::test]
async fn of_two_clicks_one_wins_and_a_repeated_one_gets_the_first_answer() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    let path = "/api/sessions/codex:first-talk/decision";
    let one = decision(&view, "approve", r#","once":"click-1""#);
    let other = decision(&view, "approve", r#","once":"click-2""#);
    let (first, second) = tokio::join!(bench.post(path, &one), bench.post(path, &other));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let winner = if first.status == 200 { &one } else { &other };
    let again = bench.post(path, winner).await.expect(200);
    assert_eq!(again.at("repeated"), Json::Bool(true));
    let approvals = session.audit(0, 100).await.expect("an audit log");
    let approvals = approvals.iter().filter(|line| line.event == "approve");
    assert_eq!(approvals.count(), 1);
    bench.stop().await;
}

#[tokio::test]
async fn an_id_that_was_used_for_one_plan_is_refused_for_another() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    let path = "/api/sessions/codex:first-talk";
    let decisions = format!("{path}/decision");
    let once = r#","once":"click-1""#;
    ready_plan(&session, "make").await;
    let first = bench.get(path).await.expect(200);
    bench
        .post(&decisions, &decision(&first, "approve", once))
        .await
        .expect(200);
    typed(&session, "/plan cancel").await;
    ready_plan(&session, "make test").await;
    let second = bench.get(path).await.expect(200);
    let answer = bench
        .post(&decisions, &decision(&second, "approve", once))
        .await
        .expect(409);
    assert_eq!(answer.text("type"), "urn:plan-machine:other-call");
    let plans = session.plans().await.expect("plans");
    assert_eq!(plans.last().expect("a plan").plan.state, "READY");
    let again = bench
        .post(&decisions, &decision(&first, "approve", once))
        .await
        .expect(200);
    assert_eq!(again.at("repeated"), Json::Bool(true));
    bench.stop().await;
}

#[tokio::test]
async fn a_decision_that_the_state_does_not_have_is_not_called_stale() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    let path = "/api/sessions/codex:first-talk";
    let view = bench.get(path).await.expect(200);
    // This plan mode has no rejection.
    let reject = decision(&view, "reject", "");
    let path = format!("{path}/decision");
    let answer = bench.post(&path, &reject).await.expect(409);
    assert_eq!(answer.text("type"), "urn:plan-machine:denied");
    let expected = format!(
        "the plan {} is in the state READY, which has no decision `reject`; expected `approve`",
        view.text("cards.0.plan")
    );
    assert_eq!(answer.text("detail"), expected);
    let plans = session.plans().await.expect("plans");
    assert_eq!(plans[0].plan.state, "READY");
    bench.stop().await;
}

#[tokio::test]
async fn a_reviewed_command_of_another_name_can_be_decided() {
    let bench = Bench::with(Setup {
        document: "session: Test\nmachines: { work: machine.yaml }\n",
        machine: include_str!("../../../tests/corpus/valid/successors.yaml"),
        ..Setup::default()
    })
    .await;
    let session = bench.session("codex:first-talk");
    typed(&session, "/note on trip").await;
    called(&session, "write_body", &[("body", "Pack.")]).await;
    let inbox = bench.waiting(1).await;
    assert_eq!(inbox.at("waiting.0.actions").to_string(), r#"["publish"]"#);
    let path = "/api/sessions/codex:first-talk";
    let view = bench.get(path).await.expect(200);
    let path = format!("{path}/decision");
    let approve = decision(&view, "approve", "");
    let refused = bench.post(&path, &approve).await.expect(409);
    assert!(
        refused.body.contains("expected `publish`"),
        "{}",
        refused.body
    );
    let publish = decision(&view, "publish", r#","once":"click-1""#);
    let first = bench.post(&path, &publish).await.expect(200);
    assert_eq!(first.text("plans.0.state"), "LIVE");
    let again = bench.post(&path, &publish).await.expect(200);
    assert_eq!(again.at("repeated"), Json::Bool(true));
    bench.stop().await;
}

#[tokio::test]
async fn a_decision_names_its_fields_exactly() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    let path = "/api/sessions/codex:first-talk/decision";
    for body in [
        "{}",
        "[]",
        "",
        r#"{"decision":"approve","machine":"PlanMode","plan":"x"}"#,
        &decision(&view, "maybe", ""),
        &decision(&view, "approve", r#","tokn":"x""#),
        &decision(&view, "approve", r#","once":7"#),
    ] {
        bench.post(path, body).await.expect(400);
    }
    // This plan mode has no rejection.
    bench
        .post(path, &decision(&view, "reject", ""))
        .await
        .expect(409);
    called(&session, "shell", &[]).await;
    assert_eq!(session.seq().await, Ok(3));
    bench.stop().await;
}
