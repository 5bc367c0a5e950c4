//! An allowed call runs only if the gate still allows it and the work was not stopped. Each call
//! has its own identity.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use plan_machine::Object;
use plan_machine_host::model::{Message, Model, ModelCall, ModelRequest, Response, ResponseFuture};

use crate::kit::{Place, active, chat, errors, notices, words};

/// A run whose model answers once with many calls. The first call reports that it has started, and waits.
const MANY: &str = r"
- contains: Continue with the task
  model:
    - calls:
        - shell: { command: 'echo begun > began; cat go' }
        - shell: { command: 'echo 1 >> ran' }
        - shell: { command: 'echo 2 >> ran' }
        - write_file: { path: ran, content: '3' }
        - shell: { command: 'echo 4 >> ran' }
    - text: 'DONE: all of it.'
- default:
    - text: Hello.
";

/// Creates a pipe in the workspace to synchronize a command with a test.
fn pipe(place: &Place, name: &str) -> PathBuf {
    let path = place.inside(name);
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo").success());
    path
}

/// Waits until the first call has started.
async fn begun(began: PathBuf) {
    let read = tokio::task::spawn_blocking(move || fs::read_to_string(began));
    let read = read.await.expect("no panic");
    assert_eq!(read.expect("the first call"), "begun\n");
}

/// Lets the first call finish.
async fn release(go: PathBuf) {
    let written = tokio::task::spawn_blocking(move || fs::write(go, "on"));
    written
        .await
        .expect("no panic")
        .expect("the first call waits");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_plan_on_no_call_runs_that_was_decided_before() {
    let place = Place::new();
    let bot = place.bot(MANY);
    bot.handle(&chat("a"), "/mode plan_mode").await;
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let (began, go) = (pipe(&place, "began"), pipe(&place, "go"));
    let closed = async {
        begun(began).await;
        let said = bot.handle(&chat("a"), "/plan on").await;
        release(go).await;
        said
    };
    let (_, said) = tokio::join!(place.tick(&bot), closed);
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    assert_eq!(place.text("ran"), None, "nothing ran after `/plan on`");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_auto_off_a_run_makes_no_further_call() {
    let place = Place::new();
    let bot = place.bot(MANY);
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let (began, _go) = (pipe(&place, "began"), pipe(&place, "go"));
    let stopped = async {
        begun(began).await;
        // `/auto off` also ends the first call.
        bot.handle(&chat("a"), "/auto off").await
    };
    let (_, said) = tokio::join!(place.tick(&bot), stopped);
    assert_eq!(notices(&said), ["Stopped run-1."], "{said:?}");
    assert_eq!(place.text("ran"), None, "nothing ran after `/auto off`");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_another_process_has_stopped_makes_no_further_call() {
    let place = Place::on_disk();
    let bot = place.bot(MANY);
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let (began, go) = (pipe(&place, "began"), pipe(&place, "go"));
    let other = place.bot(MANY);
    let stopped = async {
        begun(began).await;
        let said = other.handle(&chat("a"), "/auto off").await;
        release(go).await;
        said
    };
    let (_, said) = tokio::join!(place.tick(&bot), stopped);
    assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
    assert_eq!(place.text("ran"), None, "nothing ran after `/auto off`");
}

/// A model whose calls all have the same id, which may be empty.
struct Careless(&'static str);

impl Model for Careless {
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a> {
        let call = |path: &str| ModelCall {
            id: self.0.to_owned(),
            tool: "write_file".to_owned(),
            args: Ok(Object::from_iter([("path", path), ("content", "x")])),
        };
        let asked = matches!(request.messages.last(), Some(Message::User(_)));
        let response = Response {
            text: if asked {
                String::new()
            } else {
                "Wrote.".to_owned()
            },
            calls: if asked {
                vec![call("one"), call("two")]
            } else {
                Vec::new()
            },
        };
        Box::pin(async { Ok(response) })
    }

    fn name(&self) -> String {
        "careless".to_owned()
    }
}

#[tokio::test]
async fn calls_with_equal_or_empty_ids_are_made_each() {
    for id in ["", "call_1"] {
        let place = Place::new();
        let bot = place.bot_with(Arc::new(Careless(id)));
        let said = bot.handle(&chat("a"), "Write.").await;
        assert_eq!(words(&said), ["Wrote."], "{said:?}");
        for path in ["one", "two"] {
            assert_eq!(place.text(path).as_deref(), Some("x"), "{id}");
        }
        let session = active(&bot, &chat("a")).await;
        let history = place.history(session.identity());
        let ids = history
            .messages()
            .iter()
            .filter_map(|message| match message {
                Message::Result { call_id, .. } => Some(call_id.clone()),
                _ => None,
            });
        let mut ids: Vec<String> = ids.collect();
        assert!(ids.iter().all(|id| !id.is_empty()), "{ids:?}");
        ids.dedup();
        assert_eq!(ids.len(), 2, "{ids:?}");
    }
}

#[tokio::test]
async fn a_call_in_a_history_that_was_lost_and_started_over_is_made() {
    let place = Place::new();
    let bot = place.bot_with(Arc::new(Careless("call_1")));
    bot.handle(&chat("a"), "Write.").await;
    fs::remove_file(place.inside("one")).expect("the file was written");
    fs::remove_dir_all(place.data().join("history")).expect("the history exists");
    fs::create_dir(place.data().join("history")).expect("a folder");
    let said = bot.handle(&chat("a"), "Write.").await;
    assert_eq!(words(&said), ["Wrote."], "{said:?}");
    assert_eq!(
        place.text("one").as_deref(),
        Some("x"),
        "the call was made again"
    );
}

/// A plan of one step, which makes one call.
const BUILT: &str = r"
- user: Plan it.
  model:
    - calls: [{ create_draft: { goal: A count } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: [b] }
        - set_verification: { values: [c] }
        - set_files: { values: [d] }
        - add_step: { agent: coder, task: Count }
        - submit
    - text: Here it is.
- contains: Carry out step 1
  model:
    - calls: [{ shell: { command: 'echo ran >> count' } }]
    - text: Counted.
";

#[tokio::test]
async fn a_plan_that_is_reported_carried_out_has_made_its_own_call() {
    let place = Place::new();
    let bot = place.bot(BUILT);
    bot.handle(&chat("a"), "/new plan_builder").await;
    for (number, plan) in (1..).zip(["plan-1", "plan-2", "plan-3"]) {
        bot.handle(&chat("a"), "Plan it.").await;
        bot.handle(&chat("a"), "/plan approve").await;
        let said = bot
            .handle(&chat("a"), &format!("/plan execute {plan}"))
            .await;
        let wanted = format!("The plan {plan} was carried out.");
        assert_eq!(notices(&said).last(), Some(&&*wanted), "{said:?}");
        let ran = place.text("count").unwrap_or_default();
        assert_eq!(ran.lines().count(), number, "{plan}: {said:?}");
    }
}
