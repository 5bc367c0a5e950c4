//! Planning files in the bot: who opens them, where they are, and when the model learns about them.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use plan_machine_host::disk::folder_name;
use plan_machine_host::lifecycles::AutoFiles;
use plan_machine_sessions::Session;

use crate::kit::{Place, Watched, active, chat, errors, notices, state, times};

const ANY: &str = "
- user: Look around.
  model:
    - calls: [{ search_files: { text: a } }, { search_files: { text: b } }]
    - text: I have looked.
- user: Open planning files for the move, please.
  model:
    - calls: [{ init_plan: { task_title: Move } }]
    - text: They are open.
- user: Go on.
  model:
    - calls: [{ init_plan: { task_title: Move } }, list_plans, { read_plan: {} }]
    - text: I could not.
- default: [{ text: All right. }]
";

const MANY_STEPS: &str = "Move the house:\n1. pack\n2. drive\n3. unpack";

fn folder(place: &Place, session: &Session) -> PathBuf {
    let thread = folder_name(&session.identity().to_string());
    place.data().join("users").join(thread).join("plan")
}

#[tokio::test]
async fn a_message_that_looks_complex_opens_planning_files_and_says_where_they_are() {
    let place = Place::new();
    let bot = place.bot(ANY);
    let said = bot.handle(&chat("a"), MANY_STEPS).await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    let session = active(&bot, &chat("a")).await;
    assert_eq!(
        state(&session, "PlanningFiles").await.as_deref(),
        Some("OPEN")
    );
    let folder = folder(&place, &session);
    let opened = notices(&said)[0];
    assert!(opened.contains("\"Move the house:\""), "{opened}");
    assert!(opened.contains(&folder.display().to_string()), "{opened}");
    let plan = fs::read_to_string(folder.join("task_plan.md")).expect("a plan");
    assert!(plan.starts_with("# Task: Move the house:\n"), "{plan}");
    assert!(folder.join("archive").is_dir());
    for status in ["/plan status", "/files"] {
        let said = bot.handle(&chat("a"), status).await;
        let told = notices(&said).join("\n");
        assert!(told.contains(&folder.display().to_string()), "{told}");
    }
    bot.handle(&chat("a"), MANY_STEPS).await;
    assert_eq!(times(&session, "complex_task").await, 1, "files are open");
}

#[tokio::test]
async fn when_planning_files_open_by_themselves_is_a_setting() {
    let place = Place::new();
    let auto_files = AutoFiles {
        on: false,
        ..AutoFiles::default()
    };
    let place = place.with_auto_files(auto_files);
    let bot = place.bot(ANY);
    bot.handle(&chat("a"), MANY_STEPS).await;
    let session = active(&bot, &chat("a")).await;
    assert_eq!(state(&session, "PlanningFiles").await, None);
    let auto_files = AutoFiles {
        words: 2,
        ..AutoFiles::default()
    };
    let place = place.with_auto_files(auto_files);
    let bot = place.bot(ANY);
    let session = active(&bot, &chat("a")).await;
    bot.handle(&chat("a"), "two words").await;
    assert_eq!(
        state(&session, "PlanningFiles").await.as_deref(),
        Some("OPEN")
    );
}

#[tokio::test]
async fn a_person_closes_planning_files_and_finds_them_in_the_archive() {
    let place = Place::new();
    let bot = place.bot(ANY);
    let said = bot.handle(&chat("a"), "/files close").await;
    assert_eq!(errors(&said).len(), 1, "no files are open: {said:?}");
    let said = bot.handle(&chat("a"), "/plan move the house").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    let session = active(&bot, &chat("a")).await;
    let folder = folder(&place, &session);
    let archive = folder.join("archive");
    assert_eq!(fs::read_dir(&archive).expect("a folder").count(), 0);
    let said = bot.handle(&chat("a"), "/files close").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    assert_eq!(fs::read_dir(&archive).expect("a folder").count(), 1);
    assert!(!folder.join("task_plan.md").exists());
    let said = bot.handle(&chat("a"), "/files").await;
    assert!(notices(&said)[0].starts_with("No planning files are open"));
    let said = bot.handle(&chat("a"), "/plan status").await;
    assert_eq!(notices(&said), ["Plan work is off."]);
}

