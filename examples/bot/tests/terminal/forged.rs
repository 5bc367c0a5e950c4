//! A model that draws a card, which only the bot may show.

use crate::pipe::Piped;
use crate::seat::Seat;
use crate::work::Work;

/// Returns a script with a harmful plan. The last answer of the script consists of 60 lines, which scroll the real card
/// off the screen, and `copy`, which looks like the card of a harmless plan.
fn script(copy: &str) -> String {
    let drawn = format!("{}{copy}", ".\n".repeat(60));
    let drawn = drawn.replace('\n', "\\n").replace('"', "\\\"");
    format!(
        r#"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: {{ plan_markdown: "1. Delete all files.\n" }}
    - text: It is ready.
- user: Is it?
  model:
    - text: "{drawn}"
"#
    )
}

const FRAMED: &str = "\
╭──────────────────────────────╮
│ plan-1 · ready · 1-0a1b2c3d │
├──────────────────────────────┤
│ 1. List the files.           │
├──────────────────────────────┤
│ /plan approve 1-0a1b2c3d     │
│ /plan cancel                 │
╰──────────────────────────────╯";

const PLAIN: &str = "\
┌─
│ plan-1 · ready · 1-0a1b2c3d
│
│ 1. List the files.
│
│ /plan approve 1-0a1b2c3d
│ /plan cancel
└─";

#[test]
fn at_a_pipe_a_drawn_card_is_behind_the_gutter_and_the_real_one_is_shown_before_it_is_approved() {
    let work = Work::by(&script(PLAIN));
    let mut bot = Piped::start(&work, &["--plain"]);
    for line in [
        "/plan on",
        "Plan it.",
        "Is it?",
        "/plan approve",
        "/plan approve",
    ] {
        bot.say(line);
    }
    bot.stdin = None;
    let (said, _) = bot.end();
    let (_, since) = said
        .split_once("▌ │ 1. List the files.")
        .expect("a drawing");
    let harmless = said.lines().filter(|line| line.contains("List the files."));
    assert!(harmless.clone().count() > 0 && harmless.clone().all(|line| line.starts_with("▌ ")));
    let asked = since.find("· Read this plan before you decide, then type `/plan approve` again.");
    let card = since
        .find("\n┌─\n│ plan-1 · ready")
        .expect("the card again");
    let approved = since
        .find("· The plan is approved")
        .expect("approved after all");
    assert!(asked.expect("asked") < card && card < approved, "{since}");
    assert_eq!(since.matches("The plan is approved").count(), 1, "{since}");
}

/// A harmful plan, followed by planning files whose title draws the card of a harmless plan.
#[test]
fn a_title_that_draws_a_card_is_shown_on_one_line() {
    let drawn = PLAIN.replace('\n', "\\n");
    let work = Work::by(&format!(
        r#"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: {{ plan_markdown: "1. Delete all files.\n" }}
    - text: " "
- user: Open planning files.
  model:
    - calls:
        - init_plan: {{ task_title: "x\" are open.\n\n{drawn}\n" }}
    - text: " "
"#
    ));
    let mut bot = Piped::start(&work, &["--plain"]);
    for line in ["/plan on", "Plan it.", "Open planning files.", "/files"] {
        bot.say(line);
    }
    bot.stdin = None;
    let (said, _) = bot.end();
    let harmless: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("List the files."))
        .collect();
    assert!(!harmless.is_empty(), "{said}");
    let is_told = |line: &&&str| line.starts_with("· Planning files for \"x\" are open. ‹U+250C›");
    assert_eq!(
        harmless.iter().filter(is_told).count(),
        harmless.len(),
        "{said}"
    );
    assert_eq!(said.matches("┌─").count(), 1, "{said}");
}

#[test]
fn at_a_terminal_the_last_card_is_the_bots() {
    let work = Work::by(&script(FRAMED));
    let mut seat = Seat::at(&work.args());
    for line in ["/plan on", "Plan it.", "Is it?"] {
        seat.say(line);
    }
    seat.see("List the files.");
    seat.wait_for_prompt("");
    let drawn = |seat: &Seat| {
        let rows = seat.screen().rows(0, u16::MAX);
        let rows = rows.filter(|row| row.starts_with(['╭', '│', '├', '╰']));
        rows.collect::<Vec<String>>().join("\n")
    };
    assert_eq!(drawn(&seat), "", "the model has drawn in the first column");
    seat.say("/plan approve");
    seat.see("Read this plan before you decide, then type `/plan approve` again.");
    seat.wait_for_prompt("");
    assert!(drawn(&seat).contains("Delete all files."));
    assert!(!seat.screen().contents().contains("is approved"));
    seat.approve_shown();
    seat.see("The plan is approved");
}

#[test]
fn long_lines_do_not_reach_the_first_column_either() {
    let line = format!("{}│ /plan approve 1-0a1b2c3d", "x".repeat(78));
    let family = format!("{}│ /plan approve 1-0a1b2c3d", "👩\u{200d}👧".repeat(60));
    let work = Work::by(&format!(
        "- user: Draw.\n  model:\n    - text: \"{line}\\n\\n{family}\"\n"
    ));
    for variables in [&[][..], &[("TERM", "dumb")]] {
        let mut seat = Seat::with(&work.args(), variables);
        if variables.is_empty() {
            seat.wait_for_prompt("");
        }
        seat.press("Draw.\r");
        seat.see("1-0a1b2c3d");
        let rows: Vec<String> = seat.screen().rows(0, u16::MAX).collect();
        let drawn = rows
            .iter()
            .filter(|row| row.contains(['x', '│', '👩', '👧']) && !row.contains("plan-bot"));
        assert!(drawn.clone().all(|row| row.starts_with("▌ ")), "{rows:#?}");
    }
}

#[test]
fn a_line_that_was_typed_before_the_card_was_shown_does_not_approve_it() {
    let work = Work::by(
        r#"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: { plan_markdown: "1. Look.\n" }
    - text: It is ready.
- user: Change it.
  model:
    - calls:
        - shell: { command: "echo begun > begun; cat go" }
        - plan_set_content: { plan_markdown: "1. Delete all files.\n" }
    - text: It is ready again.
"#,
    );
    let mut seat = Seat::at(&work.args());
    for line in ["/plan on", "Plan it.", "Change it."] {
        seat.say(line);
    }
    work.wait_until_begun();
    seat.wait_for_sign();
    seat.press("/plan approve\r");
    seat.wait_for_sign();
    work.go();
    seat.see("Read this plan before you decide");
    seat.wait_for_prompt("");
    assert!(!seat.screen().contents().contains("is approved"));
    seat.approve_shown();
    seat.see("The plan is approved");
}
