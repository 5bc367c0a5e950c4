//! A stored plan that does not match its spec leaves its session usable, and a person can end the plan.

use std::sync::Arc;

use plan_machine_host::Host;
use plan_machine_sessions::Session;
use plan_machine_sessions::journal::Chain;
use plan_machine_sessions::store::{Commit, Memory, NextDue, Row, Store};

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

const BUILT: &str = "
- user: Plan.
  model:
    - calls: [{ create_draft: { goal: A boat } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: [b] }
        - set_verification: { values: [c] }
        - set_files: { values: [d] }
        - add_step: { agent: coder, task: Build it. }
        - submit
    - text: Here it is.
";

/// Returns a store with the entries of a session in which the text of the plan is missing. The
/// digests match, as if another program had written these entries.
async fn without_its_text(session: &Session) -> Arc<dyn Store> {
    rewritten(session, |body| {
        body.replace("\"data\":{\"markdown\":\"# Plan\"}", "\"data\":{}")
    })
    .await
}

async fn rewritten(session: &Session, change: impl Fn(&str) -> String) -> Arc<dyn Store> {
    let identity = session.identity();
    let mut chain = Chain::start(identity);
    let mut rows = Vec::new();
    let history = session.store().history(identity, 0, 100).await;
    for row in history.expect("a history") {
        let body = change(&row.body);
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
        due: NextDue::Unchanged,
    };
    store.append(commit).await.expect("stored");
    Arc::new(store)
}

/// Returns a bot that finds a READY plan whose text is missing.
async fn damaged() -> (Place, Host) {
    found(without_its_text).await
}

/// Returns a bot that finds a session in which an entry is nested too deeply to be read.
async fn unreadable() -> (Place, Host) {
    let deep = format!("{}null{}", "[".repeat(400), "]".repeat(400));
    found(async |session: &Session| {
        rewritten(session, |body| body.replace("\"# Plan\"", &deep)).await
    })
    .await
}

/// Returns a bot whose conversation has a plan, with its journal altered by `change`.
async fn found(change: impl AsyncFn(&Session) -> Arc<dyn Store>) -> (Place, Host) {
    let place = Place::new();
    let bot = place.bot(DRAFT);
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan.").await;
    let store = change(&session(&bot, &said)).await;
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
    for line in [
        "/plan on",
        "/plan status",
        "/plan approve",
        "/plan approve plan-1",
        "/plan cancel",
        "/plan show",
        "/plan show plan-1",
        "/where",
    ] {
        let said = bot.handle(&chat("a"), line).await;
        let told = errors(&said);
        assert!(
            told.iter().any(|told| told.contains("`/plan end plan-1`")),
            "{line}: {said:?}"
        );
    }
    let said = bot.handle(&chat("a"), "/plan end plan-9").await;
    assert_eq!(
        errors(&said),
        ["`/plan end` needs the id of a damaged plan: type `/plan end plan-1`"]
    );
    let said = bot.handle(&chat("a"), "/plan end plan-1 now").await;
    assert!(
        errors(&said)[0].starts_with("`/plan end` takes one plan, found `plan-1 now`"),
        "{said:?}"
    );
    bot.handle(&chat("a"), "/mode plan_mode").await;
    let said = bot.handle(&chat("a"), "/plan end plan-1").await;
    assert_eq!(
        errors(&said),
        [
            "plan-1 is a plan of the mode work_by_plan, but this conversation is in plan_mode. `/mode work_by_plan` changes the mode."
        ]
    );
    bot.handle(&chat("a"), "/mode work_by_plan").await;
    let said = bot.handle(&chat("a"), "/plan end plan-1").await;
    assert_eq!(
        notices(&said),
        ["Ended the damaged plan plan-1 of WorkByPlan. The plan is kept unchanged in the journal."]
    );
    let said = bot.handle(&chat("a"), "/plan on").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    let events = journal(&session(&bot, &said)).await;
    assert_eq!(
        events,
        ["plan_on", "plan_set_content", "abandon", "plan_on"]
    );
}

/// In a mode with many plans, a damaged plan is named by its id.
#[tokio::test]
async fn a_damaged_plan_of_the_builder_answers_every_command_with_how_to_end_it() {
    let place = Place::new();
    let bot = place.bot(BUILT);
    bot.handle(&chat("a"), "/new plan_builder").await;
    let said = bot.handle(&chat("a"), "Plan.").await;
    let session = session(&bot, &said);
    let store = rewritten(&session, |body| {
        body.replace("\"goal\":\"A boat\"", "\"goal\":7")
    });
    let store = store.await;
    drop(bot);
    let place = place.beside(store);
    let bot = place.bot(BUILT);
    for line in [
        "/plan status",
        "/plan approve plan-1",
        "/plan status plan-1",
        "/plan execute plan-1",
        "/plan cancel plan-1",
        "/plan show plan-1",
    ] {
        let said = bot.handle(&chat("a"), line).await;
        let told = errors(&said);
        assert_eq!(told.len(), 1, "{line}: {said:?}");
        let is_told = told[0].contains("is damaged") && told[0].contains("`/plan end plan-1`");
        assert!(is_told, "{line}: {said:?}");
    }
    let said = bot.handle(&chat("a"), "/plan end plan-1").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
}

/// A terminal shows answers before the line is done, and a damaged plan must not hide the other plans.
#[tokio::test]
async fn a_damaged_plan_is_reported_once_beside_the_plan_that_waits() {
    let place = Place::new();
    let bot = place.bot(BUILT);
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot.handle(&chat("a"), "Plan.").await;
    let said = bot.handle(&chat("a"), "Plan.").await;
    let session = session(&bot, &said);
    let store = rewritten(&session, |body| {
        let is_second = body.contains("\"id\":\"plan-2\"");
        let goal = if is_second { "\"A boat\"" } else { "7" };
        body.replace("\"goal\":\"A boat\"", &format!("\"goal\":{goal}"))
    });
    let store = store.await;
    drop(bot);
    let place = place.beside(store);
    let bot = place.bot(BUILT);
    let (listener, mut heard) = tokio::sync::mpsc::unbounded_channel();
    bot.listen(listener);
    for line in ["/plan approve", "/plan status", "/plan execute plan-2"] {
        let mut said = bot.handle(&chat("a"), line).await;
        while let Ok(more) = heard.try_recv() {
            said.extend(more);
        }
        let told = errors(&said);
        let ends = told
            .iter()
            .filter(|told| told.contains("`/plan end plan-1`"));
        assert_eq!(ends.count(), 1, "{line}: {said:?}");
    }
}

#[tokio::test]
async fn talk_and_other_machines_continue_despite_a_damaged_plan() {
    let (_place, bot) = damaged().await;
    let said = bot.handle(&chat("a"), "Look around.").await;
    assert_eq!(words(&said), ["I looked."]);
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    let said = bot.handle(&chat("a"), "/auto status").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
}

#[tokio::test]
async fn a_conversation_that_cannot_be_read_is_started_over_with_its_entries_kept() {
    let (_place, bot) = unreadable().await;
    let found = bot.take_up().await.expect("taken up");
    assert!(
        errors(&found)[0].contains("entry 3 is damaged"),
        "{found:?}"
    );
    for line in ["/plan on", "/plan off", "/plan status", "Look around."] {
        let said = bot.handle(&chat("a"), line).await;
        assert!(errors(&said)[0].contains("entry 3 is damaged"), "{said:?}");
        assert!(
            notices(&said)[0].starts_with("`/reset` ends the plans"),
            "{said:?}"
        );
    }
    let said = bot.handle(&chat("a"), "/reset").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    assert!(
        notices(&said)[0]
            .ends_with("Entry 4 of the journal records this; the 3 earlier entries are kept."),
        "{said:?}"
    );
    let said = bot.handle(&chat("a"), "/plan on").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    let said = bot.handle(&chat("a"), "Look around.").await;
    assert_eq!(words(&said), ["I looked."]);
    let session = session(&bot, &said);
    let rows = session.store().history(session.identity(), 0, 10).await;
    let rows = rows.expect("a history");
    assert_eq!(rows.len(), 6);
    assert!(
        rows[2].body.contains("[[[[[[[["),
        "the damaged entry is kept unchanged"
    );
}

#[tokio::test]
async fn a_conversation_whose_effects_are_damaged_is_started_over() {
    let place = Place::on_disk();
    let bot = place.bot(DRAFT);
    let (listener, _heard) = tokio::sync::mpsc::unbounded_channel();
    // The listener never reports that it has shown the content, so one effect stays pending.
    bot.listen(listener);
    bot.handle(&chat("a"), "/plan on").await;
    bot.handle(&chat("a"), "Plan.").await;
    drop(bot);
    let file = rusqlite::Connection::open(place.outside("plans.db")).expect("the store");
    let changed = file.execute("UPDATE effect SET seq = 10", []);
    assert_eq!(changed, Ok(1));
    let bot = place.bot(DRAFT);
    let said = bot.handle(&chat("a"), "/plan on").await;
    assert!(
        errors(&said)[0].contains("entry 10, which has a pending effect, is missing"),
        "{said:?}"
    );
    assert!(
        notices(&said)[0].starts_with("`/reset` ends the plans"),
        "{said:?}"
    );
    let said = bot.handle(&chat("a"), "/reset").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    let said = bot.handle(&chat("a"), "/plan on").await;
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
}
