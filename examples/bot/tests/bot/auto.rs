//! Runs, which work in the background.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use plan_machine::Json;
use plan_machine_host::model::{Model, ModelError, ModelRequest, ResponseFuture};
use plan_machine_host::{Content, DenialReport};
use plan_specs::memory::{GoalId, GoalRun, Identity, TaskId};

use crate::kit::{Place, Watched, active, chat, errors, journal, notices, state};

pub(crate) const SCRIPT: &str = r"
- contains: Continue with the task
  model:
    - text: I counted one.
- contains: Continue with the task
  model:
    - text: 'DONE: two.'
- default:
    - text: Hello.
";

#[tokio::test]
async fn a_run_is_heard_by_the_session_that_started_it_alone() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let here = bot.handle(&chat("a"), "/auto on Count the clouds.").await[0]
        .session
        .clone();
    bot.handle(&chat("a"), "/new").await;
    let said = bot.handle(&chat("a"), "/auto status").await;
    assert_eq!(
        notices(&said),
        ["No run is active."],
        "the chat is now in another conversation"
    );
    let said = place.tick(&bot).await;
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].session, here);
    assert!(matches!(&said[0].content, Content::Run { text, .. } if text == "I counted one."));
    let said = place.tick(&bot).await;
    assert_eq!(notices(&said).len(), 1);
    assert!(matches!(&said[0].content, Content::Run { text, .. } if !text.starts_with("DONE")));
    assert_eq!(notices(&said), ["The run run-1 is over: completed."]);
    assert_eq!(said[0].session, here);
    assert_eq!(place.tick(&bot).await, Vec::new());
}

#[tokio::test]
async fn help_promises_what_the_status_of_runs_shows() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/auto on --goal ship Count the clouds.")
        .await;
    let said = bot.handle(&chat, "/help").await;
    let help = notices(&said).join("\n");
    let promised = "List the active runs of the session, with their goals and instructions.";
    assert!(help.contains(promised), "{help}");
    let said = bot.handle(&chat, "/auto status").await;
    assert_eq!(
        notices(&said),
        ["run-1 is running for the goal ship: Count the clouds."]
    );
}

#[tokio::test]
async fn a_run_for_a_goal_knows_what_the_goal_has_learned() {
    let place = Place::new();
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = place.bot_with(model.clone());
    let session = bot
        .handle(&chat("a"), "/auto on --goal ship Count the clouds.")
        .await[0]
        .session
        .clone();
    let said = bot.handle(&chat("a"), "/auto status").await;
    assert!(
        notices(&said)[0].contains("run-1 is running for the goal ship"),
        "{said:?}"
    );
    let memory = plan_machine_host::memory::MemoryFile::open(&place.data().join("memory.jsonl"));
    let memory = memory.expect("a memory");
    let identity = Identity::new(session.channel(), session.conversation()).expect("an identity");
    let (goal, task) = (GoalId::new("ship"), TaskId::new("another"));
    let run = GoalRun::new(identity, goal.expect("a goal"), task.expect("a task"));
    let now = plan_machine::Instant::at_second(0);
    let kept = memory.remember(&run.write_decision(), "by sea", "run", now);
    kept.expect("kept");
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    place.tick(&bot).await;
    let knows = |asked: &plan_machine_host::model::ModelRequest| asked.system.contains("by sea");
    let knowing: Vec<bool> = model.requests().iter().map(knows).collect();
    assert_eq!(
        knowing,
        [true, false],
        "a task without a goal does not see the memories of the goal"
    );
}

