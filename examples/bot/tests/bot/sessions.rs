//! Conversations do not affect each other, and each can be found again.

use std::fs;
use std::path::Path;

use plan_bot::bot::MODES;
use plan_machine_host::chats::{Chats, Keys};

use plan_machine_sessions::SessionIdentity;

use crate::kit::{Place, active, card, chat, errors, notices, session, state, words};

const SCRIPT: &str = r##"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: { plan_markdown: "# Plan" }
    - text: There it is.
- default:
    - text: "{tools}"
"##;

#[tokio::test]
async fn plan_work_in_one_conversation_does_not_affect_another() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/plan on").await;
    let there = bot.handle(&chat("b"), "Hello").await;
    assert!(!words(&there)[0].contains("plan_set_content"), "{there:?}");
    let here = bot.handle(&chat("a"), "Hello").await;
    assert!(words(&here)[0].contains("plan_set_content"), "{here:?}");
    assert_ne!(here[0].session, there[0].session);
    let other = session(&bot, &there);
    assert_eq!(state(&other, "WorkByPlan").await, None);
    let history = place.history(other.identity());
    assert_eq!(
        history.messages().len(),
        2,
        "each conversation has its own history"
    );
}

#[tokio::test]
async fn conversations_are_started_listed_and_switched() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let chat = chat("a");
    bot.handle(&chat, "/plan on").await;
    let first = active(&bot, &chat).await;
    let said = bot.handle(&chat, "/new plan_builder").await;
    assert!(notices(&said)[0].contains("plan_builder"), "{said:?}");
    let second = active(&bot, &chat).await;
    assert_ne!(first.identity(), second.identity());
    let (old, new) = (
        first.identity().conversation(),
        second.identity().conversation(),
    );
    let said = bot.handle(&chat, "/sessions").await;
    let list = format!(
        "  1  an untitled conversation  work_by_plan  {old}\n* 2  an untitled conversation  plan_builder  {new}"
    );
    assert_eq!(notices(&said).join("\n"), list);
    bot.handle(&chat, &format!("/switch {old}")).await;
    assert_eq!(active(&bot, &chat).await.identity(), first.identity());
    bot.handle(&chat, "Tea, please.\nOr coffee.").await;
    let said = bot.handle(&chat, "/sessions").await;
    let list = format!(
        "* 1  “Tea, please.”  work_by_plan  {old}\n  2  an untitled conversation  plan_builder  {new}"
    );
    assert_eq!(notices(&said).join("\n"), list);
    bot.handle(&chat, "/title Drinks").await;
    let said = bot.handle(&chat, "/switch 2").await;
    assert_eq!(notices(&said), ["Switched to an untitled conversation."]);
    let said = bot.handle(&chat, "/switch drinks").await;
    assert_eq!(notices(&said), ["Switched to “Drinks”."]);
    assert_eq!(
        state(&first, "WorkByPlan").await.as_deref(),
        Some("COLLECTING")
    );
    let said = bot.handle(&chat, "/new nonsense").await;
    assert_eq!(errors(&said).len(), 1);
    assert_eq!(active(&bot, &chat).await.identity(), first.identity());
}

#[tokio::test]
async fn a_chat_whose_conversation_is_gone_continues_in_another() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let first = active(&bot, &chat("a")).await.identity().clone();
    bot.handle(&chat("a"), "/new").await;
    let second = active(&bot, &chat("a")).await.identity().clone();
    drop(bot);
    let file = place.data().join("chats.yaml");
    forget(&file, &second);
    let bot = place.bot(SCRIPT);
    assert_eq!(*active(&bot, &chat("a")).await.identity(), first);
    drop(bot);
    forget(&file, &first);
    let bot = place.bot(SCRIPT);
    let third = active(&bot, &chat("a")).await.identity().clone();
    assert!(third != first && third != second);
    let bot = place.bot(SCRIPT);
    assert_eq!(
        *active(&bot, &chat("a")).await.identity(),
        third,
        "the chat stays in this conversation"
    );
}

