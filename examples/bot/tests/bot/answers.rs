//! The answers that a person receives.

use std::fs;

use crate::kit::{Place, chat, errors, notices, words};

const SCRIPT: &str = "
- default:
    - text: Yes.
";

#[tokio::test]
async fn ending_a_plan_that_is_not_damaged_is_answered_and_opens_no_files() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    for line in ["/plan end", "/plan end plan-1"] {
        let said = bot.handle(&chat("a"), line).await;
        assert_eq!(
            errors(&said),
            [
                "`/plan end` ends a damaged plan, but no plan is damaged; `/plan cancel` cancels a plan"
            ]
        );
        assert_eq!(notices(&said), Vec::<&str>::new());
    }
    let said = bot.handle(&chat("a"), "/plan end of the year").await;
    assert!(
        errors(&said)[0].contains("`/plan \"end of the year\"`"),
        "{said:?}"
    );
    assert_eq!(notices(&said), Vec::<&str>::new());
}

#[tokio::test]
async fn a_memory_that_cannot_be_read_is_reported_and_the_talk_continues() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/memory It rains.").await;
    let file = place.data().join("memory.jsonl");
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("made");
    let said = bot.handle(&chat("a"), "Hello.").await;
    let told = errors(&said)[0];
    assert!(
        told.starts_with("the model receives no memories: "),
        "{told}"
    );
    assert_eq!(words(&said), ["Yes."]);
}

#[tokio::test]
async fn a_memory_that_is_damaged_is_reported_when_the_bot_starts() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/new").await;
    bot.handle(&chat("a"), "/memory It rains.").await;
    assert_eq!(errors(&bot.take_up().await.expect("taken up")), [""; 0]);
    drop(bot);
    let file = place.data().join("memory.jsonl");
    let whole = fs::read_to_string(&file).expect("a memory");
    fs::write(&file, whole.replace("\"scope\"", "\"scope")).expect("written");
    let bot = place.bot(SCRIPT);
    let said = bot.take_up().await.expect("taken up");
    let told = errors(&said);
    assert_eq!(told.len(), 1, "{said:?}");
    assert!(
        told[0].starts_with("line 2 of the memory file cannot be read: "),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_refusal_is_reported_without_its_kind() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/plan approve 1-7f9f9bdc").await;
    let told = errors(&said)[0];
    assert!(
        !told.starts_with("not_allowed") && !told.starts_with("stale"),
        "{told}"
    );
}

#[tokio::test]
async fn an_answer_of_nothing_but_line_breaks_is_reported() {
    let place = Place::new();
    let bot = place.bot("- default:\n    - text: \"\\n\\n \\n\"\n");
    let said = bot.handle(&chat("a"), "Hello.").await;
    assert_eq!(words(&said), [""; 0]);
    assert_eq!(notices(&said), ["The model's answer was empty."]);
}
