//! A bot that stops, or is interrupted, in the middle of a step.

use plan_machine::Json;
use plan_machine_host::Host;
use plan_machine_host::chats::Transport;
use plan_machine_sessions::Session;

use crate::kit::{Place, active, card, chat, errors, notices, state, times, written};

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
    let chat = chat("a");
    interrupted_in_step_two(&place, &bot, &chat).await;
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
    assert!(errors(&said)[0].contains("step 2 was interrupted and may have run"));
    let said = bot.handle(&chat, "/plan resume again").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(state(&session, "PlanMode").await, None);
    // The interrupted step is retried because a person asked for it; the other steps ran once.
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
    let around = plan_machine::gate::EventContext::now().by("user");
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
        "nothing is left to do"
    );
}

#[tokio::test]
async fn a_step_that_is_interrupted_without_a_restart_stops_the_plan_and_can_be_resumed() {
    let place = Place::new();
    let bot = place.bot(STEPS);
    let chat = chat("a");
    interrupted_in_step_two(&place, &bot, &chat).await;
    let said = bot.handle(&chat, "/plan status").await;
    assert!(notices(&said)[1].contains("2 steps are left"), "{said:?}");
    let session = active(&bot, &chat).await;
    assert_eq!(steps(&session).await[1].0, "FAILED");
    std::fs::write(place.inside("go"), "").expect("a file");
    let said = bot.handle(&chat, "/plan resume").await;
    assert!(errors(&said)[0].contains("step 2 was interrupted and may have run"));
    let said = bot.handle(&chat, "/plan resume again").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\ntwo\nthree\n")
    );
    assert_eq!(state(&session, "PlanMode").await, None);
}

#[tokio::test]
async fn a_plan_that_is_cancelled_after_an_interruption_does_not_claim_a_failure() {
    let place = Place::new();
    let bot = place.bot(STEPS);
    let chat = chat("a");
    interrupted_in_step_two(&place, &bot, &chat).await;
    bot.handle(&chat, "/plan status").await;
    let said = bot.handle(&chat, "/plan off").await;
    assert!(
        notices(&said)
            .contains(&"The plan plan-1 is cancelled; 1 step had failed or had been interrupted."),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_step_that_was_interrupted_in_another_mode_does_not_run_on_when_its_mode_is_back() {
    let place = Place::on_disk();
    let bot = place.bot(STEPS);
    let chat = chat("a");
    interrupted_in_step_two(&place, &bot, &chat).await;
    drop(bot);
    let chats = place.data().join("chats.yaml");
    let text = std::fs::read_to_string(&chats).expect("a file");
    let (_digest, text) = text.split_once('\n').expect("a digest");
    std::fs::write(&chats, text.replace("plan_mode", "work_by_plan")).expect("written");

    let bot = place.bot(STEPS);
    assert_eq!(bot.take_up().await.expect("taken up"), Vec::new());
    let said = bot.handle(&chat, "/mode plan_mode").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert!(notices(&said)[1].contains("2 steps are left"), "{said:?}");
    let session = active(&bot, &chat).await;
    assert_eq!(steps(&session).await[1].0, "FAILED");
    std::fs::write(place.inside("go"), "").expect("a file");
    bot.handle(&chat, "/plan resume again").await;
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\ntwo\nthree\n")
    );
}

#[tokio::test]
async fn a_step_that_was_interrupted_has_stopped_the_plan_before_another_mode_starts() {
    let place = Place::new();
    let bot = place.bot(STEPS);
    let chat = chat("a");
    interrupted_in_step_two(&place, &bot, &chat).await;
    let said = bot.handle(&chat, "/mode work_by_plan").await;
    assert!(notices(&said)[0].contains("2 steps are left"), "{said:?}");
    let session = active(&bot, &chat).await;
    assert_eq!(
        state(&session, "PlanMode").await,
        None,
        "its mode is not active"
    );
    bot.handle(&chat, "/mode plan_mode").await;
    assert_eq!(steps(&session).await[1].0, "FAILED");
}

/// Makes and approves a plan, and drops the future of the approval while the second step is in
/// progress.
async fn interrupted_in_step_two(place: &Place, bot: &Host, chat: &Transport) {
    for line in ["/new plan_mode", "/plan on", "Do it."] {
        bot.handle(chat, line).await;
    }
    tokio::select! {
        said = bot.handle(chat, "/plan approve") => panic!("the second step does not end: {said:?}"),
        () = written(place, "one\ntwo\n") => {}
    }
}

#[tokio::test]
async fn what_was_not_shown_is_said_again_by_the_next_bot() {
    let script = r#"
- user: Plan it.
  model:
    - calls: [{ plan_set_content: { plan_markdown: "1. Look.\n" } }]
    - text: It is ready.
"#;
    let place = Place::on_disk();
    let talk = async |is_shown: bool| {
        let bot = place.bot(script);
        let (listener, _heard) = tokio::sync::mpsc::unbounded_channel();
        bot.listen(listener);
        bot.handle(&chat("a"), "/plan on").await;
        bot.handle(&chat("a"), "Plan it.").await;
        let said = bot.handle(&chat("a"), "/plan approve").await;
        let again = bot.handle(&chat("a"), "/plan status").await;
        assert!(
            !notices(&again).contains(&"Tell the model what to start with."),
            "the same bot does not repeat it"
        );
        if is_shown {
            let effects = said.iter().flat_map(|one| {
                let effects = one.effects.iter();
                effects.map(|effect| (one.session.clone(), effect.clone()))
            });
            bot.settle_shown(effects.collect()).await.expect("settled");
        }
        bot.handle(&chat("a"), "/plan done").await;
        drop(bot);
        let said = place.bot(script).take_up().await.expect("taken up");
        notices(&said).contains(&"Tell the model what to start with.")
    };
    assert!(talk(false).await, "the notice was not shown");
    assert!(!talk(true).await, "the notice was shown");
}