#[tokio::test]
async fn a_chat_never_enters_a_conversation_that_another_chat_has_started() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let mine = active(&bot, &chat("a")).await.identity().clone();
    let theirs = active(&bot, &chat("b")).await.identity().clone();
    let said = bot.handle(&chat("a"), "/sessions").await;
    assert_eq!(
        notices(&said),
        [format!(
            "* 1  an untitled conversation  work_by_plan  {}",
            mine.conversation()
        )]
    );
    let switch = format!("/switch {}", theirs.conversation());
    assert_eq!(errors(&bot.handle(&chat("a"), &switch).await).len(), 1);
    drop(bot);
    let file = place.data().join("chats.yaml");
    forget(&file, &mine);
    let bot = place.bot(SCRIPT);
    assert_ne!(*active(&bot, &chat("a")).await.identity(), theirs);
}

/// Removes a conversation from the list, as a person with an editor might.
fn forget(file: &Path, session: &SessionIdentity) {
    let text = fs::read_to_string(file).expect("a list");
    let begins = format!("- name: {session}");
    let mut kept = Vec::new();
    let mut in_it = false;
    for line in text.lines() {
        let item = line.trim_start().strip_prefix("- ");
        if item.is_some() || !line.starts_with(' ') {
            in_it = line.trim_start() == begins;
        }
        if !in_it {
            kept.push(line);
        }
    }
    assert!(kept.len() < text.lines().count(), "{text}");
    kept.retain(|line| !line.starts_with("# digest"));
    fs::write(file, kept.join("\n")).expect("written");
}

#[tokio::test]
async fn conversations_with_older_keys_can_be_read() {
    let place = Place::new();
    fs::create_dir_all(place.data()).expect("a folder");
    let kept = "active: { \"terminal:a\": \"42\" }\nconversations: [{ name: \"terminal:42\", mode: plan_mode, chat: a }]\n";
    fs::write(place.data().join("chats.yaml"), kept).expect("a file");
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/mode").await;
    assert_eq!(said[0].session.to_string(), "terminal:42");
    assert_eq!(notices(&said), ["The mode is plan_mode."]);
    let said = bot.handle(&chat("a"), "/help").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    // The conversation can still be read, but starting a session with such a key is refused.
    let said = bot.handle(&chat("a"), "/plan on").await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    let said = bot.handle(&chat("a"), "/new").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
}

#[tokio::test]
async fn another_mode_keeps_the_plans_of_the_first() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/plan on").await;
    let token = card(&bot.handle(&chat("a"), "Plan it.").await).token;
    bot.handle(&chat("a"), "/mode plan_mode").await;
    let said = bot.handle(&chat("a"), "/plan status").await;
    assert_eq!(notices(&said), ["Plan mode is off."]);
    let said = bot
        .handle(&chat("a"), &format!("/plan approve {token}"))
        .await;
    assert_eq!(errors(&said).len(), 1, "{said:?}");
    bot.handle(&chat("a"), "/mode work_by_plan").await;
    let said = bot
        .handle(&chat("a"), &format!("/plan approve {token}"))
        .await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    let session = session(&bot, &said);
    assert_eq!(
        state(&session, "WorkByPlan").await.as_deref(),
        Some("EXECUTING")
    );
}

#[tokio::test]
async fn help_lists_the_commands_of_the_specs_with_what_they_say_of_them() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/help").await;
    let help = notices(&said).join("\n");
    for (command, doc) in [
        ("/plan on", "Start plan work with an empty plan."),
        ("/auto off [RUN]", "Stop the run with this id"),
        ("/switch NAME", "Switch to another conversation"),
    ] {
        let mut lines = help.lines();
        let line = lines.find(|line| line.starts_with(command));
        assert!(
            line.is_some_and(|line| line.contains(doc)),
            "{command}: {help}"
        );
    }
    assert!(
        !help.contains("/plan approve"),
        "there is nothing to approve"
    );
    bot.handle(&chat("a"), "/plan on").await;
    bot.handle(&chat("a"), "Plan it.").await;
    let said = bot.handle(&chat("a"), "/help").await;
    let help = notices(&said).join("\n");
    assert!(help.contains("/plan approve [TOKEN]"));
    assert!(!help.contains("/plan on "), "plan work is already on");
    let said = bot.handle(&chat("a"), "/sesions").await;
    assert_eq!(
        errors(&said),
        ["unknown command `/sesions`; did you mean `/sessions`?"]
    );
}

