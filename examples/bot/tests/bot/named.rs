//! Commands that name a plan: one of another mode, one in quotes, or more than one.

use crate::kit::{Place, card, chat, notices};
use crate::mistyped::{SCRIPT, refused};

#[tokio::test]
async fn a_plan_of_another_mode_is_named_with_its_mode() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let of_another = "plan-1 is a plan of the mode work_by_plan, but this conversation is in plan_mode. \
                      `/mode work_by_plan` changes the mode.";
    bot.handle(&chat("a"), "/plan on").await;
    bot.handle(&chat("a"), "/mode plan_mode").await;
    for line in [
        "/plan show plan-1",
        "/plan show Plan-1",
        "/plan cancel plan-1",
        "/plan end plan-1",
    ] {
        assert_eq!(refused(&bot, line).await, of_another, "{line}");
    }
    bot.handle(&chat("a"), "/mode work_by_plan").await;
    bot.handle(&chat("a"), "/plan cancel").await;
    bot.handle(&chat("a"), "/mode plan_mode").await;
    assert_eq!(refused(&bot, "/plan show plan-1").await, of_another);
}

#[tokio::test]
async fn words_after_a_command_are_refused_with_what_was_expected() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    assert_eq!(
        refused(&bot, "/plan show plan-1 plan-2").await,
        "`/plan show` takes at most one plan, found `plan-1 plan-2`. \
         (For planning files with this title, put the title in quotes: `/plan \"show plan-1 plan-2\"`.)"
    );
    bot.handle(&chat("a"), "/mode plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    assert_eq!(
        refused(&bot, "/plan resume agian").await,
        "unknown command `/plan resume agian`; did you mean `/plan resume again`?"
    );
}

#[tokio::test]
async fn an_id_in_quotes_is_the_id() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/new plan_builder").await;
    for plan in ["plan-1", "plan-2"] {
        bot.handle(&chat("a"), "Plan it.").await;
        let said = bot
            .handle(&chat("a"), &format!("/plan show \"{plan}\""))
            .await;
        assert_eq!(card(&said).plan, plan);
    }
    let said = bot
        .handle(&chat("a"), "/plan reject \"plan-2\" too early")
        .await;
    assert_eq!(notices(&said), ["plan-2 is rejected."]);
    // The model has answered since the card was shown, so the first line shows the card again.
    bot.handle(&chat("a"), "/plan approve \"plan-1\"").await;
    let said = bot.handle(&chat("a"), "/plan approve \"plan-1\"").await;
    let approved = "plan-1 is approved; `/plan execute plan-1` carries it out.";
    assert!(notices(&said).contains(&approved), "{said:?}");
}
