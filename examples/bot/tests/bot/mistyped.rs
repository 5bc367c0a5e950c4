//! A mistyped or misplaced command produces an error that names the command, and does not open or start anything.

use crate::kit::{Place, active, card, chat, errors, notices};

pub(crate) const SCRIPT: &str = r"
- user: Begin it.
  model:
    - calls: [{ create_draft: { goal: A count } }]
    - text: Begun.
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
- contains: Continue with the task
  model:
    - text: 'DONE: four.'
- default:
    - text: Yes.
";

const MODES: [&str; 3] = ["work_by_plan", "plan_mode", "plan_builder"];

/// Sends a line that must be refused, and returns its error. The line must not produce a notice or
/// create a plan.
pub(crate) async fn refused(bot: &plan_machine_host::Host, line: &str) -> String {
    let session = active(bot, &chat("a")).await;
    let before = session.plans().await.expect("plans").len();
    let said = bot.handle(&chat("a"), line).await;
    assert_eq!(notices(&said), Vec::<&str>::new(), "{line}");
    assert_eq!(errors(&said).len(), 1, "{line}: {said:?}");
    let after = session.plans().await.expect("plans").len();
    assert_eq!(before, after, "{line} has started something");
    errors(&said)[0].to_owned()
}

#[tokio::test]
async fn a_mistyped_command_opens_no_planning_files() {
    for mode in MODES {
        let place = Place::new();
        let bot = place.bot(SCRIPT);
        bot.handle(&chat("a"), &format!("/mode {mode}")).await;
        for (line, near) in [
            ("/plan onn please", "/plan on"),
            ("/plan execut", "/plan execute"),
            ("/plan rsume", "/plan resume"),
            ("/plan stop", "/plan cancel"),
            ("/plan help", "/help"),
            ("/plan list", "/plan show"),
            ("/plan delete", "/plan cancel"),
        ] {
            let told = refused(&bot, line).await;
            assert!(
                told.contains(&format!("did you mean `{near}")),
                "{mode}: {told}"
            );
            let title = line.strip_prefix("/plan ").expect("a title");
            assert!(told.contains(&format!("`/plan \"{title}\"`")), "{told}");
        }
    }
}

#[tokio::test]
async fn the_start_of_another_modes_command_is_not_a_title() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/mode plan_builder").await;
    assert_eq!(
        refused(&bot, "/plan of").await,
        "unknown command `/plan of`; did you mean `/plan off`, a command of the mode plan_mode? \
         (For planning files with this title, put the title in quotes: `/plan \"of\"`.)"
    );
}

#[tokio::test]
async fn planning_files_with_a_title_that_starts_like_a_command_are_opened_by_quotes() {
    for title in ["on the road", "off", "end of the year", "approve me"] {
        let place = Place::new();
        let bot = place.bot(SCRIPT);
        let said = bot.handle(&chat("a"), &format!("/plan \"{title}\"")).await;
        assert_eq!(errors(&said), Vec::<&str>::new(), "{said:?}");
        let told = notices(&said)[0];
        let expected = format!("Planning files for \"{title}\" are open in ");
        assert!(told.starts_with(&expected), "{told}");
        let said = bot.handle(&chat("a"), "/plan \" \"").await;
        assert!(errors(&said)[0].contains("`/plan TITLE`"), "{said:?}");
    }
}

#[tokio::test]
async fn an_unknown_option_starts_no_run() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    assert_eq!(
        refused(&bot, "/auto on --gaol ship Count the clouds.").await,
        "`/auto on` has no option `--gaol`; did you mean `/auto on --goal GOAL INSTRUCTIONS...`? \
         (If the instructions start with that word, put it in quotes.)"
    );
    refused(&bot, "/auto on --goal").await;
}

#[tokio::test]
async fn a_command_of_other_modes_is_named_with_all_of_them() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    for (line, of) in [
        ("/plan off", "plan_mode"),
        ("/plan resume", "plan_mode"),
        ("/plan reject", "plan_builder"),
    ] {
        assert_eq!(
            refused(&bot, line).await,
            format!(
                "`{line}` is a command of the mode {of}, but this conversation is in work_by_plan. \
                 `/mode {of}` changes the mode."
            )
        );
    }
    bot.handle(&chat("a"), "/mode plan_builder").await;
    assert_eq!(
        refused(&bot, "/plan on").await,
        "`/plan on` is a command of the modes work_by_plan and plan_mode, but this conversation is in plan_builder. \
         To start a plan in this mode, say what to plan. `/mode work_by_plan` changes the mode."
    );
}

