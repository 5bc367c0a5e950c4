//! The model's text is not changed, plans outlive the conversation, and output shows its origin.

use std::sync::Arc;

use plan_machine::short_token;
use plan_machine_host::Content;
use plan_machine_host::model::Message;

use crate::kit::{Place, Watched, card, chat, session, words};

const PLAN: &str = "# Plan \u{2014} “one”\n\n1. Look.\n\n\t2.  Leap.  \n\n";

fn script() -> String {
    let plan = PLAN.replace('\n', "\\n").replace('\t', "\\t");
    format!(
        r#"
- user: Plan it.
  model:
    - text: "  There is a plan.\n\n"
      calls:
        - plan_set_content: {{ plan_markdown: "{plan}", title: It }}
        - list_files
    - text: "**Done**, with {{braces}}.\n"
- user: What was the plan?
  model:
    - calls:
        - plan_get
    - text: "{{result}}"
- contains: talk
  model:
    - text: "{}"
"#,
        "so it goes ".repeat(200)
    )
}

#[tokio::test]
async fn a_plan_is_there_byte_for_byte_after_the_conversation_was_cut() {
    let place = Place::new();
    let model = Arc::new(Watched::new(&script()));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let session = session(&bot, &said);
    let mut turns = 0;
    while !place.history(session.identity()).is_cut() {
        bot.handle(&chat("a"), &format!("talk {turns}")).await;
        turns += 1;
        assert!(turns < 100, "a long conversation is cut");
    }
    let history = place.history(session.identity());
    let first = Message::User("Plan it.".to_owned());
    assert!(!history.messages().contains(&first));
    let said = bot.handle(&chat("a"), "What was the plan?").await;
    assert_eq!(words(&said), [PLAN]);
    let results = place.results(session.identity());
    assert_eq!(results, [PLAN]);
    let requests = model.requests();
    let asked = requests.last().expect("a request");
    assert!(
        asked
            .system
            .contains("Use `plan_get` to load the canonical plan")
    );
    assert!(
        asked
            .system
            .contains("The start of this conversation was left out")
    );
    assert!(asked.tools.iter().any(|tool| tool.name == "plan_get"));
}

#[tokio::test]
async fn the_response_of_the_model_is_never_altered() {
    let place = Place::new();
    let model = Arc::new(Watched::new(&script()));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let given = model.responses();
    let history = place.history(&said[0].session);
    let kept = history
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::Model(response) => Some(response.clone()),
            _ => None,
        });
    assert_eq!(kept.collect::<Vec<_>>(), given);
    let texts: Vec<&str> = given.iter().map(|given| given.text.as_str()).collect();
    assert_eq!(words(&said), texts);
    assert_eq!(
        texts,
        ["  There is a plan.\n\n", "**Done**, with {braces}.\n"]
    );
}

#[tokio::test]
async fn what_goes_out_carries_the_card_its_token_what_can_be_typed_and_the_session() {
    let place = Place::new();
    let bot = place.bot(&script());
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let session = session(&bot, &said);
    assert!(
        said.iter()
            .all(|outgoing| outgoing.session == *session.identity())
    );
    let plans = session.plans().await.expect("plans");
    let plan = &plans[0].plan;
    let card = card(&said);
    assert_eq!(card.plan, plan.id.to_string());
    assert_eq!((card.state.as_str(), card.body.as_str()), ("ready", PLAN));
    assert_eq!(card.token, plan.token);
    let shown = short_token(&card.token);
    let approve = format!("/plan approve {shown}");
    assert_eq!(card.commands, [approve.as_str(), "/plan cancel"]);
    // The card comes after all of the model's text, and is not part of that text.
    let kinds: Vec<bool> = said
        .iter()
        .map(|outgoing| matches!(outgoing.content, Content::Card(_)))
        .collect();
    assert_eq!(kinds, [false, false, true]);
    assert!(words(&said).iter().all(|text| !text.contains(shown)));
}
