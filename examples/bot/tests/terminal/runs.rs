//! Output of runs alongside the conversation.

use crate::seat::Seat;
use crate::work::Work;

const SCRIPT: &str = r#"
- contains: Continue with
  model:
    - calls:
        - shell: { command: "echo begun > begun; cat go" }
    - text: I counted *four* clouds.
- contains: Continue with
  model:
    - text: "DONE: there are four."
- user: half a line
  model:
    - text: It is whole.
"#;

#[test]
fn a_run_speaks_above_the_line_that_is_being_typed() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say("/auto on Count them.");
    work.wait_until_begun();
    seat.wait_for_prompt("");
    seat.press("half a ");
    seat.wait_for_prompt("half a ");
    work.go();
    seat.see("[run-1]\n▌ I counted four clouds.\n> half a");
    seat.wait_for_prompt("half a ");
    seat.press("line\r");
    seat.see("It is whole.");
}

#[test]
fn a_run_of_another_conversation_is_heard_when_that_is_back() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say("/auto on Count them.");
    work.wait_until_begun();
    seat.say("/new");
    seat.see("Started a conversation in");
    seat.wait_for_prompt("");
    work.go();
    seat.see("has new messages: /switch");
    seat.wait_for_prompt("");
    let shown = seat.screen().contents();
    assert!(!shown.contains("clouds"), "{shown}");
    let news = shown.split("· ").last().expect("the news");
    let name = news.split_whitespace().next().expect("a name");
    seat.say(&format!("/switch {name}"));
    seat.see("Switched to an untitled conversation.\n[run-1]\n▌ I counted four clouds.");
}
