//! Faults that are common in bots of this kind.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use plan_machine::Instant;
use plan_machine_host::memory::MemoryFile;
use plan_machine_host::{Content, Outgoing};
use plan_specs::memory::{Identity, TaskId, TaskRun};

use crate::kit::{
    Place, Watched, active, card, chat, errors, journal, session, state, times, words,
};

const DRAFT: &str = r##"
- user: Plan it.
  model:
    - text: I store the plan and go on.
      calls:
        - plan_set_content: { plan_markdown: "# Plan\n\n1. Look.\n" }
    - calls:
        - list_files
    - calls:
        - write_file: { path: notes.md, content: seen }
    - text: That is all.
"##;

#[tokio::test]
async fn a_draft_that_is_set_in_the_middle_of_a_turn_is_stored_although_the_model_keeps_calling() {
    let place = Place::new();
    let model = Arc::new(Watched::new(DRAFT));
    let bot = place.bot_with(model.clone());
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    assert_eq!(card(&said).body, "# Plan\n\n1. Look.\n");
    assert_eq!(
        words(&said),
        ["I store the plan and go on.", "That is all."]
    );
    assert_eq!(place.text("notes.md").as_deref(), Some("seen"));
    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    assert!(!requests[0].system.contains("is waiting for approval"));
    let later = &requests[1..];
    assert!(
        later
            .iter()
            .all(|asked| asked.system.contains("is waiting for approval"))
    );
    let session = session(&bot, &said);
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("READY")
    );
}

#[tokio::test]
async fn a_draft_is_stored_although_the_model_fails_in_the_same_turn() {
    let place = Place::new();
    let bot = place.bot_with(Arc::new(Watched::failing_at(DRAFT, 2)));
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Plan it.").await;
    assert_eq!(errors(&said), ["the model cannot be reached: it is down"]);
    assert_eq!(card(&said).state, "ready");
    let said = bot.handle(&chat("a"), "/plan status").await;
    let draft = "# Plan\n\n1. Look.\n";
    let is_draft =
        |one: &Outgoing| matches!(&one.content, Content::Output { text, .. } if text == draft);
    assert!(said.iter().any(is_draft), "{said:?}");
}

#[tokio::test]
async fn a_plan_tool_that_is_called_while_plan_work_is_off_is_refused_and_nothing_changes() {
    let place = Place::new();
    let model = Arc::new(Watched::new(
        r##"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: { plan_markdown: "# Plan" }
        - plan_get
    - text: "{result.1}"
"##,
    ));
    let bot = place.bot_with(model.clone());
    let said = bot.handle(&chat("a"), "Plan it.").await;
    let session = session(&bot, &said);
    assert_eq!(journal(&session).await, Vec::<String>::new());
    assert!(session.plans().await.expect("plans").is_empty());
    let told = place.results(session.identity());
    assert_eq!(told.len(), 2);
    assert!(
        told.iter().all(|told| told.contains("not_allowed")),
        "{told:?}"
    );
    assert_eq!(
        words(&said),
        [told[0].as_str()],
        "the model received the refusal"
    );
    let shown = &model.requests()[0].tools;
    assert!(shown.iter().all(|tool| tool.name != "plan_set_content"));
}

