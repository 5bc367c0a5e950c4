//! A plan is completed when the model reports it as done and the user sees the report.

use crate::kit::{Place, active, chat, errors, notices, state};

const SCRIPT: &str = r#"
- user: Plan it.
  model:
    - calls: [{ plan_set_content: { plan_markdown: "1. Look." } }]
    - text: "DONE: the plan is there."
- user: Begin.
  model: [{ text: I have looked at half of it. }]
- user: Go on.
  model: [{ text: "DONE: I have looked at all of it." }]
- user: Change it.
  model:
    - calls: [{ plan_set_content: { plan_markdown: "1. Leap." } }]
    - text: "DONE: it is changed."
"#;

#[tokio::test]
async fn a_plan_is_completed_when_the_model_says_that_everything_in_it_is_done() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Plan it.").await;
    let session = active(&bot, &chat).await;
    let stored = async || state(&session, "WorkByPlan").await;
    assert_eq!(stored().await.as_deref(), Some("READY"), "not approved");
    bot.handle(&chat, "/plan approve").await;
    let said = bot.handle(&chat, "Begin.").await;
    assert_eq!(notices(&said), Vec::<&str>::new());
    assert_eq!(stored().await.as_deref(), Some("EXECUTING"));
    let said = bot.handle(&chat, "Go on.").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert!(notices(&said)[0].contains("plan-1 is complete"), "{said:?}");
    assert_eq!(stored().await.as_deref(), Some("COMPLETED"));
    let said = bot.handle(&chat, "/plan on").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "the next plan starts");
}

#[tokio::test]
async fn a_plan_that_was_changed_in_the_same_turn_is_not_completed() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    for line in ["/plan on", "Plan it.", "/plan approve"] {
        bot.handle(&chat, line).await;
    }
    let said = bot.handle(&chat, "Change it.").await;
    assert!(
        errors(&said)[0].contains("reported plan-1 as done"),
        "the refusal is reported: {said:?}"
    );
    let session = active(&bot, &chat).await;
    let plans = session.plans().await.expect("plans");
    let states: Vec<&str> = plans.iter().map(|held| &*held.plan.state).collect();
    assert!(
        states.contains(&"READY") && !states.contains(&"COMPLETED"),
        "{states:?}"
    );
}