#[tokio::test]
async fn a_card_is_shown_again_by_a_command_and_where_its_conversation_is_back() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/plan show").await;
    assert_eq!(
        notices(&said),
        ["There is no open plan. `/plan on` starts one."]
    );
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "/plan show").await;
    assert_eq!(
        notices(&said),
        ["plan-1 has no content yet; its state is collecting."]
    );
    let shown = card(&bot.handle(&chat("a"), "Plan it.").await);
    let said = bot.handle(&chat("a"), "/plan show").await;
    assert_eq!(card(&said), shown);
    bot.handle(&chat("a"), "/new").await;
    let said = bot.handle(&chat("a"), "/switch 1").await;
    assert_eq!(card(&said), shown);
    bot.handle(&chat("a"), "/plan approve").await;
    let said = bot.handle(&chat("a"), "/plan show").await;
    let shown = card(&said);
    assert_eq!(
        (shown.state.as_str(), shown.commands.len()),
        ("executing", 0)
    );
    for line in ["/plan aprove the plan", "/plan shwo"] {
        let said = bot.handle(&chat("a"), line).await;
        assert!(errors(&said)[0].contains("did you mean"), "{said:?}");
    }
}

#[tokio::test]
async fn plans_that_have_ended_are_listed_and_can_be_shown() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/plan on").await;
    let shown = card(&bot.handle(&chat("a"), "Plan it.").await);
    bot.handle(&chat("a"), "/plan cancel").await;
    let ended = "plan-1 (cancelled) has ended; `/plan show plan-1` shows it.";
    for (line, none) in [
        (
            "/plan show",
            "There is no open plan. `/plan on` starts one.",
        ),
        ("/plan status", "Plan work is off."),
        ("/plan show plan-7", "There is no plan `plan-7`."),
    ] {
        let said = bot.handle(&chat("a"), line).await;
        assert_eq!(notices(&said), [none, ended]);
    }
    let said = bot.handle(&chat("a"), "/plan show plan-1").await;
    let again = card(&said);
    assert_eq!(
        (again.state.as_str(), again.body),
        ("cancelled", shown.body)
    );
    assert_eq!(again.commands, Vec::<String>::new());
    let said = bot.handle(&chat("a"), "/plan show Plan-1").await;
    assert_eq!(
        errors(&said),
        ["there is no plan `Plan-1`; did you mean `/plan show plan-1`?"]
    );
    bot.handle(&chat("a"), "/plan on").await;
    let said = bot.handle(&chat("a"), "/plan status").await;
    assert_eq!(notices(&said).len(), 1, "{said:?}");
    bot.handle(&chat("a"), "/plan done").await;
    let said = bot.handle(&chat("a"), "/plan show").await;
    assert_eq!(
        notices(&said)[1],
        "The plans that have ended: plan-2 (closed), plan-1 (cancelled). `/plan show PLAN` shows one of them."
    );
    let said = bot.handle(&chat("a"), "/plan show plan-2").await;
    assert_eq!(
        notices(&said),
        ["plan-2 has no content; its state is closed."]
    );
}

