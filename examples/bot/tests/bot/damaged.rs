//! A stored plan that its spec cannot use leaves its session usable, and a person can end it.

use std::sync::Arc;

use plan_bot::Bot;
use plan_machine::journal::Chain;
use plan_machine::session::Session;
use plan_machine::store::{Commit, Memory, Row, Store};

use crate::kit::{Place, chat, errors, journal, notices, session, words};

const DRAFT: &str = "
- user: Plan.
  model:
    - calls:
        - plan_set_content: { plan_markdown: '# Plan' }
    - text: Drafted.
- user: Look around.
  model:
    - calls: [list_files]
    - text: I looked.
";

/// The entries of a session as another program might have left them, with digests that fit.
async fn without_its_text(session: &Session) -> Arc<dyn Store> {
    let identity = session.identity();
    let mut chain = Chain::start(identity);
    let mut rows = Vec::new();
    let history = session.store().history(identity, 0, 100).await;
    for row in history.expect("a history") {
        let body = row
            .body
            .replace("\"data\":{\"markdown\":\"# Plan\"}", "\"data\":{}");
        chain = chain.then(&body);
        rows.push(Row {
            seq: row.seq,
            body,
            digest: chain.digest(),
        });
    }
    let store = Memory::new();
    let commit = Commit {
        session: identity.clone(),
        expected: 0,
        after: None,
        rows,
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: None,
    };
    store.append(commit).await.expect("stored");
    Arc::new(store)
}

/// A bot that finds a READY plan without its text.
async fn damaged() -> (Place, Bot) {
    let place = Place::new();
    let bot = place.bot(DRAFT);
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan.").await;
    let store = without_its_text(&session(&bot, &said)).await;
    drop(bot);
    let place = place.beside(store);
    let bot = place.bot(DRAFT);
    (place, bot)
}

#[tokio::test]
async fn a_ready_plan_without_its_text_is_reported_and_can_be_ended() {
    let (_place, bot) = damaged().await;
    let found = bot.take_up().await.expect("taken up");
    let told = errors(&found);
    assert_eq!(told.len(), 1, "{found:?}");
    assert!(
        told[0].contains("markdown") && told[0].contains("`/plan end plan-1`"),
        "{told:?}"
    );
    for line in ["/plan on", "/plan approve", "/plan cancel"] {
        let said = bot.handle(&chat("a"), line).await;
        assert!(
            errors(&said)[0].contains("`/plan end plan-1`"),
            "{line}: {said:?}"
        );
    }
    let said = bot.handle(&chat("a"), "/plan end plan-9").await;
    assert_eq!(
        errors(&said),
        ["`/plan end` ends a damaged plan; type `/plan end plan-1`"]
    );
    let said = bot.handle(&chat("a"), "/plan end plan-1").await;
    assert_eq!(
        notices(&said),
        ["Ended plan-1 of WorkByPlan, which was damaged. The journal keeps it as it was."]
    );
    let said = bot.handle(&chat("a"), "/plan on").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    let events = journal(&session(&bot, &said)).await;
    assert_eq!(
        events,
        ["plan_on", "plan_set_content", "abandon", "plan_on"]
    );
}

#[tokio::test]
async fn talk_and_other_machines_go_on_beside_a_damaged_plan() {
    let (_place, bot) = damaged().await;
    let said = bot.handle(&chat("a"), "Look around.").await;
    assert_eq!(words(&said), ["I looked."]);
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    let said = bot.handle(&chat("a"), "/auto status").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
}
