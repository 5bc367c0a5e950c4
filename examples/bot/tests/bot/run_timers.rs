//! The turns of a run: when they begin, and how a run is stopped.

use std::sync::Arc;

use crate::auto::SCRIPT;
use crate::kit::{Place, Watched, active, chat, notices, state, times};

#[tokio::test]
async fn a_run_gets_its_turns_from_a_timer_in_the_store() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let session = active(&bot, &chat("a")).await;
    place.pass(4);
    assert_eq!(bot.tick().await, Vec::new());
    assert_eq!(model.requests().len(), 0, "no turn is due");
    place.pass(1);
    assert_eq!(session.due().await.expect("a timer"), Some(bot.now()));
    assert_eq!(bot.tick().await.len(), 1);
    assert_eq!(model.requests().len(), 1);
    place.pass(4);
    assert_eq!(bot.tick().await, Vec::new());
    assert_eq!(model.requests().len(), 1, "the next turn is not due");
    assert_eq!(times(&session, "worked").await, 1);
}

#[tokio::test]
async fn a_run_gets_its_turn_although_another_process_fired_its_timer() {
    let place = Place::on_disk();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    // The other bot has the same conversation, but it did not start the run.
    let other = Arc::new(Watched::new(SCRIPT));
    let beside = place.bot_with(other.clone());
    assert_eq!(place.tick(&beside).await, Vec::new());
    assert_eq!(other.requests().len(), 0);
    let session = active(&bot, &chat("a")).await;
    assert_eq!(state(&session, "AutoRun").await.as_deref(), Some("working"));
    assert_eq!(bot.tick().await.len(), 1);
    assert_eq!(model.requests().len(), 1);
    assert_eq!(state(&session, "AutoRun").await.as_deref(), Some("running"));
}

#[tokio::test]
async fn a_run_that_is_at_work_gets_no_other_turn() {
    let place = Place::new();
    let model = Arc::new(Watched::waiting(SCRIPT));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let session = active(&bot, &chat("a")).await;
    let meanwhile = async {
        model.began.acquire().await.expect("the run works").forget();
        let said = tokio::select! {
            said = place.tick(&bot) => said,
            _ = model.began.acquire() => panic!("the run got another turn"),
        };
        model.go.close();
        said
    };
    let (first, second) = tokio::join!(place.tick(&bot), meanwhile);
    assert_eq!((first.len(), second), (1, Vec::new()));
    assert_eq!(model.requests().len(), 1);
    assert_eq!(times(&session, "worked").await, 1);
}

#[tokio::test]
async fn a_run_that_is_stopped_leaves_no_timer_behind() {
    let place = Place::on_disk();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let end = plan_machine::Instant::LAST;
    let due = bot.sessions().due(end, 10).await.expect("sessions");
    assert_eq!(due.len(), 1);
    bot.handle(&chat("a"), "/auto off").await;
    let due = bot.sessions().due(end, 10).await.expect("sessions");
    assert_eq!(due, Vec::new());
}

#[tokio::test]
async fn a_run_that_is_stopped_while_the_model_works_says_nothing_more() {
    let place = Place::new();
    let model = Arc::new(Watched::waiting(SCRIPT));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let session = active(&bot, &chat("a")).await;
    let stopped = async {
        model.began.acquire().await.expect("the run works").forget();
        let said = bot.handle(&chat("a"), "/auto off").await;
        model.go.close();
        said
    };
    let (ticked, stopped) = tokio::join!(place.tick(&bot), stopped);
    assert_eq!(ticked, Vec::new());
    assert_eq!(notices(&stopped), ["Stopped run-1."]);
    assert_eq!(times(&session, "produced").await, 0);
    assert_eq!(place.tick(&bot).await, Vec::new(), "no run is active");
    assert!(
        model.requests().len() <= 1,
        "the bot does not wait for the answer"
    );
}

#[tokio::test]
async fn a_run_that_is_stopped_while_the_model_fails_says_nothing_more() {
    let place = Place::new();
    let mut model = Watched::waiting(SCRIPT);
    model.fails_at = 1;
    let model = Arc::new(model);
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let stopped = async {
        model.began.acquire().await.expect("the run works").forget();
        bot.handle(&chat("a"), "/auto off").await;
        model.go.close();
    };
    let (ticked, ()) = tokio::join!(place.tick(&bot), stopped);
    assert_eq!(ticked, Vec::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_that_races_a_tick_ends_the_run_whoever_is_first() {
    let place = Place::new();
    let bot = Arc::new(place.bot(SCRIPT));
    let chat = chat("a");
    for _ in 0..20 {
        // First, the tick and the stop run on different threads.
        bot.handle(&chat, "/auto on Count the clouds.").await;
        place.pass(5);
        let (ticking, stopping, here) = (Arc::clone(&bot), Arc::clone(&bot), chat.clone());
        let ticked = tokio::spawn(async move { ticking.tick().await });
        let stopped = tokio::spawn(async move { stopping.handle(&here, "/auto off").await });
        ticked.await.expect("the task does not panic");
        stopped.await.expect("the task does not panic");
        assert_eq!(place.tick(&bot).await, Vec::new());
        // Then they run on one thread, where one of the two begins before the other.
        bot.handle(&chat, "/auto on Count the clouds.").await;
        let (_, _) = tokio::join!(place.tick(&bot), bot.handle(&chat, "/auto off"));
        assert_eq!(place.tick(&bot).await, Vec::new());
        bot.handle(&chat, "/auto on Count the clouds.").await;
        let (_, _) = tokio::join!(bot.handle(&chat, "/auto off"), place.tick(&bot));
        assert_eq!(place.tick(&bot).await, Vec::new());
    }
    let said = bot.handle(&chat, "/auto status").await;
    assert_eq!(notices(&said), ["No run is active."]);
}
