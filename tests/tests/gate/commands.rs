//! Commands of several machines in one session.

use plan_machine::gate::{EventContext, Gate};
use plan_machine::machine::Outcome;

use super::{interpreted, work_by_plan};

#[test]
fn a_shared_command_goes_to_every_machine_that_handles_it() {
    let around = EventContext::default();
    let second = "
machine: Timer
commands: { start: /timer, reset: { text: /reset, shared: true } }
states:
  none: { on: { start: RUNNING } }
  RUNNING: { on: { reset: { to: STOPPED, next: none } } }
  STOPPED: { final: true }
";
    let mut gate = Gate::builder()
        .with(work_by_plan::Machine)
        .with(interpreted(second))
        .open()
        .expect("a session");
    let machines = |gate: &mut Gate, line: &str| -> Vec<String> {
        let answers = gate.command(line, &around).expect("a command");
        answers.into_iter().map(|answer| answer.machine).collect()
    };
    assert_eq!(machines(&mut gate, "/timer"), ["Timer"]);
    assert_eq!(machines(&mut gate, "/reset"), ["Timer"]);
    gate.command("/timer", &around).expect("a command");
    gate.command("/plan on", &around).expect("a command");
    assert_eq!(machines(&mut gate, "/reset"), ["WorkByPlan", "Timer"]);
    // If no machine handles the command, every machine answers with a denial.
    let answers = gate.command("/reset", &around).expect("a command");
    assert_eq!(answers.len(), 2);
    assert!(
        answers
            .iter()
            .all(|answer| matches!(answer.outcome, Outcome::Denied(_)))
    );
    let unknown = gate.command("/plan dnoe", &around).expect_err("no command");
    assert_eq!(
        unknown.to_string(),
        "no command matches `/plan dnoe`; did you mean `/plan done`?"
    );
}

#[test]
fn a_mistyped_command_of_one_machine_is_not_a_less_literal_command_of_another() {
    let titled = "
machine: Titled
data: { title: string? }
commands: { open: \"/plan {title...}\", close: /close }
states:
  none: { on: { open: { to: OPEN, set: { title: event.title } } } }
  OPEN: { on: { close: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let gate = Gate::builder().with(work_by_plan::Machine);
    let mut gate = gate.with(interpreted(titled)).open().expect("a session");
    let around = EventContext::default();
    let error = gate.command("/plan Approve xyz", &around);
    let error = error.expect_err("a mistyped approval").to_string();
    assert!(error.contains("/plan approve"), "{error}");
    let answers = gate.command("/plan approved by all", &around);
    assert_eq!(answers.expect("a title")[0].machine, "Titled");
}