#[tokio::test]
async fn help_lists_what_is_taken_now_and_nothing_else() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/help").await;
    let help = notices(&said).join("\n");
    for absent in [
        "/plan end",
        "/promote",
        "{",
        "PLAN_ID",
        "[INSTRUCTIONS",
        "[TITLE",
    ] {
        assert!(!help.contains(absent), "{absent}: {help}");
    }
    for there in [
        "/auto on INSTRUCTIONS...  ",
        "/auto on --goal GOAL INSTRUCTIONS...  ",
        "/auto off [RUN]  ",
        "/plan TITLE...  ",
        "/plan show [PLAN]  ",
    ] {
        assert!(help.contains(there), "{there}: {help}");
    }
    bot.handle(&chat("a"), "/memory Tea.").await;
    let said = bot.handle(&chat("a"), "/help").await;
    assert!(notices(&said).join("\n").contains("/promote NUMBER"));
}

#[tokio::test]
async fn help_says_how_a_plan_starts_in_every_mode() {
    for (mode, how) in MODES.iter().zip([
        "/plan on",
        "/plan on",
        "Say what to plan: the planner builds the plan",
    ]) {
        let place = Place::new();
        let bot = place.bot(SCRIPT);
        bot.handle(&chat("a"), &format!("/mode {mode}")).await;
        let said = bot.handle(&chat("a"), "/help").await;
        assert!(notices(&said).join("\n").contains(how), "{mode}: {said:?}");
    }
}

#[tokio::test]
async fn planning_files_are_opened_and_refused_in_words() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    assert_eq!(
        refused(&bot, "/files close").await,
        "No planning files are open. `/plan TITLE` opens planning files."
    );
    let told = refused(&bot, "/plan").await;
    assert!(
        told.contains("`/plan TITLE` opens planning files") && !told.contains("task_title"),
        "{told}"
    );
    let said = bot.handle(&chat("a"), "/plan Move the house").await;
    let told = notices(&said);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("Planning files for \"Move the house\" are open"));
}

#[tokio::test]
async fn a_plan_or_a_run_that_there_is_not_is_named_with_those_that_there_are() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    assert_eq!(
        refused(&bot, "/auto off run-7").await,
        "there is no run `run-7`, and no run is active"
    );
    for _ in 0..2 {
        bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    }
    assert_eq!(
        refused(&bot, "/auto off run-7").await,
        "there is no run `run-7`; active runs: `run-1` and `run-2`"
    );
    bot.handle(&chat("a"), "/auto off run-1").await;
    assert_eq!(
        refused(&bot, "/auto off run-1").await,
        "run-1 has already ended: it was stopped"
    );
    place.tick(&bot).await;
    assert_eq!(
        refused(&bot, "/auto off run-2").await,
        "run-2 has already ended: it was completed"
    );
    bot.handle(&chat("a"), "/mode plan_mode").await;
    assert_eq!(
        refused(&bot, "/plan cancel plan-9").await,
        "there is no plan `plan-9`, and no other plan is open"
    );
    bot.handle(&chat("a"), "/plan on").await;
    let told = refused(&bot, "/plan cancel plan-9").await;
    assert!(
        told.starts_with("there is no plan `plan-9`; open plan: `plan-"),
        "{told}"
    );
    bot.handle(&chat("b"), "/new plan_builder").await;
    bot.handle(&chat("b"), "Plan it.").await;
    let said = bot.handle(&chat("b"), "/plan status plan-9").await;
    assert_eq!(
        errors(&said),
        ["there is no plan `plan-9`; open plan: `plan-1`"]
    );
}

