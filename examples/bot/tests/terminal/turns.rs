//! A model that is making calls, and a person who does not wait for it to finish.

use crate::pipe::Piped;
use crate::seat::Seat;
use crate::work::Work;

/// A model that makes three calls in two responses. The first call waits until the test releases it.
const SCRIPT: &str = r#"
- user: Work.
  model:
    - calls:
        - shell: { command: "exec 3> held; echo begun > begun; read line < go" }
        - write_file: { path: second.txt, content: x }
    - calls:
        - write_file: { path: third.txt, content: x }
    - text: I am done.
- default:
    - text: "**Yes.**"
"#;

#[test]
fn plan_mode_closes_the_gate_during_the_turn_in_which_it_is_turned_on() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut seat = Seat::at(&work.args());
    seat.say("/mode plan_mode");
    seat.say("Work.");
    work.wait_until_begun();
    seat.wait_for_sign();
    seat.press("/plan on\r");
    seat.see("Plan mode is on");
    work.go();
    gone.join().expect("the first call ends");
    seat.see("I am done.");
    seat.say("/plan status");
    // The second call was decided on earlier and is refused; the third call becomes a step.
    seat.see("Collecting: 0 of 1 done");
    for file in ["second.txt", "third.txt"] {
        let path = work.path("workspace").join(file);
        assert!(!path.exists(), "{file}");
    }
}

#[test]
fn another_mode_or_a_fresh_start_stops_the_turn_before_its_next_call() {
    for (line, done) in [
        ("/mode plan_mode", "The mode is plan_mode."),
        ("/reset", "Started the conversation over."),
    ] {
        let work = Work::by(SCRIPT);
        let gone = work.until_all_are_gone();
        let mut bot = Piped::start(&work, &["--plain", "--live"]);
        bot.say("Work.");
        work.wait_until_begun();
        bot.say(line);
        gone.join().expect("the call's processes end");
        bot.line_with("Stopped the model before it had finished its answer.");
        bot.line_with(done);
        bot.say("Are you there?");
        bot.line_with("Yes.");
        assert!(!work.path("workspace").join("second.txt").exists());
    }
}

/// A model that drafts a plan and then works on it. The first call waits until the test releases it.
const APPROVED: &str = r#"
- user: Plan it.
  model:
    - calls: [{ plan_set_content: { plan_markdown: The work. } }]
    - text: It waits for you.
- user: Work.
  model:
    - calls:
        - shell: { command: "exec 3> held; echo begun > begun; read line < go" }
        - write_file: { path: second.txt, content: x }
    - text: I am done.
- user: Draft.
  model:
    - calls:
        - plan_set_content: { plan_markdown: More work. }
        - write_file: { path: drafted.txt, content: x }
    - text: It waits again.
- default:
    - text: "**Yes.**"
"#;

/// Lets the model draft its plan, and approves the plan once its card is shown.
fn approve(bot: &mut Piped) {
    bot.say("/plan on");
    bot.say("Plan it.");
    bot.line_with("└─");
    bot.say("/plan approve");
    bot.line_with("The plan is approved.");
}

/// Returns everything that the bot says up to its answer to the next message.
fn until_it_answers(bot: &mut Piped) -> String {
    bot.say("Are you there?");
    let mut said = String::new();
    while !said.contains("Yes.") {
        said.push_str(&bot.line_with(""));
    }
    said
}

#[test]
fn the_end_of_an_approved_plan_stops_the_turn_that_works_on_it() {
    for (line, done) in [
        (
            "/plan cancel",
            "The plan is cancelled, and plan work is off.",
        ),
        ("/plan done", "Plan work is off."),
    ] {
        let work = Work::by(APPROVED);
        let gone = work.until_all_are_gone();
        let mut bot = Piped::start(&work, &["--plain", "--live"]);
        approve(&mut bot);
        bot.say("Work.");
        work.wait_until_begun();
        bot.say(line);
        gone.join().expect("the call's processes end");
        let said = until_it_answers(&mut bot);
        let stopped = "Stopped the model before it had finished its answer.";
        assert!(said.contains(done) && said.contains(stopped), "{said}");
        assert!(!work.path("workspace").join("second.txt").exists());
    }
}

#[test]
fn a_model_that_replaces_its_plan_goes_on_with_its_turn() {
    let work = Work::by(APPROVED);
    let mut bot = Piped::start(&work, &["--plain", "--live"]);
    approve(&mut bot);
    bot.say("Draft.");
    let said = until_it_answers(&mut bot);
    assert!(said.contains("It waits again."), "{said}");
    assert!(work.path("workspace").join("drafted.txt").exists());
}
