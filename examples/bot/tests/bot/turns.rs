//! No turn escalates: the model cannot open a tool for itself in the same turn, in a run, or after
//! a restart.

use plan_machine_sessions::Session;
use plan_machine_sessions::journal::EntryKind;

use crate::kit::{Place, active, chat};

const HELD_BACK: &str = "not_allowed: `shell` could not run when this turn began; it is available after the user's next message";

const SCRIPT: &str = r#"
- user: Plan it.
  model:
    - calls: [plan_finalize]
    - calls:
        - shell: { command: "touch x" }
    - text: It is over.
- user: Do it now.
  model:
    - calls:
        - shell: { command: "touch x" }
    - text: Done.
- user: Hello.
  model:
    - text: Hello.
- contains: Continue with the task
  model:
    - calls:
        - shell: { command: "echo y >> y" }
    - text: I have tried.
- contains: Continue with the task
  model:
    - calls:
        - shell: { command: "echo y >> y" }
    - text: I have tried again.
"#;

/// Returns the number of turns that have begun in a session.
async fn turns(session: &Session) -> usize {
    let entries = session.history(0, 1000).await.expect("a journal");
    let began = entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::TurnBegan { .. }));
    began.count()
}

#[tokio::test]
async fn after_an_empty_plan_the_shell_waits_for_the_next_message() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/new plan_mode").await;
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Plan it.").await;
    let session = active(&bot, &chat).await;
    let results = place.results(session.identity());
    assert_eq!(results[1], HELD_BACK);
    assert_eq!(place.text("x"), None);
    bot.handle(&chat, "Do it now.").await;
    assert_eq!(place.text("x").as_deref(), Some(""));
    assert_eq!(turns(&session).await, 2, "commands begin no turn");
}

#[tokio::test]
async fn a_run_continues_the_turn_that_its_session_is_in() {
    let place = Place::on_disk();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/new plan_mode").await;
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Plan it.").await;
    // The bot is killed, and another one continues. Neither that nor a command opens the tool.
    drop(bot);
    let bot = place.bot(SCRIPT);
    bot.handle(&chat, "/plan status").await;
    bot.handle(&chat, "/auto on Write y.").await;
    place.tick(&bot).await;
    assert_eq!(place.text("y"), None);
    bot.handle(&chat, "Hello.").await;
    place.tick(&bot).await;
    assert_eq!(place.text("y").as_deref(), Some("y\n"));
}

#[tokio::test]
async fn a_run_works_with_the_tools_that_its_turn_has() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/new plan_mode").await;
    // Before the first message, there is no turn. In a turn that began with open tools, a run uses them.
    bot.handle(&chat, "/auto on Write y.").await;
    place.tick(&bot).await;
    bot.handle(&chat, "Hello.").await;
    place.tick(&bot).await;
    assert_eq!(place.text("y").as_deref(), Some("y\ny\n"));
    let session = active(&bot, &chat).await;
    assert_eq!(turns(&session).await, 1, "ticks begin no turn");
}

#[tokio::test]
async fn the_steps_of_an_approved_plan_run_in_the_turn_in_which_they_were_planned() {
    let script = r#"
- user: Plan it.
  model:
    - calls:
        - shell: { command: "touch x" }
        - plan_finalize
    - text: It waits for you.
- contains: Continue with the task
  model:
    - calls:
        - shell: { command: "echo y >> y" }
    - text: I have tried.
"#;
    let place = Place::new();
    let bot = place.bot(script);
    let chat = chat("a");
    bot.handle(&chat, "/new plan_mode").await;
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Plan it.").await;
    assert_eq!(place.text("x"), None);
    bot.handle(&chat, "/plan approve").await;
    assert_eq!(place.text("x").as_deref(), Some(""));
    // The tools that the approval opened are also open for a run.
    bot.handle(&chat, "/auto on Write y.").await;
    place.tick(&bot).await;
    assert_eq!(place.text("y").as_deref(), Some("y\n"));
}
