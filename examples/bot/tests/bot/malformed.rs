//! Models that make invalid calls, fail, or never finish: this is reported, and the session stays usable.

use std::fs;
use std::sync::Arc;

use crate::kit::{Place, Watched, chat, errors, journal, notices, session, state, words};

const WRONG: &str = r#"
- user: Go.
  model:
    - calls:
        - write_file: '{"path": '
        - write_file: '["a.txt"]'
        - write_file: { path: 7, content: a }
        - no_such_tool: { path: a.txt }
        - write_file: { path: right.txt, content: right }
    - text: I saw what was wrong.
- user: And now?
  model:
    - text: Now I am fine.
"#;

#[tokio::test]
async fn malformed_calls_and_unknown_tools_are_reported_to_the_model_and_the_right_one_runs() {
    let place = Place::new();
    let bot = place.bot(WRONG);
    let said = bot.handle(&chat("a"), "Go.").await;
    let session = session(&bot, &said);
    let told = place.results(session.identity());
    assert_eq!(told.len(), 5, "each call has its result: {told:?}");
    assert!(told[0].starts_with("invalid_input: "), "{told:?}");
    assert!(told[1].starts_with("invalid_input: "), "{told:?}");
    assert!(told[2].contains("`path` must be a string"), "{told:?}");
    assert!(told[3].contains("no_such_tool"), "{told:?}");
    assert_eq!(place.text("right.txt").as_deref(), Some("right"));
    assert_eq!(place.text("a.txt"), None);
    assert_eq!(journal(&session).await, Vec::<String>::new());
    let said = bot.handle(&chat("a"), "And now?").await;
    assert_eq!(words(&said), ["Now I am fine."]);
}

#[tokio::test]
async fn a_malformed_call_of_a_plan_tool_changes_no_plan() {
    let place = Place::new();
    let bot = place.bot(
        r"
- user: Go.
  model:
    - calls:
        - plan_set_content: '# Plan'
        - plan_set_content: { plan_markdown: 7 }
        - plan_set_content: { plan_markdown: ' ' }
        - plan_set_content
    - text: So be it.
",
    );
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Go.").await;
    let session = session(&bot, &said);
    assert_eq!(journal(&session).await, ["plan_on"]);
    let told = place.results(session.identity());
    assert_eq!(told.len(), 4);
    assert!(
        told.iter().all(|told| told.contains("invalid_input")),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_model_that_fails_in_the_middle_of_a_turn_is_reported_and_asked_again_next_time() {
    let place = Place::new();
    let model = Arc::new(Watched::failing_at(WRONG, 2));
    let bot = place.bot_with(model.clone());
    let said = bot.handle(&chat("a"), "Go.").await;
    assert_eq!(errors(&said), ["the model cannot be reached: it is down"]);
    assert_eq!(
        place.results(&said[0].session).len(),
        5,
        "the results of the calls are stored"
    );
    let said = bot.handle(&chat("a"), "Off the script").await;
    assert!(
        errors(&said)[0].starts_with("the script has no answer"),
        "{said:?}"
    );
    let said = bot.handle(&chat("a"), "And now?").await;
    assert_eq!(words(&said), ["Now I am fine."]);
    assert_eq!(errors(&said), Vec::<&str>::new());
}

#[tokio::test]
async fn a_model_that_calls_without_end_is_stopped_and_the_session_continues() {
    let rounds = "    - calls: [list_files]\n".repeat(40);
    let script =
        format!("- user: Go.\n  model:\n{rounds}- user: Stop.\n  model:\n    - text: Yes.\n");
    let place = Place::new();
    let model = Arc::new(Watched::new(&script));
    let bot = place.bot_with(model.clone());
    let said = bot.handle(&chat("a"), "Go.").await;
    assert_eq!(model.requests().len(), 24);
    assert!(errors(&said)[0].contains("24 times"), "{said:?}");
    assert_eq!(place.results(&said[0].session).len(), 24);
    let said = bot.handle(&chat("a"), "Stop.").await;
    assert_eq!(words(&said), ["Yes."]);
}

#[tokio::test]
async fn a_line_that_is_not_a_command_is_an_error_and_changes_nothing() {
    let place = Place::new();
    let bot = place.bot(WRONG);
    for line in [
        "/nonsense",
        "/plan approve",
        "/plan approve 1-00000000",
        "/switch nowhere",
    ] {
        let said = bot.handle(&chat("a"), line).await;
        assert_eq!(
            (errors(&said).len(), said.len()),
            (1, 1),
            "{line}: {said:?}"
        );
        assert_eq!(journal(&session(&bot, &said)).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_step_with_a_large_result_does_not_hold_the_plan_up() {
    let place = Place::new();
    let bot = place.bot(
        r"
- user: Go.
  model:
    - calls:
        - read_file: { path: large.txt }
        - write_file: { path: after.txt, content: after }
        - plan_finalize
    - text: Planned.
",
    );
    fs::write(place.inside("large.txt"), "x".repeat(1024 * 1024)).expect("a file");
    bot.handle(&chat("a"), "/new plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    bot.handle(&chat("a"), "Go.").await;
    let said = bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(place.text("after.txt").as_deref(), Some("after"));
    assert_eq!(state(&session(&bot, &said), "PlanMode").await, None);
}

#[tokio::test]
async fn an_export_that_cannot_be_written_is_reported_and_does_not_hold_the_session_up() {
    let place = Place::new();
    let bot = place.bot(
        r"
- user: Export it.
  model:
    - calls:
        - write_file: { path: task_plan.md/in.txt, content: in the way }
        - export_plan
    - text: Exported.
- user: And now?
  model:
    - calls: [list_files]
    - text: Now I am fine.
",
    );
    bot.handle(&chat("a"), "/plan a trip").await;
    let said = bot.handle(&chat("a"), "Export it.").await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert_eq!(words(&said), ["Exported."]);
    let said = bot.handle(&chat("a"), "And now?").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(words(&said), ["Now I am fine."]);
    let said = bot.handle(&chat("a"), "/auto status").await;
    assert_eq!(notices(&said), ["No run is active."]);
}