#[tokio::test]
async fn what_one_conversation_remembers_another_learns_only_by_promotion() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/memory Tea, not coffee.").await;
    bot.handle(&chat("b"), "/new").await;
    let said = bot.handle(&chat("b"), "/memory").await;
    assert_eq!(notices(&said), ["There are no memories."]);
    let said = bot.handle(&chat("b"), "/promote 1").await;
    assert_eq!(
        errors(&said).len(),
        1,
        "a conversation cannot promote an item that it cannot see"
    );
    let said = bot.handle(&chat("a"), "/promote 1").await;
    assert_eq!(errors(&said), Vec::<&str>::new());
    let said = bot.handle(&chat("b"), "/memory").await;
    assert_eq!(notices(&said), ["1. Tea, not coffee. (every conversation)"]);
    let said = bot.handle(&chat("a"), "/promote 1").await;
    assert_eq!(
        notices(&said),
        ["Every conversation already has this memory."]
    );
    let said = bot.handle(&chat("b"), "/memory").await;
    assert_eq!(notices(&said), ["1. Tea, not coffee. (every conversation)"]);
}

#[test]
fn the_first_lines_of_a_chat_start_one_conversation_however_many_come_at_once() {
    for keys in [Keys::Random, Keys::Numbered] {
        let folder = tempfile::tempdir().expect("a folder");
        let chats = Chats::open(&folder.path().join("chats.yaml"), keys, MODES.into());
        let chats = chats.expect("chats");
        let together = std::sync::Barrier::new(8);
        let begun = std::thread::scope(|scope| {
            let ask = || {
                together.wait();
                chats.active(&chat("a")).expect("a conversation")
            };
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            let begun = asked
                .into_iter()
                .map(|asked| asked.join().expect("no panic"));
            begun.collect::<Vec<_>>()
        });
        assert!(begun.iter().all(|one| *one == begun[0]), "{begun:?}");
        assert_eq!(chats.conversations(&chat("a")).len(), 1);
    }
}

#[test]
fn the_key_of_a_new_conversation_is_never_one_that_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chats.yaml");
    let begin = || {
        let chats = Chats::open(&file, Keys::Numbered, MODES.into()).expect("chats");
        chats.begin(&chat("a"), MODES[0]).expect("begun")
    };
    let (first, second) = (begin(), begin());
    forget(&file, &first);
    assert_ne!(begin(), second);
}

#[test]
fn a_damaged_list_of_conversations_is_reported_and_no_mode_is_guessed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chats.yaml");
    let chats = Chats::open(&file, Keys::Random, MODES.into()).expect("none yet");
    chats.begin(&chat("a"), "plan_mode").expect("begun");
    let whole = fs::read_to_string(&file).expect("a file");
    // Without the digest, only the content shows the damage.
    let (_digest, whole) = whole.split_once('\n').expect("a digest");
    for damaged in [
        whole.replace("plan_mode", "plan_mod"),
        whole.replace("terminal:", "terminal "),
        whole.replace("conversations", "conversation"),
        String::new(),
    ] {
        fs::write(&file, &damaged).expect("written");
        let error = Chats::open(&file, Keys::Random, MODES.into());
        let error = error.expect_err("the file is damaged").to_string();
        assert!(error.contains("chats.yaml"), "{error}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), damaged);
    }
}

#[test]
fn a_list_of_conversations_that_was_altered_or_cut_off_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chats.yaml");
    let open = || Chats::open(&file, Keys::Numbered, MODES.into());
    let chats = open().expect("none yet");
    for _ in 0..2 {
        chats.begin(&chat("a"), MODES[0]).expect("begun");
    }
    let whole = fs::read_to_string(&file).expect("a file");
    let (cut_off, _) = whole
        .split_once("- name: terminal:conversation-2")
        .expect("two");
    for altered in [
        whole.replace("conversation-1", "conversatio`-1"),
        cut_off.to_owned(),
    ] {
        fs::write(&file, altered).expect("written");
        let error = open().expect_err("the file was altered").to_string();
        assert!(error.contains("does not match the digest"), "{error}");
    }
    // Files of earlier versions have no digest, and a person may remove it.
    let (_digest, older) = whole.split_once('\n').expect("a digest");
    for whole in [older, &whole] {
        fs::write(&file, whole).expect("written");
        assert_eq!(open().expect("whole").conversations(&chat("a")).len(), 2);
    }
}
