//! The bot can be interrupted at any moment.

use std::fs;

use rustix::process::Signal;

use crate::seat::{CTRL_C, Seat};
use crate::work::{SCRIPT, Work};

/// Checks that a bot that is restarted here still works.
fn goes_on(work: &Work) -> Seat {
    let mut seat = Seat::at(&work.args());
    seat.say("Are you there?");
    seat.see("Yes.");
    seat.wait_for_prompt("");
    seat
}

#[test]
fn an_interrupt_at_the_prompt_ends_the_bot() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    seat.press("half a li");
    seat.wait_for_prompt("half a li");
    seat.press(CTRL_C);
    seat.ended_well();
    goes_on(&work);
}

#[test]
fn an_interrupt_from_elsewhere_ends_the_bot_too() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.wait_for_prompt("");
    seat.interrupt();
    seat.ended_well();
}

#[test]
fn an_interrupt_while_a_tool_works_ends_the_bot() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say("Work.");
    work.wait_until_begun();
    seat.wait_for_sign();
    seat.press(CTRL_C);
    seat.ended_well();
    goes_on(&work);
}

#[test]
fn an_interrupt_while_the_model_is_asked_ends_the_bot() {
    let work = Work::by(SCRIPT);
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", server.local_addr().expect("bound"));
    let model = [("PLAN_BOT_MODEL", "silent"), ("PLAN_BOT_URL", &url)];
    let mut seat = Seat::with(&work.places(), &model);
    seat.say("Hello.");
    let (mut asked, _) = server.accept().expect("the bot asks");
    std::io::Read::read_exact(&mut asked, &mut [0]).expect("a request of the bot");
    seat.wait_for_sign();
    seat.press(CTRL_C);
    seat.ended_well();
    goes_on(&work);
}

#[test]
fn an_interrupt_while_a_run_works_ends_the_bot_and_the_run() {
    let work = Work::by(SCRIPT);
    let mut seat = Seat::at(&work.args());
    seat.say("/auto on Count the clouds.");
    work.wait_until_begun();
    seat.wait_for_prompt("");
    seat.press(CTRL_C);
    seat.ended_well();
    let seat = goes_on(&work);
    let over = "The run run-1 is over: failed, interrupted by a restart.";
    assert!(seat.screen().contents().contains(over));
}

#[test]
fn a_demo_that_is_told_to_end_leaves_no_folder_behind() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("a path");
        let mut seat = Seat::with(&["demo".to_owned()], &[("TMPDIR", path)]);
        seat.see("(press Enter to continue)");
        let left = || fs::read_dir(path).expect("a folder").count();
        assert_eq!(left(), 1, "the demo has a folder");
        seat.signal(signal);
        seat.ended();
        assert_eq!(left(), 0, "{signal:?}");
    }
}