#[tokio::test]
async fn the_model_hears_of_planning_files_once_they_are_open_or_the_user_asks() {
    let place = Place::new();
    let model = Arc::new(Watched::new(ANY));
    let bot = place.bot_with(model.clone());
    let heard = async |line: &str| {
        bot.handle(&chat("a"), line).await;
        let requests = model.requests();
        let request = requests.last().expect("a request");
        let tools: Vec<&str> = request
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .filter(|name| name.contains("_plan"))
            .collect();
        let told = request.system.to_lowercase().contains("planning files");
        assert_eq!(tools.is_empty(), !told, "{tools:?}");
        told
    };
    assert!(!heard("Hello.").await);
    assert!(!heard("Look around.").await);
    assert!(heard("What are planning files for?").await);
    assert!(!heard("Thank you.").await);
    assert!(heard("Open planning files for the move, please.").await);
    assert!(heard("Go on.").await, "the files are open");
    bot.handle(&chat("a"), "/files close").await;
    assert!(!heard("Thank you.").await);
}

#[tokio::test]
async fn what_search_files_finds_is_logged_as_research() {
    let place = Place::new();
    let bot = place.bot(ANY);
    bot.handle(&chat("a"), "/plan move the house").await;
    bot.handle(&chat("a"), "Look around.").await;
    let session = active(&bot, &chat("a")).await;
    let findings = fs::read_to_string(folder(&place, &session).join("findings.md"));
    let findings = findings.expect("findings");
    assert_eq!(
        findings.matches("| search_files |").count(),
        2,
        "{findings}"
    );
}

#[tokio::test]
async fn a_log_that_is_full_is_reported_and_does_not_stop_the_work() {
    // Each call fails with a message of more than 200 characters, of which 200 are logged. The 100,000 characters of
    // all calls are too many for the log.
    let path = "x".repeat(250);
    let calls = format!("        - read_file: {{ path: {path} }}\n").repeat(500);
    let script =
        format!("- user: Read.\n  model:\n    - calls:\n{calls}    - text: I have read.\n");
    let place = Place::new();
    let bot = place.bot(&script);
    bot.handle(&chat("a"), "/plan move the house").await;
    let said = bot.handle(&chat("a"), "Read.").await;
    let errors = errors(&said);
    assert!(!errors.is_empty(), "{said:?}");
    for error in errors {
        assert!(error.contains("`read_file` was not logged"), "{error}");
    }
    assert_eq!(crate::kit::words(&said), ["I have read."]);
}

#[tokio::test]
async fn a_tool_of_planning_files_that_the_model_was_not_offered_is_denied() {
    let place = Place::new();
    let bot = place.bot(ANY);
    bot.handle(&chat("a"), "Go on.").await;
    let session = active(&bot, &chat("a")).await;
    assert_eq!(state(&session, "PlanningFiles").await, None);
    let results = place.results(session.identity());
    let not_open =
        "not_allowed: No planning files are open. The user opens them with `/plan TITLE`.";
    assert_eq!(results[..2], [not_open, not_open]);
    assert!(
        results[2].starts_with("not_allowed: No planning files are open."),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_title_while_planning_files_are_open_is_refused_and_says_what_to_do() {
    let place = Place::new();
    let bot = place.bot(ANY);
    bot.handle(&chat("a"), "/plan move the house").await;
    for again in ["/plan \"paint it\"", "/plan paint it"] {
        let said = bot.handle(&chat("a"), again).await;
        assert_eq!(
            errors(&said),
            [
                "planning files for \"move the house\" are already open; `/files` shows where they are, and `/files close` archives them"
            ],
            "{again}"
        );
    }
}
