//! A plan of the builder whose execution stops, or is interrupted, in the middle of a step.

use std::path::PathBuf;
use std::sync::Arc;

use plan_machine::Json;
use plan_machine_host::disk::folder_name;
use plan_machine_sessions::Session;

use crate::kit::{Place, Watched, active, chat, errors, notices, state, times, words, written};

const BUILT: &str = r#"
- user: Plan it.
  model:
    - calls:
        - create_draft: { goal: A count }
    - calls:
        - set_assumptions: { values: [there are numbers] }
        - set_risks: { values: [miscounting] }
        - set_verification: { values: [it is counted] }
        - set_files: { values: [count] }
        - add_step: { agent: coder, task: Count one }
        - add_step: { agent: coder, task: Count two }
        - add_step: { agent: coder, task: Count three }
        - submit
    - text: Proposed.
- contains: Count one
  model:
    - calls: [{ shell: { command: "echo one >> count" } }]
    - text: Counted one.
- contains: Count two
  model:
    - calls: [{ shell: { command: "echo two >> count; test -e go || sleep 600" } }]
    - text: Counted two.
- contains: Count three
  model:
    - calls: [{ shell: { command: "echo three >> count" } }]
    - text: Counted three.
"#;

#[tokio::test]
async fn a_plan_of_the_builder_continues_after_a_restart_with_the_step_that_was_interrupted() {
    let place = Place::on_disk();
    let bot = place.bot(BUILT);
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    bot.handle(&chat("a"), "/plan approve").await;
    let chat = chat("a");
    tokio::select! {
        said = bot.handle(&chat, "/plan execute plan-1") => panic!("the second step does not end: {said:?}"),
        () = written(&place, "one\ntwo\n") => {}
    }
    drop(bot);

    let bot = place.bot(BUILT);
    let said = bot.take_up().await.expect("taken up");
    assert!(
        notices(&said)[0].contains("has stopped at step 2"),
        "{said:?}"
    );
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\n"),
        "nothing runs by itself"
    );

    std::fs::write(place.inside("go"), "").expect("a file");
    let said = bot.handle(&chat, "/plan execute plan-1").await;
    assert!(
        errors(&said)[0].contains("`/plan execute again plan-1` runs it again"),
        "{said:?}"
    );
    let said = bot.handle(&chat, "/plan execute again plan-1").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(words(&said), ["Counted two.", "Counted three."]);
    // The interrupted step is retried because a person asked for it; the other steps ran once.
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\ntwo\nthree\n")
    );
    assert_eq!(
        notices(&said).last(),
        Some(&"The plan plan-1 was carried out.")
    );

    let said = bot.handle(&chat, "/plan execute plan-1").await;
    assert_eq!(words(&said).len(), 3, "all steps run again: {said:?}");
}

#[tokio::test]
async fn a_step_of_the_builder_that_fails_stops_the_plan_and_can_be_tried_again() {
    let place = Place::new();
    // Three answers produce the proposal, and two carry out the first step.
    let bot = place.bot_with(Arc::new(Watched::failing_at(BUILT, 6)));
    std::fs::write(place.inside("go"), "").expect("a file");
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    bot.handle(&chat("a"), "/plan approve").await;
    let said = bot.handle(&chat("a"), "/plan execute plan-1").await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    assert!(
        notices(&said).last().expect("a notice").contains("step 2"),
        "{said:?}"
    );
    assert!(
        !place.data().join("executions").exists(),
        "the plan records its progress"
    );
    let session = active(&bot, &chat("a")).await;
    assert_eq!(
        claims(&session).await,
        [("done", 1), ("failed", 1), ("pending", 0)].map(owned)
    );
    let said = bot.handle(&chat("a"), "/plan execute plan-1").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    let again = notices(&said);
    assert!(
        again
            .iter()
            .any(|said| said.contains("Step 2 of 3, attempt 2")),
        "{said:?}"
    );
    assert_eq!(
        claims(&session).await,
        [("done", 1), ("done", 2), ("done", 1)].map(owned)
    );
    assert_eq!(times(&session, "step_claimed").await, 4);
    assert_eq!(place.text("count").as_deref(), Some("one\ntwo\nthree\n"));
}

fn owned((status, attempts): (&str, i64)) -> (String, i64) {
    (status.to_owned(), attempts)
}

/// Returns the progress of a built plan's steps, and how many times each step was claimed.
async fn claims(session: &Session) -> Vec<(String, i64)> {
    let plans = session.plans().await.expect("plans");
    let held = plans.into_iter().find(|held| held.machine == "PlanBuilder");
    let data = held.expect("a plan").plan.data;
    let steps = data.get("steps").and_then(Json::as_list).expect("steps");
    let steps = steps.iter().map(|step| {
        let step = step.as_object().expect("a step");
        let status = step.get("status").and_then(Json::as_text);
        let attempts = step.get("attempts").and_then(Json::as_int);
        (
            status.expect("a status").to_owned(),
            attempts.expect("a number"),
        )
    });
    steps.collect()
}

