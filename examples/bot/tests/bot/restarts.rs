//! A bot that goes down, or is interrupted, in the middle of a step.

use plan_machine::Json;
use plan_machine::session::Session;

use crate::kit::{Place, active, card, chat, errors, notices, state, times};

const STEPS: &str = r#"
- user: Do it.
  model:
    - calls:
        - shell: { command: "echo one >> count" }
        - shell: { command: "echo two >> count; test -e go || sleep 600" }
        - shell: { command: "echo three >> count" }
        - plan_finalize
    - text: Planned.
"#;

async fn steps(session: &Session) -> Vec<(String, Option<String>)> {
    let plans = session.plans().await.expect("plans");
    let held = plans.into_iter().find(|held| held.machine == "PlanMode");
    let held = held.expect("a plan");
    let steps = held.plan.data.get("steps").and_then(Json::as_list);
    let text = |step: &Json, key: &str| {
        let value = step.as_object()?.get(key)?.as_text()?;
        Some(value.to_owned())
    };
    let steps = steps.expect("steps").iter();
    steps
        .map(|step| {
            (
                text(step, "status").unwrap_or_default(),
                text(step, "error"),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_restart_in_the_middle_of_a_step_neither_repeats_nor_loses_one() {
    let place = Place::on_disk();
    let bot = place.bot(STEPS);
    bot.handle(&chat("a"), "/new plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Do it.").await;
    let approve = card(&said).commands[0].clone();
    let chat = chat("a");
    tokio::select! {
        said = bot.handle(&chat, &approve) => panic!("the second step does not end: {said:?}"),
        () = async {
            while place.text("count").as_deref() != Some("one\ntwo\n") {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    drop(bot);

    let bot = place.bot(STEPS);
    let said = bot.take_up().await.expect("taken up");
    assert!(notices(&said)[0].contains("2 steps are left"), "{said:?}");
    let session = active(&bot, &chat).await;
    let interrupted = Some("interrupted by a restart".to_owned());
    let expected = [
        ("COMPLETED".to_owned(), None),
        ("FAILED".to_owned(), interrupted),
        ("PENDING".to_owned(), None),
    ];
    assert_eq!(steps(&session).await, expected);
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\n"),
        "nothing runs by itself"
    );

    std::fs::write(place.inside("go"), "").expect("a file");
    let said = bot.handle(&chat, "/plan resume").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(state(&session, "PlanMode").await, None);
    // The step that was interrupted is tried again because a person said so; the others ran once.
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\ntwo\nthree\n")
    );
    assert_eq!(times(&session, "step_started").await, 4);
}

#[tokio::test]
async fn a_restart_between_approval_and_the_first_step_loses_none() {
    let place = Place::on_disk();
    let bot = place.bot(STEPS);
    bot.handle(&chat("a"), "/new plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Do it.").await;
    let approve = card(&said).commands[0].clone();
    let session = active(&bot, &chat("a")).await;
    let around = plan_machine::gate::Surroundings::now().by("user");
    session.command(&approve, &around).await.expect("approved");
    drop((session, bot));

    let bot = place.bot(STEPS);
    let said = bot.take_up().await.expect("taken up");
    assert!(notices(&said)[0].contains("3 steps are left"), "{said:?}");
    assert_eq!(place.text("count"), None, "nothing runs by itself");
    std::fs::write(place.inside("go"), "").expect("a file");
    bot.handle(&chat("a"), "/plan resume").await;
    assert_eq!(place.text("count").as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(
        bot.take_up().await.expect("taken up"),
        Vec::new(),
        "there is nothing left"
    );
}

#[tokio::test]
async fn a_step_that_is_interrupted_without_a_restart_stops_the_plan_and_can_be_resumed() {
    let place = Place::new();
    let bot = place.bot(STEPS);
    bot.handle(&chat("a"), "/new plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    bot.handle(&chat("a"), "Do it.").await;
    let chat = chat("a");
    tokio::select! {
        said = bot.handle(&chat, "/plan approve") => panic!("the second step does not end: {said:?}"),
        () = async {
            while place.text("count").as_deref() != Some("one\ntwo\n") {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    let said = bot.handle(&chat, "/plan status").await;
    assert!(notices(&said)[1].contains("2 steps are left"), "{said:?}");
    let session = active(&bot, &chat).await;
    assert_eq!(steps(&session).await[1].0, "FAILED");
    std::fs::write(place.inside("go"), "").expect("a file");
    let said = bot.handle(&chat, "/plan resume").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\ntwo\nthree\n")
    );
    assert_eq!(state(&session, "PlanMode").await, None);
}
