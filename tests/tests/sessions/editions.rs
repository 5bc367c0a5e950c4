//! An edition is never reused in a session, so a token that was shown for one plan cannot approve another plan.

use std::collections::HashMap;
use std::sync::Arc;

use plan_machine::gate::{Decision, Gate, MachineSet, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, CallKind, Outcome, ShownToken};
use plan_machine::{DenialKind, Object, Token, short_token};
use plan_machine_kernel::json::Json;
use plan_machine_sessions::store::{Memory, Store};
use plan_machine_sessions::{Session, Sessions};

use super::formats::rewritten;
use super::{around, draft, identity, in_memory, machine_set, ready};

/// Returns the token of the current plan.
async fn token(session: &Session) -> String {
    let plans = session.plans().await.expect("the plans of the session");
    plans.last().expect("a plan").plan.token.clone()
}

fn edition_of(token: &str) -> u64 {
    token.parse::<Token>().expect("a valid token").edition()
}

/// Sends an approval with this token.
async fn approve(session: &Session, token: &str) -> Outcome {
    let mut call = Call::new(CallKind::Event("approve".into()));
    call.token = ShownToken::Shown(token.to_owned());
    session
        .send("WorkByPlan", &call, &around())
        .await
        .expect("the event is answered")
        .answer
}

/// Ends the current plan, and starts another one with this Markdown text.
async fn begin_again(session: &Session, markdown: &str) {
    session
        .command("/reset", &around())
        .await
        .expect("the plan is ended");
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    session
        .decide(&[draft(markdown)], &around())
        .await
        .expect("the draft is stored");
}

#[tokio::test]
async fn the_same_text_in_a_later_plan_has_another_token() {
    let session = in_memory().session(&identity("editions"));
    ready(&session).await;
    let first = token(&session).await;
    assert_eq!(edition_of(&first), 1);
    begin_again(&session, "# v1").await;
    let second = token(&session).await;
    assert!(
        edition_of(&second) > edition_of(&first),
        "the editions of {first} and {second}"
    );
    let Outcome::Denied(denial) = approve(&session, &first).await else {
        panic!("the token of another plan approved this plan");
    };
    assert_eq!(denial.kind, DenialKind::Stale);
    assert!(matches!(
        approve(&session, &second).await,
        Outcome::Accepted(_)
    ));
    assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
}

/// Returns the token with another digit at this position.
fn with_another_digit(token: &str, at: usize) -> String {
    let (before, rest) = token.split_at(at);
    let (digit, after) = rest.split_at(1);
    format!("{before}{}{after}", if digit == "0" { "1" } else { "0" })
}

#[tokio::test]
async fn all_digits_of_a_full_token_are_compared() {
    let session = in_memory().session(&identity("all-digits"));
    ready(&session).await;
    let shown = token(&session).await;
    assert_eq!(shown.len(), "1-".len() + 32);
    for at in "1-".len()..shown.len() {
        let forged = with_another_digit(&shown, at);
        let Outcome::Denied(denial) = approve(&session, &forged).await else {
            panic!("{forged} approved the plan with the token {shown}");
        };
        assert_eq!(denial.kind, DenialKind::Stale, "{forged}");
    }
    assert!(matches!(
        approve(&session, short_token(&shown)).await,
        Outcome::Accepted(_)
    ));
    let history = session
        .history(0, u32::MAX)
        .await
        .expect("the history of the session");
    let drafted = &history[1].step.acceptance;
    assert_eq!(drafted.plans[0].token, shown);
    let emitted = format!("{:?}", drafted.effects);
    assert!(emitted.contains(&shown), "{emitted}");
}

/// Returns two Markdown texts whose digests start with the same 32 bits.
fn collision() -> (String, String) {
    let mut seen = HashMap::new();
    for number in 0_u32.. {
        let text = format!("# {number}");
        let mut reviewed = Object::new();
        reviewed.push("markdown", text.as_str());
        let token = Token::of(0, &Json::Object(reviewed)).short();
        if let Some(other) = seen.insert(token, number) {
            return (format!("# {other}"), text);
        }
    }
    unreachable!("there are more texts than digests, so two digests must be equal")
}

