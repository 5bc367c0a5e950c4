//! The prompt, and the output above it.

use vt100::Color;

use crate::seat::{BACKSPACE, CTRL_D, LEFT, Seat, UP};
use crate::work::Work;

const SCRIPT: &str = r##"
- user: Plan it.
  model:
    - calls:
        - plan_set_content: { plan_markdown: "# Picnic\n\n1. *Pack* the basket.\n", title: Picnic }
    - text: The plan is **stored**.
- default:
    - text: Yes.
"##;

#[test]
fn a_person_is_greeted() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    let greeting = "/help lists what you can type; /plan on starts a plan.";
    assert!(seat.screen().contents().contains(greeting));
}

#[test]
fn the_greeting_names_what_is_taken_in_the_mode() {
    let work = Work::by(SCRIPT);
    let mut args = work.args();
    args.extend(["--mode".into(), "plan_builder".into()]);
    let mut seat = Seat::at(&args);
    seat.see("The mode is plan_builder.");
    let shown = seat.screen().contents();
    assert!(shown.contains("say what to plan, and the"), "{shown}");
    assert!(!shown.contains("/plan on"), "{shown}");
}

#[test]
fn the_greeting_says_of_the_gutter_what_the_readme_says() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let marks = "marks what the model, a plan or a tool says; everything else is from plan-bot.";
    let shown = one_line(&seat.screen().contents());
    assert!(shown.contains(&format!("▌ {marks}")), "{shown}");
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(readme).expect("a file");
    assert!(one_line(&readme).contains(&format!("`▌` {marks}")));
}

#[test]
fn lines_that_come_all_at_once_are_handled_one_by_one() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    seat.press("/mode\rHello.\r");
    seat.see("The mode is work_by_plan.");
    seat.see("Yes.");
    seat.wait_for_prompt("");
}

#[test]
fn what_is_pasted_is_one_line_however_many_it_has() {
    let work = Work::by("- user: \"one\\ntwo\"\n  model:\n    - text: Both.\n");
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    seat.press("\u{1b}[200~one\rtwo\u{1b}[201~\r");
    seat.see("Both.");
}

#[test]
fn a_line_can_be_edited() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say(&format!("/moXe{LEFT}{BACKSPACE}d"));
    seat.see("The mode is work_by_plan.");
}

#[test]
fn a_line_outlives_another_size_of_the_window() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    seat.press("/mo");
    seat.wait_for_prompt("/mo");
    seat.narrow();
    seat.press("de\r");
    seat.see("The mode is\n  work_by_plan.");
}

#[test]
fn lines_come_back_also_after_a_restart() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say("/mode");
    seat.see("The mode is");
    seat.say("/sessions");
    seat.wait_for_prompt("");
    seat.press(&format!("{UP}{UP}"));
    seat.wait_for_prompt("/mode");
    seat.press(&BACKSPACE.repeat("/mode".len()));
    seat.wait_for_prompt("");
    seat.press(CTRL_D);
    seat.ended_well();

    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    seat.press(UP);
    seat.wait_for_prompt("/sessions");
}

#[test]
fn a_plan_is_framed_as_it_is_and_markdown_is_rendered() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say("/plan on");
    seat.say("Plan it.");
    seat.see("The plan is stored.");
    seat.wait_for_prompt("");
    let shown = seat.screen().contents();
    assert!(shown.contains("\n▌ The plan is stored.\n╭"), "{shown}");
    let from = shown.find('╭').expect("a frame");
    let token = shown[from..].split_whitespace().nth(6).expect("a token");
    let until = shown[from..].split(" UTC").next().expect("a time");
    let until = until.split("expires ").nth(1).expect("a time");
    let masked = shown[from..].replace(token, "TOKEN-TOKE");
    assert_eq!(
        masked.replace(until, "YYYY-MM-DD HH:MM").trim_end(),
        "\
╭────────────────────────────────────────────────────────────╮
│ plan-1 · ready · TOKEN-TOKE · expires YYYY-MM-DD HH:MM UTC │
├────────────────────────────────────────────────────────────┤
│ # Picnic                                                   │
│                                                            │
│ 1. *Pack* the basket.                                      │
├────────────────────────────────────────────────────────────┤
│ /plan approve TOKEN-TOKE                                   │
│ /plan cancel                                               │
╰────────────────────────────────────────────────────────────╯
>"
    );
    let is_bold = |word: &str| {
        let mut rows = (0..).zip(seat.screen().rows(0, u16::MAX));
        let (row, column) = rows
            .find_map(|(row, line)| Some((row, line[..line.rfind(word)?].chars().count())))
            .expect("a row");
        let column = u16::try_from(column).expect("a column");
        seat.screen().cell(row, column).expect("a cell").bold()
    };
    assert!(is_bold("stored"));
    assert!(!is_bold("The plan"));
}

#[test]
fn without_colors_answers_are_shown_and_have_other_styles() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::with(&work.args(), &[("NO_COLOR", "1")]);
    seat.say("/plan on");
    seat.say("Plan it.");
    seat.see("The plan is stored");
    seat.wait_for_prompt("");
    let screen = seat.screen();
    let (rows, columns) = screen.size();
    let all = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
    let cells = all.filter_map(|(row, column)| screen.cell(row, column));
    assert!(cells.clone().all(|cell| cell.fgcolor() == Color::Default));
    assert!(cells.clone().any(vt100::Cell::bold));
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_words_only() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::with(&work.args(), &[("TERM", "dumb")]);
    seat.press("/mode\r");
    seat.see("· The mode is work_by_plan.");
    assert!(!seat.screen().contents().contains("> "));
    seat.press(CTRL_D);
    seat.ended_well();
}