#[tokio::test]
async fn a_restart_interrupts_the_runs_that_were_active() {
    let place = Place::on_disk();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    place.tick(&bot).await;
    let said = bot.interrupt().await;
    assert_eq!(
        notices(&said),
        ["The run run-1 stops here; runs are not resumed at the next start."]
    );
    drop(bot);
    // A turn became due while no bot was running.
    place.pass(60);
    let model = Arc::new(Watched::new(SCRIPT));
    let bot = place.bot_with(model.clone());
    let said = bot.take_up().await.expect("taken up");
    let over = "The run run-1 is over: failed, interrupted by a restart.";
    assert_eq!(notices(&said), [over]);
    assert_eq!(place.tick(&bot).await, Vec::new());
    assert_eq!(model.requests().len(), 0);
    let session = active(&bot, &chat("a")).await;
    assert_eq!(
        journal(&session).await.last().map(String::as_str),
        Some("interrupted")
    );
    assert_eq!(state(&session, "AutoRun").await.as_deref(), Some("failed"));
    assert_eq!(errors(&said), Vec::<&str>::new());
}

#[tokio::test]
async fn a_run_that_says_very_much_is_heard_whole_and_comes_to_its_end() {
    let much = "a word or two, ".repeat(2000);
    let script = format!(
        "- contains: Continue with\n  model:\n    - text: '{much}'\n- contains: Continue with\n  model:\n    - text: 'DONE: {much}'\n"
    );
    let place = Place::new();
    let bot = place.bot(&script);
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let said = place.tick(&bot).await;
    let heard = said.iter().map(|outgoing| match &outgoing.content {
        Content::Run { text, .. } => text.as_str(),
        other => panic!("{other:?}"),
    });
    assert!(heard.collect::<String>() == much, "nothing is left out");
    let said = place.tick(&bot).await;
    assert_eq!(notices(&said), ["The run run-1 is over: completed."]);
}

/// A model that cannot be reached.
struct Away;

impl Model for Away {
    fn respond<'a>(&'a self, _request: &'a ModelRequest) -> ResponseFuture<'a> {
        let error = ModelError::Unreachable("it is down".to_owned());
        Box::pin(std::future::ready(Err(error)))
    }

    fn name(&self) -> String {
        "away".to_owned()
    }
}

#[tokio::test]
async fn a_run_whose_model_keeps_failing_is_stopped() {
    let place = Place::new();
    let bot = place.bot_with(Arc::new(Away));
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    for _ in 0..2 {
        let said = place.tick(&bot).await;
        assert_eq!(errors(&said).len(), 1, "{said:?}");
        assert_eq!(notices(&said), Vec::<&str>::new());
    }
    let said = place.tick(&bot).await;
    assert!(
        notices(&said)[0].starts_with("The run run-1 is over: failed, the model cannot be reached"),
        "{said:?}"
    );
    assert_eq!(place.tick(&bot).await, Vec::new());
}

const NOTES: &str = r"
- contains: This is turn 1.
  model:
    - text: |-
        NOTE: the north is done
        DECISION: count by hand
        I counted the north.
- contains: This is turn 2.
  model:
    - text: 'DONE: four.'
- contains: This is turn 1.
  model:
    - text: I begin.
- contains: This is turn 1.
  model:
    - text: I begin, too.
";

#[tokio::test]
async fn the_model_sees_the_task_its_goal_and_what_happened_in_earlier_turns() {
    let place = Place::new();
    let model = Arc::new(Watched::new(NOTES));
    let bot = place.bot_with(model.clone());
    let chat = chat("a");
    let line = "/auto on --goal ship Count the clouds.";
    let said = bot.handle(&chat, line).await;
    assert_eq!(
        notices(&said),
        ["Started run-1.", "`/auto off run-1` stops the run."]
    );
    let said = place.tick(&bot).await;
    let said: Vec<&Content> = said.iter().map(|outgoing| &outgoing.content).collect();
    assert!(
        matches!(said[..], [Content::Run { run, text }] if run == "run-1" && text == "I counted the north."),
        "notes are not for people: {said:?}"
    );
    place.tick(&bot).await;
    let asked = model.requests();
    let first = format!("{:?}", asked[0].messages);
    assert!(first.contains("Continue with the task: Count the clouds."));
    assert!(first.contains("the goal ship"), "{first}");
    assert!(!asked[0].system.contains("the north is done"));
    for kept in [
        "the north is done",
        "count by hand",
        "Turn 1: I counted the north.",
    ] {
        assert!(asked[1].system.contains(kept), "{kept}");
    }
    assert!(format!("{:?}", asked[1].messages).contains("I counted the north."));

    // Another task of the goal receives the decision but not the notes of the first task; a task without a goal
    // receives neither.
    bot.handle(&chat, line).await;
    bot.handle(&chat, "/auto on Count the stars.").await;
    place.tick(&bot).await;
    let asked = &model.requests()[2..];
    assert!(asked[0].system.contains("count by hand"));
    assert!(!asked[0].system.contains("the north is done"));
    assert!(!asked[1].system.contains("count by hand"));
    assert!(!asked[1].system.contains("the north is done"));
}