/// Creates an approved plan, and the file in which an older version stored the progress of its execution.
async fn left_by_an_older_version(place: &Place, progress: &str) -> PathBuf {
    let bot = place.bot(BUILT);
    for line in ["/new plan_builder", "Plan it.", "/plan approve"] {
        bot.handle(&chat("a"), line).await;
    }
    let session = active(&bot, &chat("a")).await;
    let name = folder_name(&format!("{}#plan-1", session.identity()));
    let executions = place.data().join("executions");
    std::fs::create_dir_all(&executions).expect("a folder");
    let file = executions.join(name);
    std::fs::write(&file, progress).expect("a file");
    std::fs::write(place.inside("go"), "").expect("a file");
    file
}

#[tokio::test]
async fn an_execution_of_an_older_version_continues_with_the_step_that_was_next() {
    for progress in ["in 1\n", "before 1\n"] {
        let place = Place::on_disk();
        let file = left_by_an_older_version(&place, progress).await;
        let bot = place.bot(BUILT);
        let said = bot.take_up().await.expect("taken up");
        assert!(
            notices(&said)[0].contains("has stopped before step 2"),
            "{said:?}"
        );
        assert_eq!(place.text("count"), None, "nothing runs by itself");
        let said = bot.handle(&chat("a"), "/plan execute plan-1").await;
        assert_eq!(errors(&said), Vec::<&str>::new());
        assert_eq!(place.text("count").as_deref(), Some("two\nthree\n"));
        assert!(!file.exists(), "the plan itself records the progress now");
        let session = active(&bot, &chat("a")).await;
        assert_eq!(
            state(&session, "PlanBuilder").await.as_deref(),
            Some("completed")
        );
    }
}

#[tokio::test]
async fn an_execution_of_an_older_version_that_cannot_be_read_is_not_started_again() {
    for damaged in ["nonsense", "before one", "after 1"] {
        let place = Place::on_disk();
        let file = left_by_an_older_version(&place, damaged).await;
        let bot = place.bot(BUILT);
        let said = bot.take_up().await.expect("taken up");
        assert!(errors(&said)[0].contains("which step is next"), "{said:?}");
        let said = bot.handle(&chat("a"), "/plan execute plan-1").await;
        assert!(errors(&said)[0].contains("which step is next"), "{said:?}");
        let said = bot.handle(&chat("a"), "/auto status").await;
        assert_eq!(
            errors(&said),
            Vec::<&str>::new(),
            "other commands still work"
        );
        assert_eq!(place.text("count"), None, "no step ran");
        std::fs::remove_file(&file).expect("removed");
        bot.handle(&chat("a"), "/plan execute plan-1").await;
        assert_eq!(place.text("count").as_deref(), Some("one\ntwo\nthree\n"));
    }
}

#[tokio::test]
async fn a_step_of_the_builder_that_is_interrupted_without_a_restart_stops_the_plan() {
    let place = Place::new();
    let bot = place.bot(BUILT);
    let chat = chat("a");
    for line in ["/new plan_builder", "Plan it.", "/plan approve"] {
        bot.handle(&chat, line).await;
    }
    tokio::select! {
        said = bot.handle(&chat, "/plan execute plan-1") => panic!("the second step does not end: {said:?}"),
        () = written(&place, "one\ntwo\n") => {}
    }
    std::fs::write(place.inside("go"), "").expect("a file");
    let said = bot.handle(&chat, "/auto status").await;
    let stopped = notices(&said);
    let stopped = stopped.iter().find(|notice| notice.contains("has stopped"));
    assert!(
        stopped
            .expect("a notice")
            .contains("at step 2: interrupted"),
        "{said:?}"
    );
    let said = bot.handle(&chat, "/plan execute again plan-1").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        place.text("count").as_deref(),
        Some("one\ntwo\ntwo\nthree\n")
    );
}

#[tokio::test]
async fn a_step_of_the_builder_that_the_model_could_not_do_stops_the_plan() {
    let script = r#"
- user: Plan it.
  model:
    - calls: [{ create_draft: { goal: A picture } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: [b] }
        - set_verification: { values: [c] }
        - set_files: { values: [d] }
        - add_step: { agent: coder, task: Draw it }
        - submit
    - text: Here it is.
- contains: Carry out step 1
  model: [{ text: "FAILED: there is no paper." }]
- contains: Carry out step 1
  model: [{ text: It is drawn. }]
"#;
    let place = Place::new();
    let bot = place.bot(script);
    for line in ["/new plan_builder", "Plan it.", "/plan approve"] {
        bot.handle(&chat("a"), line).await;
    }
    for ended in ["has stopped at step 1", "was carried out"] {
        let said = bot.handle(&chat("a"), "/plan execute plan-1").await;
        let last = *notices(&said).last().expect("a notice");
        assert!(last.contains(ended), "{said:?}");
    }
}