#[tokio::test]
async fn tools_in_one_response_with_the_end_of_the_plan_do_not_run() {
    let place = Place::new();
    let bot = place.bot(
        "
- user: Write both.
  model:
    - calls:
        - write_file: { path: a.txt, content: a }
        - plan_finalize: { summary: One file }
        - write_file: { path: b.txt, content: b }
    - text: Done.
",
    );
    bot.handle(&chat("a"), "/new plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "Write both.").await;
    let session = session(&bot, &said);
    assert_eq!((place.text("a.txt"), place.text("b.txt")), (None, None));
    let told = place.results(session.identity());
    assert_eq!(told[..2], ["[Planned] write_file", "[Plan finalized]"]);
    assert!(told[2].contains("not_allowed"), "{told:?}");
    let said = bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(place.text("a.txt").as_deref(), Some("a"));
    assert_eq!(place.text("b.txt"), None, "the call is not a step");
    assert_eq!(times(&session, "step_started").await, 1);
}

#[tokio::test]
async fn the_same_task_in_two_sessions_shares_nothing() {
    let place = Place::new();
    let model = Arc::new(Watched::new(
        "
- contains: Continue with the task
  model:
    - text: Still at it.
",
    ));
    let bot = place.bot_with(model.clone());
    let here = bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    let there = bot.handle(&chat("b"), "/auto on Count the clouds.").await;
    let (here, there) = (here[0].session.clone(), there[0].session.clone());
    assert_ne!(here, there);
    // Both runs, and therefore both tasks, have the same name.
    let memory = MemoryFile::open(&place.data().join("memory.jsonl")).expect("a memory");
    let identity = Identity::new(here.channel(), here.conversation()).expect("an identity");
    let run = TaskRun::new(identity, TaskId::new("run-1").expect("a task"));
    let now = Instant::at_second(0);
    memory
        .remember(&run.write_intermediate(), "the cellar", "run", now)
        .expect("kept");
    let said = place.tick(&bot).await;
    assert_eq!(said.len(), 2, "{said:?}");
    let knows =
        |asked: &&plan_machine_host::model::ModelRequest| asked.system.contains("the cellar");
    assert_eq!(model.requests().iter().filter(knows).count(), 1);
    assert!(
        model
            .requests()
            .iter()
            .all(|asked| asked.messages.len() == 1)
    );
    bot.handle(&chat("a"), "/auto off").await;
    let said = place.tick(&bot).await;
    assert!(
        said.iter().all(|outgoing| outgoing.session == there),
        "{said:?}"
    );
    assert_eq!(said.len(), 1);
}

#[tokio::test]
async fn no_path_of_the_model_leaves_the_workspace() {
    let place = Place::new();
    fs::create_dir_all(place.inside("")).expect("a folder");
    fs::create_dir(place.outside("elsewhere")).expect("a folder");
    fs::write(place.outside("elsewhere/private.txt"), "private").expect("a file");
    symlink(place.outside("elsewhere"), place.inside("folder")).expect("a link");
    symlink(place.outside("elsewhere/private.txt"), place.inside("file")).expect("a link");
    let absolute = place.outside("elsewhere/private.txt");
    let paths = [
        "../elsewhere/private.txt",
        "down/../../elsewhere/private.txt",
        absolute.to_str().expect("UTF-8"),
        "folder/private.txt",
        "file",
        r"..\0/elsewhere/private.txt",
    ];
    for path in paths {
        let bot = place.bot(&format!(
            r#"
- user: Try.
  model:
    - calls:
        - read_file: {{ path: "{path}" }}
        - write_file: {{ path: "{path}", content: changed }}
        - search_files: {{ path: "{path}", text: private }}
        - list_files: {{ path: "{path}" }}
    - text: Tried.
"#
        ));
        let said = bot.handle(&chat(path), "Try.").await;
        assert_eq!(words(&said), ["Tried."], "the session continues");
        let told = place.results(&said[0].session);
        assert_eq!(told.len(), 4);
        for told in told {
            assert!(told.starts_with("error: "), "{path}: {told}");
        }
    }
    let outside = fs::read_dir(place.outside("elsewhere")).expect("a folder");
    assert_eq!(outside.count(), 1);
    let text = fs::read_to_string(absolute).expect("a file");
    assert_eq!(text, "private");
}

#[tokio::test]
async fn a_turn_that_is_interrupted_leaves_its_calls_in_the_history() {
    let script = r#"
- user: Work.
  model:
    - calls: [{ shell: { command: "echo one >> count; sleep 600" } }]
    - text: Never.
- user: Go on.
  model:
    - text: It was interrupted.
"#;
    let place = Place::new();
    let bot = place.bot(script);
    let chat = chat("a");
    tokio::select! {
        said = bot.handle(&chat, "Work.") => panic!("the call does not end: {said:?}"),
        () = async {
            while place.text("count").is_none() {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    let said = bot.handle(&chat, "Go on.").await;
    assert_eq!(words(&said), ["It was interrupted."]);
    let results = place.results(&said[0].session);
    assert_eq!(results, ["interrupted: the result of this call is unknown"]);
}

#[tokio::test]
async fn a_damaged_history_does_not_hold_the_plan_and_reset_repairs_it() {
    let place = Place::new();
    let bot = place.bot("- user: Hello.\n  model: [{ text: Hi. }]");
    let chat = chat("a");
    let session = active(&bot, &chat).await;
    bot.handle(&chat, "/plan on").await;
    bot.handle(&chat, "Hello.").await;
    let mut files = std::fs::read_dir(place.data().join("history")).expect("histories");
    let file = files.next().expect("one").expect("a file").path();
    std::fs::write(&file, "nonsense\n").expect("damaged");
    let said = bot.handle(&chat, "Hello.").await;
    assert!(errors(&said)[0].contains("line 1"), "{said:?}");
    let said = bot.handle(&chat, "/plan status").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("COLLECTING")
    );
    bot.handle(&chat, "/reset").await;
    assert_eq!(words(&bot.handle(&chat, "Hello.").await), ["Hi."]);
}

#[tokio::test]
async fn planning_files_are_not_copied_to_the_user_while_nothing_may_run() {
    let script = r#"
- user: Copy them.
  model:
    - calls:
        - init_plan: { task_title: A trip }
        - write_plan: { which: findings, content: "of the model" }
        - export_plan: { which: findings }
    - text: "{result.3}"
"#;
    let place = Place::new();
    std::fs::create_dir_all(place.inside("")).expect("a workspace");
    std::fs::write(place.inside("findings.md"), "of the user").expect("a file");
    let bot = place.bot(script);
    for line in ["/mode plan_mode", "/plan on", "Copy them."] {
        bot.handle(&chat("a"), line).await;
    }
    let said = bot.handle(&chat("a"), "Copy them.").await;
    assert!(
        words(&said)[0].contains("`export_plan` is not available in COLLECTING"),
        "{said:?}"
    );
    assert_eq!(place.text("findings.md").as_deref(), Some("of the user"));
}