#[tokio::test]
async fn an_id_or_a_token_in_other_capitals_is_suggested_as_it_is() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/auto on Count the clouds.").await;
    assert_eq!(
        refused(&bot, "/auto off Run-1").await,
        "there is no run `Run-1`; did you mean `/auto off run-1`?"
    );
    // The timer of a run starts the run's next turn; it does not limit the time for an approval.
    let shown = bot.handle(&chat("a"), "/plan show run-1").await;
    assert_eq!(card(&shown).expires, None);
    assert_eq!(
        refused(&bot, "/plan approve 1-7F9F9BDC").await,
        "unknown token `1-7F9F9BDC`; did you mean `/plan approve 1-7f9f9bdc`?"
    );
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    for (line, named, meant) in [
        ("/plan show PLAN-1", "PLAN-1", "/plan show plan-1"),
        ("/plan reject Plan-1 no", "Plan-1", "/plan reject plan-1 no"),
        ("/plan approve PLAN-1", "PLAN-1", "/plan approve plan-1"),
        ("/plan status Plan-1", "Plan-1", "/plan status plan-1"),
        ("/plan execute plan1", "plan1", "/plan execute plan-1"),
    ] {
        assert_eq!(
            refused(&bot, line).await,
            format!("there is no plan `{named}`; did you mean `{meant}`?")
        );
    }
    // The id would otherwise be part of the reason for the rejection of another plan.
    assert_eq!(
        refused(&bot, "/plan reject plan-9 no").await,
        "there is no plan `plan-9`; open plan: `plan-1`"
    );
    for named in [
        "plan-9,",
        "plan-9:",
        "\"plan-9\"",
        "(plan-9)",
        "`plan-9`",
        "plan 9",
        "pln-9",
        "paln-9",
        "plans-9",
        "plan–9",
        "plan-1-9",
        "plan-x",
        "run-1",
    ] {
        let told = refused(&bot, &format!("/plan reject {named} no")).await;
        assert!(told.starts_with("there is no plan `"), "{named}: {told}");
    }
    let shown = bot.handle(&chat("a"), "/Plan Show plan-1").await;
    assert!(errors(&shown).is_empty(), "{shown:?}");
    let said = bot
        .handle(&chat("a"), "/plan reject planned too early")
        .await;
    assert_eq!(notices(&said), ["plan-1 is rejected."]);
}

#[tokio::test]
async fn what_is_left_out_is_asked_for_and_what_does_not_fit_is_named() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    assert_eq!(
        refused(&bot, "/promote").await,
        "this conversation has no memories; use `/memory TEXT` to add one"
    );
    bot.handle(&chat("a"), "/memory Tea.").await;
    for (line, expected) in [
        ("/promote", "`/promote` needs a number: `/promote NUMBER`"),
        ("/promote 2", "unknown item `2`; `/memory` lists"),
        ("/switch", "`/switch` needs a conversation: `/switch NAME`"),
        ("/help me", "`/help` takes no arguments, found `me`"),
        ("/exit now", "`/exit` takes no arguments, found `now`"),
        ("/where am I", "`/where` takes no arguments, found `am I`"),
    ] {
        let told = refused(&bot, line).await;
        assert!(told.starts_with(expected), "{told}");
    }
    bot.handle(&chat("a"), "/mode plan_mode").await;
    bot.handle(&chat("a"), "/plan on").await;
    let told = refused(&bot, "/plan stop-on-failure maybe").await;
    assert!(
        told.contains("expected `on` or `off`, found `maybe`"),
        "{told}"
    );
    let told = refused(&bot, "/plan stop-on-failure").await;
    assert!(
        told.contains("did you mean `/plan stop-on-failure SETTING`? (") && !told.contains("?;"),
        "{told}"
    );
}

#[tokio::test]
async fn counts_agree_with_what_is_counted() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/mode plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    let said = bot.handle(&chat("a"), "/plan status").await;
    assert_eq!(
        notices(&said),
        ["plan-1, proposal: 0 of 1 step done, A count"]
    );
}

#[tokio::test]
async fn a_decision_about_a_plan_is_said_once() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/mode plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    let said = bot.handle(&chat("a"), "/plan approve").await;
    assert_eq!(
        notices(&said),
        ["plan-1 is approved; `/plan execute plan-1` carries it out."]
    );
    let said = bot.handle(&chat("a"), "/plan cancel plan-1").await;
    assert_eq!(notices(&said), ["plan-1 is cancelled."]);
    bot.handle(&chat("a"), "Plan it.").await;
    let said = bot.handle(&chat("a"), "/plan reject plan-2 no").await;
    assert_eq!(notices(&said), ["plan-2 is rejected."]);
    bot.handle(&chat("b"), "/new plan_mode").await;
    bot.handle(&chat("b"), "/plan on").await;
    let said = bot.handle(&chat("b"), "/plan cancel").await;
    assert_eq!(
        notices(&said),
        ["Plan mode is off.", "The plan plan-1 is cancelled."]
    );
}

