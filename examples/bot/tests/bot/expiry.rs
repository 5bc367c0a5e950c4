//! Approvals expire, whether or not a bot is running when their time is over.

use plan_machine_host::terminal::rendered;
use plan_machine_host::words::until;
use plan_machine_host::{Content, Host, Outgoing};

use crate::kit::{Place, active, card, chat, errors, notices, state};

/// Eight hours, in seconds.
const VALID: u32 = 8 * 3600;

const SCRIPT: &str = r##"
- user: Draft it.
  model:
    - calls: [{ plan_set_content: { plan_markdown: "# One" } }]
    - text: There it is.
- user: Record it.
  model:
    - calls: [{ write_file: { path: a.md, content: x } }, plan_finalize]
    - text: Planned.
- user: Build it.
  model:
    - calls:
        - create_draft: { goal: A boat }
        - set_assumptions: { plan_id: plan-1, values: [a] }
        - set_risks: { plan_id: plan-1, values: [b] }
        - set_verification: { plan_id: plan-1, values: [c] }
        - set_files: { plan_id: plan-1, values: [d] }
        - add_step: { plan_id: plan-1, agent: coder, task: Build }
        - submit: { plan_id: plan-1 }
    - text: '{"type": "plan", "plan_id": "plan-1", "status": "proposal"}'
- user: Submit it again.
  model:
    - calls: [{ submit: { plan_id: plan-1 } }]
    - text: '{"type": "plan", "plan_id": "plan-1", "status": "proposal"}'
"##;

/// The modes of the bot: the machine of their plans, the lines after which a plan waits for approval, and the states in
/// which a plan waits and in which it has expired.
const MODES: [(&str, &str, &[&str], [&str; 2]); 3] = [
    (
        "work_by_plan",
        "WorkByPlan",
        &["/plan on", "Draft it."],
        ["READY", "EXPIRED"],
    ),
    (
        "plan_mode",
        "PlanMode",
        &["/plan on", "Record it."],
        ["READY", "EXPIRED"],
    ),
    (
        "plan_builder",
        "PlanBuilder",
        &["Build it."],
        ["proposal", "expired"],
    ),
];

/// Types the lines in a mode; returns what was said to the last one.
async fn typed(bot: &Host, mode: &str, lines: &[&str]) -> Vec<Outgoing> {
    let mut said = bot.handle(&chat("a"), &format!("/mode {mode}")).await;
    for line in lines {
        said = bot.handle(&chat("a"), line).await;
    }
    said
}

fn cards(said: &[Outgoing]) -> usize {
    let is_card = |one: &&Outgoing| matches!(one.content, Content::Card(_));
    said.iter().filter(is_card).count()
}

#[tokio::test]
async fn a_card_says_when_it_expires_and_the_person_hears_of_it_when_it_does() {
    for (mode, machine, lines, [waiting, expired]) in MODES {
        let place = Place::new();
        let bot = place.bot(SCRIPT);
        let said = typed(&bot, mode, lines).await;
        let card = card(&said);
        place.pass(VALID - 1);
        assert!(card.expires > Some(bot.now()), "{mode}");
        assert_eq!(bot.tick().await, Vec::new(), "{mode}");
        let session = active(&bot, &chat("a")).await;
        assert_eq!(state(&session, machine).await.as_deref(), Some(waiting));
        place.pass(1);
        assert_eq!(card.expires, Some(bot.now()), "{mode}");
        let shown = rendered(said.last().expect("the card"));
        let expires = format!("expires {}", until(bot.now()));
        assert!(shown.contains(&expires), "{shown}");
        let said = bot.tick().await;
        assert_eq!(notices(&said).len(), 1, "{mode}: {said:?}");
        assert!(notices(&said)[0].contains("plan-1 has expired"), "{said:?}");
        assert_eq!(state(&session, machine).await.as_deref(), Some(expired));
        let said = bot.handle(&chat("a"), &card.commands[0]).await;
        assert_eq!(errors(&said).len(), 1, "{mode}: {said:?}");
        assert!(errors(&said)[0].contains("expired"), "{mode}: {said:?}");
    }
}

