//! Running steps of plans, and people who do not wait for them to finish.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::pipe::Piped;
use crate::seat::{CTRL_C, Seat};
use crate::work::Work;

/// A plan with one step: a shell with a child, both of which hold a pipe open and never end by themselves.
const SCRIPT: &str = r#"
- user: Plan it.
  model:
    - calls:
        - shell: { command: "exec 3> held; sleep 1000 & echo begun > begun; sleep 1000" }
        - plan_finalize: { summary: Wait. }
    - text: It is ready.
- contains: task
  model:
    - calls:
        - shell: { command: "exec 3> held; sleep 1000 & echo begun > begun; sleep 1000" }
- default:
    - text: "**Yes.**"
"#;

/// Returns the terminal of a person who has approved the plan, with the step running.
fn at_work(work: &Work) -> Seat {
    let mut seat = Seat::at(&work.args());
    for line in ["/mode plan_mode", "/plan on", "Plan it."] {
        seat.say(line);
    }
    // The card comes last: a line that is typed before the card is shown does not approve the plan.
    seat.see("/plan cancel plan-1");
    seat.approve_shown();
    work.wait_until_begun();
    seat.wait_for_sign();
    seat
}

#[test]
fn a_step_that_runs_does_not_keep_a_person_from_asking_and_cancelling() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut seat = at_work(&work);
    seat.press("/plan status\r");
    seat.see("Executing: 0 of 1 done");
    seat.wait_for_sign();
    seat.press("/where\r");
    seat.see("[EXECUTING]");
    seat.press("Are you there?\r");
    seat.press("/plan cancel\r");
    gone.join().expect("the step's processes end");
    seat.see("Step 1, `shell`, was interrupted before it was done.");
    seat.see("The plan plan-1 is cancelled.");
    // A message waits for its turn, and is then answered.
    seat.see("Yes.");
    seat.wait_for_prompt("");
}

#[test]
fn whatever_was_typed_before_a_person_can_cancel_a_step() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut seat = at_work(&work);
    // This line waits for the step.
    seat.press("Are you there?\r");
    seat.press("/hlep\r");
    seat.see("did you mean `/help`?");
    seat.press("/plan show\r");
    seat.press("/plan cancel\r");
    gone.join().expect("the step's processes end");
    seat.see("The plan plan-1 is cancelled.");
    seat.wait_for_prompt("");
}

#[test]
fn ctrl_c_ends_the_step_and_the_plan_says_what_was_interrupted() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut seat = at_work(&work);
    seat.press(CTRL_C);
    gone.join().expect("the step's processes end");
    seat.see("The plan has stopped at step 1, `shell");
    seat.see("which was interrupted and may have run");
    seat.ended_well();
}

#[test]
fn where_a_plan_has_stopped_is_reported_at_the_next_start_however_the_last_one_ended() {
    for ends in [CTRL_C, ""] {
        let work = Work::by(SCRIPT);
        let gone = work.until_all_are_gone();
        let mut seat = at_work(&work);
        if ends.is_empty() {
            seat.hang_up();
        } else {
            seat.press(ends);
            seat.ended_well();
        }
        gone.join().expect("the step's processes end");
        for _ in 0..2 {
            let mut bot = Piped::start(&work, &["--plain"]);
            bot.line_with("The plan has stopped at step 1, `shell");
            bot.stdin = None;
            assert_eq!(bot.end().1, Some(0));
        }
    }
}

/// Returns a bot whose input is a pipe, with the step running.
fn piped(work: &Work) -> Piped {
    let mut bot = Piped::start(work, &["--plain", "--live"]);
    for line in ["/mode plan_mode", "/plan on", "Plan it."] {
        bot.say(line);
    }
    bot.line_with("It is ready.");
    bot.say("/plan approve");
    work.wait_until_begun();
    bot
}

#[test]
fn a_program_at_a_pipe_can_cancel_a_step_that_runs() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut bot = piped(&work);
    bot.say("/plan cancel");
    gone.join().expect("the step's processes end");
    bot.line_with("was interrupted");
    bot.line_with("is cancelled");
    bot.stdin = None;
    assert_eq!(bot.end().1, Some(0));
}