#[tokio::test]
async fn a_run_needs_something_to_do() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/auto on").await;
    assert!(
        errors(&said)[0].contains("say what the run should do"),
        "{said:?}"
    );
    assert_eq!(place.tick(&bot).await, Vec::new());
}

#[tokio::test]
async fn runs_are_called_runs_and_stopped_by_that_name() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "/auto on Count the clouds.").await;
    bot.handle(&chat, "/auto on Count the stars.").await;
    let said = bot.handle(&chat, "/auto status").await;
    assert_eq!(
        notices(&said),
        [
            "run-1 is running: Count the clouds.",
            "run-2 is running: Count the stars."
        ]
    );
    let said = bot.handle(&chat, "/auto off run-1").await;
    assert_eq!(notices(&said), ["Stopped run-1."]);
    let said = bot.handle(&chat, "/auto status").await;
    assert!(!notices(&said)[0].contains("run-1"), "{said:?}");
}

const BESIDE: &str = r"
- user: Plan it.
  model:
    - calls: [{ write_file: { path: user.md, content: x } }]
    - text: One step so far.
- contains: Continue with the task
  model:
    - calls: [{ write_file: { path: run.md, content: x } }, plan_finalize]
    - text: I wait.
";

#[tokio::test]
async fn a_run_adds_nothing_to_a_plan_that_is_being_collected() {
    let place = Place::new();
    let model = Arc::new(Watched::new(BESIDE));
    let bot = place.bot_with(model.clone());
    let chat = chat("a");
    for line in [
        "/mode plan_mode",
        "/auto on Write it.",
        "/plan on",
        "Plan it.",
    ] {
        bot.handle(&chat, line).await;
    }
    place.tick(&bot).await;
    let session = active(&bot, &chat).await;
    assert_eq!(
        state(&session, "PlanMode").await.as_deref(),
        Some("COLLECTING")
    );
    let said = bot.handle(&chat, "/plan status").await;
    assert_eq!(notices(&said), ["Collecting: 0 of 1 done"]);
    assert_eq!(place.text("run.md"), None);
    let told = format!("{:?}", model.requests().last().expect("asked").messages);
    for denied in [
        "`write_file` was called by background work, and is denied while a plan is being made",
        "`plan_finalize` changes a plan, and only the conversation itself can do that",
    ] {
        assert!(told.contains(denied), "{told}");
    }
}