#[tokio::test]
async fn a_conversation_without_a_title_is_told_how_to_get_one() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), "/title").await;
    assert_eq!(
        notices(&said),
        ["This conversation has no title yet; `/title TEXT` gives it one."]
    );
}

#[tokio::test]
async fn a_title_of_planning_files_ends_with_a_whole_word() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let said = bot.handle(&chat("a"), &"planning ".repeat(60)).await;
    let told = notices(&said)[0];
    let expected = format!("Planning files for \"{}…\" are", ["planning"; 11].join(" "));
    assert!(told.starts_with(&expected), "{told}");
}

#[tokio::test]
async fn a_plan_of_the_builder_says_in_words_why_it_does_not_take_a_command() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/mode plan_builder").await;
    assert_eq!(
        refused(&bot, "/plan approve").await,
        "no plan is waiting for a decision; `/plan show` shows the open plans"
    );
    bot.handle(&chat("a"), "Begin it.").await;
    assert_eq!(
        refused(&bot, "/plan approve plan-1").await,
        "`/plan approve` does not apply: plan-1 is still a draft; ask the planner to submit it"
    );
    bot.handle(&chat("a"), "/new plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    assert_eq!(
        refused(&bot, "/plan execute plan-1").await,
        "`/plan execute` does not apply: plan-1 is waiting for your decision; type `/plan approve \
         plan-1` or `/plan reject plan-1 REASON`"
    );
    bot.handle(&chat("a"), "/plan approve plan-1").await;
    assert_eq!(
        refused(&bot, "/plan execute again plan-1").await,
        "`/plan execute again` does not apply: plan-1 is already approved; `/plan execute plan-1` carries it out"
    );
    bot.handle(&chat("a"), "/plan cancel plan-1").await;
    assert_eq!(
        refused(&bot, "/plan execute plan-1").await,
        "`/plan execute` does not apply: plan-1 was cancelled; ask for another plan"
    );
}

#[tokio::test]
async fn a_token_a_plan_or_a_word_like_a_subcommand_opens_no_planning_files() {
    for mode in MODES {
        let place = Place::new();
        let bot = place.bot(SCRIPT);
        bot.handle(&chat("a"), &format!("/mode {mode}")).await;
        for line in [
            "/plan 1-7f9f9bdc",
            "/plan 1-7F9F9BDC",
            "/plan plan-1",
            "/plan Plan-1",
            "/plan plan-1 approve",
            "/plan close",
            "/plan start",
            "/plan exit",
        ] {
            let told = refused(&bot, line).await;
            assert!(told.contains("did you mean "), "{mode}: {told}");
        }
        let said = bot.handle(&chat("a"), "/plan Holidays").await;
        let opened = "Planning files for \"Holidays\" are open in ";
        assert!(notices(&said)[0].starts_with(opened), "{said:?}");
    }
}

#[tokio::test]
async fn a_title_that_is_too_long_is_called_a_title() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    let title = "x".repeat(250);
    for line in [format!("/plan {title}"), format!("/plan \"{title}\"")] {
        assert_eq!(
            refused(&bot, &line).await,
            "the title has 250 characters, but at most 200 are allowed"
        );
    }
}

#[tokio::test]
async fn a_conversation_whose_plans_have_ended_has_no_open_plan() {
    let place = Place::new();
    let bot = place.bot(SCRIPT);
    bot.handle(&chat("a"), "/mode plan_builder").await;
    bot.handle(&chat("a"), "Plan it.").await;
    bot.handle(&chat("a"), "/plan reject plan-1 no").await;
    assert_eq!(
        refused(&bot, "/plan approve").await,
        "no plan is waiting for a decision; `/plan show` shows the open plans"
    );
    for line in ["/plan show", "/plan status"] {
        let said = bot.handle(&chat("a"), line).await;
        let ended = "plan-1 (rejected) has ended; `/plan show plan-1` shows it.";
        assert_eq!(notices(&said), ["There is no open plan.", ended], "{line}");
    }
}

#[tokio::test]
async fn a_title_that_starts_with_a_short_word_needs_no_quotes() {
    for title in ["an outing", "of mice and men", "one day at the lake"] {
        let place = Place::new();
        let bot = place.bot(SCRIPT);
        let said = bot.handle(&chat("a"), &format!("/plan {title}")).await;
        let expected = format!("Planning files for \"{title}\" are open in ");
        assert!(notices(&said)[0].starts_with(&expected), "{said:?}");
        assert!(refused(&bot, "/plan an").await.contains("did you mean"));
    }
}