#[test]
fn a_bot_that_is_killed_takes_its_step_along_and_the_next_asks_before_it_runs_again() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    piped(&work).kill();
    gone.join().expect("the step's processes end");

    let gone = work.until_all_are_gone();
    let mut bot = Piped::start(&work, &["--plain", "--live"]);
    let stopped = bot.line_with("The plan has stopped");
    assert!(stopped.contains("at step 1, `shell"), "{stopped}");
    assert!(stopped.contains("may have run in part"), "{stopped}");
    assert!(stopped.contains("; 1 step is left."), "{stopped}");
    bot.say("/plan resume");
    let asked = bot.line_with("step 1 was interrupted");
    assert!(
        asked.contains("`/plan resume again` runs it again"),
        "{asked}"
    );
    bot.say("/plan resume again");
    work.wait_until_begun();
    bot.say("/plan cancel");
    gone.join().expect("the step's processes end");
}

#[test]
fn a_run_that_is_stopped_takes_its_processes_along() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut bot = Piped::start(&work, &["--plain", "--live"]);
    bot.say("/auto on Count the clouds.");
    work.wait_until_begun();
    bot.say("/auto off");
    gone.join().expect("the run's processes end");
    bot.line_with("Stopped run-1.");
    bot.stdin = None;
    let (said, status) = bot.end();
    assert_eq!(status, Some(0));
    assert!(!said.contains("run-1"), "{said}");
}

#[test]
fn whoever_leaves_hears_that_an_active_run_stops() {
    let work = Work::by(SCRIPT);
    let gone = work.until_all_are_gone();
    let mut bot = Piped::start(&work, &["--plain", "--live"]);
    bot.say("/auto on Count the clouds.");
    work.wait_until_begun();
    bot.say("/quit");
    gone.join().expect("the run's processes end");
    let (said, status) = bot.end();
    assert_eq!(status, Some(0));
    let stops = "· The run run-1 stops here; runs are not resumed at the next start.\n";
    assert!(said.ends_with(stops), "{said}");
}

#[test]
fn a_bot_that_is_told_to_end_ends_its_step_and_says_so_in_the_plan() {
    for signal in [Signal::TERM, Signal::HUP] {
        let work = Work::by(SCRIPT);
        let gone = work.until_all_are_gone();
        let mut bot = piped(&work);
        bot.signal(signal);
        gone.join().expect("the step's processes end");
        let (said, status) = bot.end();
        assert_eq!(status, Some(0), "{signal:?}");
        let stopped = "The plan has stopped at step 1";
        assert_eq!(said.contains(stopped), signal == Signal::TERM, "{said}");
        let mut bot = Piped::start(&work, &["--plain"]);
        bot.say("/plan resume");
        let asked = bot.line_with("step 1 was interrupted");
        assert!(asked.contains("`/plan resume again`"), "{asked}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_that_kills_its_supervisor_ends_with_the_bot() {
    let killing = "exec 3> held; setsid sleep 1000 & kill -9 $PPID; echo begun > begun; sleep 1000";
    let command = "exec 3> held; sleep 1000 & echo begun > begun; sleep 1000";
    let work = Work::by(&SCRIPT.replace(command, killing));
    let gone = work.until_all_are_gone();
    let mut bot = piped(&work);
    bot.signal(Signal::TERM);
    gone.join().expect("the step's processes end");
    assert_eq!(bot.end().1, Some(0));
}

/// The command ignores the signals that ask it to terminate.
#[test]
fn a_supervisor_that_is_told_to_end_kills_its_command() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let work = Work::by(SCRIPT);
        let gone = work.until_all_are_gone();
        let command =
            "trap '' TERM HUP INT; exec 3> held; echo begun > begun; sleep 1000 & wait; sleep 1000";
        let mut supervisor = Command::new(env!("CARGO_BIN_EXE_plan-bot"))
            .args(["supervise", "--", command])
            .current_dir(work.path("workspace"))
            .stdin(Stdio::piped())
            .spawn()
            .expect("started");
        work.wait_until_begun();
        kill_process(Pid::from_child(&supervisor), signal).expect("sent");
        gone.join().expect("the command's processes end");
        assert!(!supervisor.wait().expect("ended").success());
    }
}