#[tokio::test]
async fn texts_whose_digests_collide_have_different_tokens() {
    let (harmless, harmful) = collision();
    let session = in_memory().session(&identity("collision"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    session
        .decide(&[draft(&harmless)], &around())
        .await
        .expect("the draft is stored");
    let shown = token(&session).await;
    begin_again(&session, &harmful).await;
    let digits = |token: &str| {
        let (_, digits) = short_token(token).split_once('-').expect("a valid token");
        digits.to_owned()
    };
    assert_eq!(
        digits(&shown),
        digits(&token(&session).await),
        "the first digits of the digests are equal"
    );
    for token in [&*shown, short_token(&shown)] {
        let outcome = approve(&session, token).await;
        assert!(
            matches!(&outcome, Outcome::Denied(denial) if denial.kind == DenialKind::Stale),
            "{outcome:?}"
        );
    }
}

#[tokio::test]
async fn editions_outlive_plans_restarts_and_snapshots() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let mut last = 0;
    for round in 0..40 {
        // The session is opened again in each round, so the count of editions must come from the store.
        let session =
            Sessions::new(Arc::clone(&store), machine_set()).session(&identity("editions-long"));
        if round == 0 {
            ready(&session).await;
        } else {
            begin_again(&session, "# v1").await;
        }
        let edition = edition_of(&token(&session).await);
        assert!(edition > last, "edition {edition} follows edition {last}");
        last = edition;
        assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
    }
}

#[tokio::test]
async fn a_session_of_an_earlier_version_continues_to_count_from_its_last_entry() {
    let session = in_memory().session(&identity("format-numbers"));
    ready(&session).await;
    let older = |body: &str| body.replace("{\"format\":4,", "{\"format\":2,");
    let store = rewritten(&session, older).await;
    let session = Sessions::new(store, machine_set()).session(&identity("format-numbers"));
    let entries = session.seq().await.expect("the number of the last entry");
    let live = token(&session).await;
    assert_eq!(
        edition_of(&live),
        1,
        "a plan that has not ended keeps its edition"
    );
    session
        .decide(&[draft("# v2")], &around())
        .await
        .expect("the draft is stored");
    assert_eq!(edition_of(&token(&session).await), entries + 1);
    begin_again(&session, "# v1").await;
    assert!(edition_of(&token(&session).await) > entries + 1);
    assert_eq!(session.verify(&machine_set()).await, Ok(Vec::new()));
}

/// Returns a set with one machine, which can have many plans at once.
fn builders() -> MachineSet {
    let spec = include_str!("../../corpus/valid/plan_builder.yaml");
    let machine = InterpretedMachine::read("plan_builder.yaml", spec).expect("a valid spec");
    Gate::builder()
        .with(machine)
        .join()
        .expect("a valid set of machines")
}

/// Calls a tool of the machine from [`builders`].
async fn build(session: &Session, tool: &str, args: &str) {
    let Ok(Json::Object(args)) = Json::parse(args) else {
        panic!("{args}");
    };
    let around = around().with("planner_session", "planner-1");
    let decisions = session.decide(&[ToolCall::new(tool, args)], &around).await;
    let decisions = decisions.expect("the calls are decided").answer;
    let applied = |decision: &Decision| matches!(decision, Decision::Applied { .. });
    assert!(decisions.iter().all(applied), "{decisions:?}");
}

#[tokio::test]
async fn plans_in_one_session_never_share_an_edition() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let mut used = HashMap::new();
    for round in 0..12 {
        let session =
            Sessions::new(Arc::clone(&store), builders()).session(&identity("side-by-side"));
        build(&session, "create_draft", r#"{"goal":"The same goal"}"#).await;
        let change = format!(
            r#"{{"plan_id":"plan-{}","values":["risk {round}"]}}"#,
            round / 2 + 1
        );
        build(&session, "set_risks", &change).await;
        for held in session.plans().await.expect("the plans of the session") {
            let token: Token = held.plan.token.parse().expect("a valid token");
            let text = (held.plan.id.clone(), token);
            let before = used.insert(token.edition(), text.clone());
            assert!(before.is_none_or(|before| before == text), "{text:?}");
        }
        assert_eq!(session.verify(&builders()).await, Ok(Vec::new()));
    }
    assert!(used.len() > 12, "{}", used.len());
}