#[tokio::test]
async fn what_the_host_denies_without_asking_the_plans_is_logged_and_counted() {
    let metrics = plan_machine_host::recorder::Metrics::default();
    let _counted = metrics::set_default_local_recorder(&metrics);
    let log = Log::default();
    let writer = log.clone();
    let logger = tracing_subscriber::fmt().with_writer(move || writer.clone());
    let _logged = tracing::subscriber::set_default(logger.finish());
    // If there is only one subscriber, tracing asks the first thread that reaches a log statement. That thread may
    // belong to another test, which has no subscriber.
    let _another = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    let place = Place::new();
    let bot = place.bot(BESIDE);
    for line in ["/mode plan_mode", "/auto on Write it.", "/plan on"] {
        bot.handle(&chat("a"), line).await;
    }
    place.tick(&bot).await;
    let count = r#"plan.event.count{machine="PlanMode",event="plan_finalize",outcome="denied"} 1"#;
    assert!(metrics.text().contains(count), "{}", metrics.text());
    let log = log.text();
    let mut lines = log.lines().filter(|line| line.contains("plan_finalize"));
    let line = lines.next().expect("a line");
    for part in ["denied", "not_allowed", "only the conversation itself can"] {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(lines.next(), None);
}

#[tokio::test]
async fn every_denied_call_is_reported_to_a_listener() {
    let place = Place::new();
    let bot = place.bot(BESIDE);
    let reports: Arc<Mutex<Vec<DenialReport>>> = Arc::default();
    let own = Arc::clone(&reports);
    bot.on_denial(Arc::new(move |report| {
        own.lock().expect("reports").push(report);
    }));
    let chat = chat("a");
    for line in ["/mode plan_mode", "/auto on Write it.", "/plan on"] {
        bot.handle(&chat, line).await;
    }
    place.tick(&bot).await;
    let session = active(&bot, &chat).await;
    let reports = std::mem::take(&mut *reports.lock().expect("reports"));
    let tools: Vec<&str> = reports.iter().map(|one| one.call.name.as_str()).collect();
    // The plans deny the first call, and the host denies the second one itself.
    assert_eq!(tools, ["write_file", "plan_finalize"]);
    assert_eq!(
        reports[0].call.args.get("path"),
        Some(&Json::from("run.md"))
    );
    for report in &reports {
        assert_eq!(&report.session, session.identity());
        // The earlier entries: the run was started, plan mode was turned on, and the run began to work.
        assert_eq!(report.seq, 3);
        assert_eq!(report.context.actor.as_deref(), Some("model"));
        assert!(report.reason.starts_with("not_allowed: "), "{report:?}");
    }
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.lock().expect("no thread has panicked");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().expect("no thread has panicked");
        written.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const WRITING: &str = r"
- contains: Continue with the task
  model:
    - calls: [{ plan_set_content: { plan_markdown: '# By the run' } }]
    - text: I wait.
";

#[tokio::test]
async fn a_run_does_not_write_the_plan_of_its_user() {
    let place = Place::new();
    let model = Arc::new(Watched::new(WRITING));
    let bot = place.bot_with(model.clone());
    let chat = chat("a");
    for line in ["/mode work_by_plan", "/auto on Write it.", "/plan on"] {
        bot.handle(&chat, line).await;
    }
    let before = state(&active(&bot, &chat).await, "WorkByPlan").await;
    place.tick(&bot).await;
    assert_eq!(
        state(&active(&bot, &chat).await, "WorkByPlan").await,
        before
    );
    let requests = model.requests();
    let told = format!("{:?}", requests.last().expect("asked").messages);
    assert!(told.contains("`plan_set_content` changes a plan"), "{told}");
    // The run is not offered tools that it cannot call.
    let offered = requests.iter().flat_map(|request| &request.tools);
    let names: Vec<&str> = offered.map(|tool| tool.name.as_str()).collect();
    assert!(!names.contains(&"plan_set_content"), "{names:?}");
    assert!(names.contains(&"write_file"), "{names:?}");
}

#[tokio::test]
async fn what_is_meant_for_another_session_is_blocked_and_counted() {
    let metrics = plan_machine_host::recorder::Metrics::default();
    let _counted = metrics::set_default_local_recorder(&metrics);
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let here = bot.sessions().session(&said[0].session);
    let name = said[0].session.conversation();
    let said = bot.handle(&chat("b"), &format!("/switch {name}")).await;
    assert!(errors(&said)[0].starts_with("unknown conversation"));
    let count = "routing.session_mismatch.blocked.count";
    assert!(
        metrics.text().contains(&format!("{count} 1\n")),
        "{}",
        metrics.text()
    );
    let around = plan_machine::gate::EventContext::now().by("host");
    let nothing = plan_machine::Object::new();
    let sent = here.signal_by_name("AutoRun", "worked", "run-9", nothing, &around);
    sent.await.expect("refused");
    assert!(
        metrics.text().contains(&format!("{count} 2\n")),
        "{}",
        metrics.text()
    );
    assert!(
        !metrics.text().contains("plan.mode.enabled"),
        "a run is not counted as plan mode"
    );
}