#[tokio::test]
async fn an_expired_card_is_refused_although_no_bot_was_running_when_its_time_was_over() {
    for (mode, machine, lines, [_, expired]) in MODES {
        let place = Place::on_disk();
        let bot = place.bot(SCRIPT);
        let card = card(&typed(&bot, mode, lines).await);
        place.pass(VALID);
        let said = bot.handle(&chat("a"), &card.commands[0]).await;
        assert!(errors(&said)[0].contains("expired"), "{mode}: {said:?}");
        assert!(notices(&said)[0].contains("has expired"), "{said:?}");
        let session = active(&bot, &chat("a")).await;
        assert_eq!(state(&session, machine).await.as_deref(), Some(expired));
    }
}

#[tokio::test]
async fn a_bot_that_starts_after_the_time_is_over_reports_that_and_shows_no_card() {
    for (mode, _, lines, _) in MODES {
        let place = Place::on_disk();
        let bot = place.bot(SCRIPT);
        typed(&bot, mode, lines).await;
        drop(bot);
        place.pass(VALID);
        let bot = place.bot(SCRIPT);
        let said = bot.take_up().await.expect("taken up");
        assert_eq!(notices(&said).len(), 1, "{mode}: {said:?}");
        assert!(notices(&said)[0].contains("has expired"), "{said:?}");
        assert_eq!(cards(&said), 0, "{said:?}");
    }
}

#[tokio::test]
async fn an_approval_of_a_document_expires_while_it_is_carried_out() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let (mode, machine, lines, [_, expired]) = MODES[0];
    let card = card(&typed(&bot, mode, lines).await);
    place.pass(VALID - 1);
    let said = bot.handle(&chat("a"), &card.commands[0]).await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    place.pass(VALID);
    let said = bot.tick().await;
    assert!(notices(&said)[0].contains("The approval of plan-1 has expired"));
    let session = active(&bot, &chat("a")).await;
    assert_eq!(state(&session, machine).await.as_deref(), Some(expired));
    // The model stores the plan once more, and the person is asked once more.
    let again = bot.handle(&chat("a"), "Draft it.").await;
    let again = crate::kit::card(&again);
    assert_ne!(again.token, card.token);
    let said = bot.handle(&chat("a"), &again.commands[0]).await;
    assert_eq!(errors(&said), Vec::<&str>::new());
}

#[tokio::test]
async fn an_approved_plan_that_nobody_starts_expires_and_is_submitted_again() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let (mode, machine, lines, [waiting, _]) = MODES[2];
    let card = card(&typed(&bot, mode, lines).await);
    bot.handle(&chat("a"), &card.commands[0]).await;
    place.pass(VALID);
    let said = bot.handle(&chat("a"), "/plan execute plan-1").await;
    assert_eq!(
        errors(&said),
        ["`/plan execute` does not apply: plan-1 has expired; ask the planner to submit it again"]
    );
    bot.handle(&chat("a"), "Submit it again.").await;
    let session = active(&bot, &chat("a")).await;
    assert_eq!(state(&session, machine).await.as_deref(), Some(waiting));
}

#[tokio::test]
async fn a_plan_that_expired_in_another_mode_is_reported_when_its_mode_is_back() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let (mode, machine, lines, [_, expired]) = MODES[0];
    typed(&bot, mode, lines).await;
    for line in ["/mode plan_mode", "/plan on"] {
        bot.handle(&chat("a"), line).await;
    }
    place.pass(VALID);
    assert_eq!(bot.tick().await, Vec::new(), "the plan is kept");
    let said = bot.handle(&chat("a"), "/mode work_by_plan").await;
    assert!(notices(&said)[1].contains("has expired"), "{said:?}");
    assert_eq!(cards(&said), 0, "{said:?}");
    let session = active(&bot, &chat("a")).await;
    assert_eq!(state(&session, machine).await.as_deref(), Some(expired));
}

#[tokio::test]
async fn a_plan_whose_mode_is_back_in_time_expires_when_its_time_is_over() {
    let place = Place::on_disk();
    let bot = place.bot(SCRIPT);
    let (mode, _, lines, _) = MODES[0];
    typed(&bot, mode, lines).await;
    for line in ["/mode plan_mode", "/plan on", "/mode work_by_plan"] {
        bot.handle(&chat("a"), line).await;
    }
    place.pass(VALID);
    let said = bot.tick().await;
    assert!(notices(&said)[0].contains("has expired"), "{said:?}");
}
