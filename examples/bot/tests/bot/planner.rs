//! The planner: its sessions and its answers.

use std::sync::Arc;

use plan_machine_host::model::Message;
use plan_machine_sessions::Session;

use crate::kit::{Place, Watched, active, card, chat, errors, notices, words};

const SCRIPT: &str = r#"
- user: Plan it.
  model:
    - calls: [{ create_draft: { goal: A boat } }]
    - text: '{"type": "plan", "plan_id": "plan-1", "status": "proposal"}'
- contains: was reported with the status `proposal`
  model: [{ text: '{"type": "plan", "plan_id": "plan-1", "status": "draft"}' }]
- user: Propose it.
  model:
    - calls:
        - set_assumptions: { plan_id: plan-1, values: [a] }
        - set_risks: { plan_id: plan-1, values: [b] }
        - set_verification: { plan_id: plan-1, values: [c] }
        - set_files: { plan_id: plan-1, values: [d] }
        - add_step: { plan_id: plan-1, agent: coder, task: Build }
        - submit: { plan_id: plan-1 }
    - text: '{"type": "plan", "plan_id": "plan-1", "status": "proposal"}'
- user: Which one?
  model: [{ text: '{"type": "plan", "plan_id": "plan-7", "status": "draft"}' }]
- contains: there is no plan plan-7
  model: [{ text: '{"type": "poem"}' }]
- user: In a fence.
  model: [{ text: "Here:\n```json\n{\"type\": \"plan\", \"plan_id\": \"plan-9\", \"status\": \"draft\"}\n```\nWell?" }]
- user: Can you?
  model: [{ text: '{"type": "failure", "reason": "there is no water"}' }]
- user: What else?
  model: [{ text: '{"type": "interruption", "reason": "How long shall it be?"}' }]
- user: Say it.
  model: [{ text: '{"type": "answer", "text": "It floats."}' }]
- default: [{ text: All right. }]
"#;

async fn builder(place: &Place, model: &Arc<Watched>) -> plan_machine_host::Host {
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot
}

fn said_to_model(model: &Watched) -> Vec<String> {
    let requests = model.requests();
    let messages = requests.last().expect("a request").messages.clone();
    let users = messages.into_iter().filter_map(|message| match message {
        Message::User(text) => Some(text),
        _ => None,
    });
    users.collect()
}

#[tokio::test]
async fn a_claimed_status_that_is_not_the_stored_one_is_reported_to_the_model_and_the_user() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = builder(&place, &model).await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let wrong = "plan-1 was reported with the status `proposal`, but its stored status is `draft`";
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert!(errors(&said)[0].contains(wrong), "{said:?}");
    assert!(said_to_model(&model).last().expect("words").contains(wrong));
    assert_eq!(notices(&said), ["The status of plan-1 is `draft`: A boat"]);
    assert_eq!(
        words(&said),
        Vec::<&str>::new(),
        "a reference is not shown as text"
    );
    let said = bot.handle(&chat("a"), "Propose it.").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        notices(&said),
        ["The status of plan-1 is `proposal`: A boat"]
    );
    assert_eq!(card(&said).plan, "plan-1");
}

#[tokio::test]
async fn a_plan_that_does_not_exist_and_an_unknown_answer_are_reported() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = builder(&place, &model).await;
    let said = bot.handle(&chat("a"), "Which one?").await;
    let errors = errors(&said);
    assert_eq!(errors.len(), 2, "and then the user is asked: {said:?}");
    assert!(errors[0].contains("there is no plan plan-7"), "{said:?}");
    assert!(errors[1].contains("expected the type `plan`"), "{said:?}");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a_failure_an_interruption_and_words_are_distinguished() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = builder(&place, &model).await;
    let said = bot.handle(&chat("a"), "Can you?").await;
    assert_eq!(
        errors(&said),
        ["the planner could not make a plan: there is no water"]
    );
    let said = bot.handle(&chat("a"), "What else?").await;
    assert!(
        notices(&said)[0].contains("How long shall it be?"),
        "{said:?}"
    );
    let said = bot.handle(&chat("a"), "Say it.").await;
    assert_eq!(words(&said), ["It floats."]);
    let said = bot.handle(&chat("a"), "Well.").await;
    assert_eq!(words(&said), ["All right."]);
}

#[tokio::test]
async fn the_reason_of_a_rejection_reaches_the_model() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = builder(&place, &model).await;
    bot.handle(&chat("a"), "Plan it.").await;
    bot.handle(&chat("a"), "Propose it.").await;
    let said = bot
        .handle(&chat("a"), "/plan reject plan-1 too expensive")
        .await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    bot.handle(&chat("a"), "And now?").await;
    let requests = model.requests();
    let system = &requests.last().expect("a request").system;
    assert!(
        system.contains("plan-1, rejected: A boat. The user rejected it: too expensive"),
        "{system}"
    );
}

#[tokio::test]
async fn whoever_names_a_plan_continues_in_the_planner_session_where_it_was_started() {
    let place = Place::on_disk();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = builder(&place, &model).await;
    bot.handle(&chat("a"), "Plan it.").await;
    bot.handle(&chat("a"), "/reset").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let second = said_to_model(&model);
    assert_eq!(
        second[0], "Plan it.",
        "the history of the new session is empty"
    );
    assert_eq!(
        errors(&said).len(),
        1,
        "the second draft is plan-2: {said:?}"
    );
    let session = active(&bot, &chat("a")).await;
    let sessions = planner_sessions(&session).await;
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[1], format!("{}#2", sessions[0]));
    bot.handle(&chat("a"), "Only here.").await;
    drop(bot);

    let bot = place.bot_with(model.clone());
    let said = bot.handle(&chat("a"), "What about plan-1?").await;
    assert!(notices(&said)[0].contains("planner session 1"), "{said:?}");
    let heard = said_to_model(&model);
    assert_eq!(heard[0], "Plan it.");
    assert_eq!(heard.last().map(String::as_str), Some("What about plan-1?"));
    assert!(!heard.contains(&"Only here.".to_owned()), "{heard:?}");
    let said = bot.handle(&chat("a"), "And (plan-2)?").await;
    assert!(notices(&said)[0].contains("planner session 2"), "{said:?}");
    assert!(said_to_model(&model).contains(&"Only here.".to_owned()));
}

async fn planner_sessions(session: &Session) -> Vec<String> {
    let plans = session.plans().await.expect("plans");
    let built = plans.iter().filter(|held| held.machine == "PlanBuilder");
    let sessions = built.filter_map(|held| held.plan.data.get("planner_session")?.as_text());
    sessions.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_reference_in_a_fence_is_checked_like_any_other() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = builder(&place, &model).await;
    let said = bot.handle(&chat("a"), "In a fence.").await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert!(
        errors(&said)[0].contains("there is no plan plan-9"),
        "{said:?}"
    );
    assert_eq!(words(&said), ["Here:\nWell?", "All right."]);
}
