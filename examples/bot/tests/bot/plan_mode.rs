//! Plan mode in the bot: the content of the card, and the consequences of a failure.

use plan_machine_host::Content;

use crate::kit::{Place, active, card, chat, errors, notices, state, times};

const SCRIPT: &str = r#"
- user: Plan it.
  model:
    - calls:
        - shell: { command: "echo one >> count" }
        - shell: { command: "exit 3" }
        - shell: { command: "echo three >> count" }
    - text: First one, then three.
      calls: [plan_finalize]
    - text: It waits for you.
"#;

#[tokio::test]
async fn the_words_of_the_response_that_ends_the_planning_are_on_the_card() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/new plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let body = card(&said).body;
    assert!(
        body.starts_with("summary: First one, then three."),
        "{body}"
    );
    let words = Content::Model("First one, then three.".to_owned());
    assert!(said.iter().any(|outgoing| outgoing.content == words));
}

#[tokio::test]
async fn without_stop_on_failure_a_plan_continues_to_its_end() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    let said = bot.handle(&chat, "/new plan_mode").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    bot.handle(&chat, "/plan on").await;
    let said = bot.handle(&chat, "/plan stop-on-failure off").await;
    assert_eq!(notices(&said), ["Stop on failure is off."]);
    let said = bot.handle(&chat, "Plan it.").await;
    let body = card(&said).body;
    assert!(body.contains("stop on failure: off"), "{body}");
    let said = bot.handle(&chat, "/plan approve").await;
    assert_eq!(errors(&said).len(), 1, "the second step: {said:?}");
    assert_eq!(place.text("count").as_deref(), Some("one\nthree\n"));
    let last = *notices(&said).last().expect("a notice");
    assert_eq!(last, "Plan plan-1 is complete, although 1 step failed.");
    let session = active(&bot, &chat).await;
    assert_eq!(state(&session, "PlanMode").await, None);
    assert_eq!(times(&session, "step_failed").await, 1);
}

#[tokio::test]
async fn a_failure_stops_a_plan_unless_the_user_says_otherwise() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    for line in ["/new plan_mode", "/plan on"] {
        bot.handle(&chat, line).await;
    }
    let said = bot.handle(&chat, "Plan it.").await;
    assert!(!card(&said).body.contains("stop on failure"));
    bot.handle(&chat, "/plan approve").await;
    assert_eq!(place.text("count").as_deref(), Some("one\n"));
    let session = active(&bot, &chat).await;
    assert_eq!(
        state(&session, "PlanMode").await.as_deref(),
        Some("PARTIALLY_COMPLETED")
    );
}
