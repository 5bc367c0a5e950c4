//! During a turn, the model cannot open a host tool for its later responses in the same turn: only a person can.

use plan_machine::description::Handling;
use plan_machine::gate::{Decision, EventContext, Gate, StartedCall, TurnId};
use plan_machine::machine::{Call, CallKind};
use plan_machine::{DenialKind, HostTool};

use super::{advertised, call, denied, interpreted, plan_mode, refilled_budget, with_host};

const HELD_BACK: &str = "not_allowed: `shell` could not run when this turn began; it is available after the user's next message";

fn around() -> EventContext {
    EventContext::default()
}

fn begin(gate: &mut Gate, turn: &str) {
    gate.begin_turn(&TurnId::new(turn), &around())
        .expect("a short id");
}

fn typed(gate: &mut Gate, line: &str) {
    let answers = gate.command(line, &around()).expect("a command");
    assert!(answers[0].outcome.is_accepted(), "{answers:?}");
}

fn decide(gate: &mut Gate, tool: &str) -> Decision {
    gate.decide(&[call(tool)], &around()).remove(0)
}

fn runs(gate: &mut Gate, tool: &str) -> bool {
    matches!(decide(gate, tool), Decision::Run(_))
}

/// Returns a gate in which plan mode is on.
fn planning() -> Gate {
    let mut gate = with_host(Gate::builder().with(plan_mode::Machine))
        .open()
        .expect("a gate");
    typed(&mut gate, "/plan on");
    gate
}

#[test]
fn what_was_closed_when_the_turn_began_stays_closed_until_the_next_message() {
    let mut gate = planning();
    begin(&mut gate, "t1");
    assert!(matches!(
        decide(&mut gate, "plan_finalize"),
        Decision::Applied { .. }
    ));
    assert_eq!(
        decide(&mut gate, "shell").answer().as_deref(),
        Some(HELD_BACK)
    );
    // Neither a repeated message nor a command that changes nothing opens the tool.
    begin(&mut gate, "t1");
    typed(&mut gate, "/plan status");
    assert!(!runs(&mut gate, "shell"));
    begin(&mut gate, "t2");
    assert!(runs(&mut gate, "shell"));
}

#[test]
fn what_a_command_closed_stays_closed_whatever_the_model_does() {
    let mut gate = with_host(Gate::builder().with(plan_mode::Machine))
        .open()
        .expect("a gate");
    begin(&mut gate, "t1");
    assert!(runs(&mut gate, "shell"));
    typed(&mut gate, "/plan on");
    assert!(matches!(
        decide(&mut gate, "plan_finalize"),
        Decision::Applied { .. }
    ));
    assert!(!runs(&mut gate, "shell"));
    begin(&mut gate, "t2");
    assert!(runs(&mut gate, "shell"));
}

#[test]
fn what_a_command_opened_runs_at_once() {
    let mut gate = planning();
    begin(&mut gate, "t1");
    let recorded = gate.decide(&[call("shell"), call("plan_finalize")], &around());
    assert!(
        matches!(recorded[0], Decision::Recorded { .. }),
        "{recorded:?}"
    );
    let plans = gate.machines()[0].plans();
    typed(&mut gate, &format!("/plan approve {}", plans[0].token));
    assert!(runs(&mut gate, "shell"));
    // A person also opens the tools by leaving plan mode.
    typed(&mut gate, "/plan off");
    assert!(runs(&mut gate, "shell"));
}

#[test]
fn a_model_sees_only_the_tools_that_the_turn_lets_it_call() {
    let mut gate = planning();
    begin(&mut gate, "t1");
    assert!(advertised(&gate).contains("shell"), "calls are recorded");
    decide(&mut gate, "plan_finalize");
    assert!(advertised(&gate).is_empty());
    assert_eq!(gate.handling_of("shell"), Handling::Denies);
    begin(&mut gate, "t2");
    assert!(advertised(&gate).contains("shell"));
}

/// A plan mode that the model can end itself.
const LOCK: &str = "
machine: Lock
commands: { lock: /lock }
tools: { unlock: { doc: Ends planning. } }
states:
  none: { on: { lock: LOCKED } }
  LOCKED: { other_tools: deny, on: { unlock: { to: DONE, next: none } } }
  DONE: { final: true }
";

#[test]
fn a_call_that_was_allowed_before_is_confirmed_against_the_floor_of_the_turn() {
    let mut gate = with_host(Gate::builder().with(interpreted(LOCK)))
        .open()
        .expect("a gate");
    begin(&mut gate, "t1");
    let Decision::Run(allowed) = decide(&mut gate, "shell") else {
        panic!("the call must be allowed");
    };
    typed(&mut gate, "/lock");
    decide(&mut gate, "unlock");
    let refused = gate.confirm(allowed).expect_err("a closed gate");
    assert_eq!(refused.to_string(), HELD_BACK);
}

#[test]
fn a_recorded_call_starts_only_if_it_could_run_when_the_turn_began() {
    let recorder = "
machine: Recorder
types:
  Step: { fields: { tool: string, args: json, started: { type: bool, default: false } } }
data:
  steps: { type: [Step], max: 9 }
commands: { begin: /record, go: { text: /go } }
signals: { start: {} }
external_tools: [shell]
states:
  none: { on: { begin: RECORDING } }
  RECORDING:
    on:
      shell: { append: { steps: { tool: event.tool, args: event.args } } }
      go: RUNNING
  RUNNING:
    on:
      start: { update: { steps: { first: not item.started, set: { started: true } } } }
      go: { to: DONE, next: none }
  DONE: { final: true }
";
    let machines = Gate::builder().with(interpreted(recorder));
    let mut gate = with_host(machines.with(interpreted(LOCK)))
        .open()
        .expect("a gate");
    typed(&mut gate, "/record");
    let decision = decide(&mut gate, "shell");
    assert!(
        matches!(decision, Decision::Recorded { .. }),
        "{decision:?}"
    );
    typed(&mut gate, "/go");
    typed(&mut gate, "/lock");
    let start = |gate: &mut Gate| {
        let event = Call::new(CallKind::Event("start".into()));
        let step = HostTool::new("shell", call("shell").args);
        gate.start_recorded("Recorder", &event, step, &around())
            .expect("a known event")
    };
    begin(&mut gate, "t1");
    assert!(matches!(
        decide(&mut gate, "unlock"),
        Decision::Applied { .. }
    ));
    // Both machines would run the call now, but in one machine, the model itself has opened the tool.
    let started = start(&mut gate);
    let StartedCall::Denied(denial) = started else {
        panic!("{started:?}");
    };
    assert_eq!(denial.to_string(), HELD_BACK);
    begin(&mut gate, "t2");
    let started = start(&mut gate);
    assert!(matches!(started, StartedCall::Run(_)), "{started:?}");
}

#[test]
fn a_machine_with_an_external_tool_obeys_the_floor_of_the_others() {
    let mail = "
machine: Mail
instances: many
tools: { send: { doc: Sends a letter., external: true } }
effects: { letter: { external: true } }
states:
  none: { on: { send: { to: SENT, emit: { letter: {} } } } }
  SENT: { final: true }
";
    let mut gate = with_host(
        Gate::builder()
            .with(plan_mode::Machine)
            .with(interpreted(mail)),
    )
    .open()
    .expect("a gate");
    typed(&mut gate, "/plan on");
    begin(&mut gate, "t1");
    decide(&mut gate, "plan_finalize");
    assert_eq!(
        denied(&decide(&mut gate, "send")),
        Some(DenialKind::NotAllowed)
    );
    assert!(!advertised(&gate).contains("send"));
    begin(&mut gate, "t2");
    assert!(matches!(
        decide(&mut gate, "send"),
        Decision::Applied { .. }
    ));
}

#[test]
fn each_tool_that_a_spec_names_has_its_own_place_in_the_floor() {
    let spec = "
machine: Steps
commands: { begin: /begin, allow: /allow }
external_tools: [read_file, write_file]
tools: { on: { doc: Goes on. } }
states:
  none: { on: { begin: FIRST } }
  FIRST: { other_tools: deny, on: { on: SECOND, read_file: run } }
  SECOND: { on: { on: FIRST, write_file: run, allow: THIRD } }
  THIRD: { other_tools: deny, on: { on: SECOND, write_file: run } }
";
    let mut gate = with_host(Gate::builder().with(interpreted(spec)))
        .open()
        .expect("a gate");
    typed(&mut gate, "/begin");
    begin(&mut gate, "t1");
    decide(&mut gate, "on");
    assert!(runs(&mut gate, "read_file"), "it could run before");
    assert!(!runs(&mut gate, "write_file"));
    assert!(!runs(&mut gate, "shell"));
    // The command does not open `write_file`, because the tool could already run in the state before the command.
    typed(&mut gate, "/allow");
    assert!(!runs(&mut gate, "write_file"));
    decide(&mut gate, "on");
    // The command closed `read_file`, which therefore stays closed.
    assert!(!runs(&mut gate, "read_file"));
}

/// Returns a gate with a compiled machine and a gate with an interpreted machine. The model can
/// refill the budget of two calls, which is used up.
fn spent() -> [Gate; 2] {
    let spec = include_str!("../../corpus/valid/refilled_budget.yaml");
    let compiled = Gate::builder().with(refilled_budget::Machine);
    let interpreted = Gate::builder().with(interpreted(spec));
    [compiled, interpreted].map(|builder| {
        let mut gate = builder.any_host_tool().open().expect("a gate");
        typed(&mut gate, "/go");
        assert!(runs(&mut gate, "shell") && runs(&mut gate, "shell"));
        gate
    })
}

#[test]
fn a_model_that_refills_its_budget_uses_it_only_after_the_next_message() {
    for mut gate in spent() {
        begin(&mut gate, "t1");
        assert!(!runs(&mut gate, "shell"));
        decide(&mut gate, "refill");
        assert_eq!(
            decide(&mut gate, "shell").answer().as_deref(),
            Some(HELD_BACK)
        );
        begin(&mut gate, "t2");
        assert!(runs(&mut gate, "shell"));
    }
}

#[test]
fn a_person_who_refills_a_budget_opens_it_at_once() {
    for mut gate in spent() {
        begin(&mut gate, "t1");
        typed(&mut gate, "/go on");
        assert!(runs(&mut gate, "shell"));
    }
}

#[test]
fn a_requirement_that_does_not_hold_keeps_a_tool_closed_for_the_turn() {
    for mut gate in spent() {
        begin(&mut gate, "t1");
        decide(&mut gate, "check");
        assert!(!runs(&mut gate, "deploy"));
        begin(&mut gate, "t2");
        // The condition of the entry reads the context, so it counts as true.
        assert!(runs(&mut gate, "deploy"));
    }
}

#[test]
fn a_call_that_the_host_sends_itself_also_obeys_the_floor() {
    let mut gate = planning();
    begin(&mut gate, "t1");
    decide(&mut gate, "plan_finalize");
    let shell = Call::new(CallKind::HostTool("shell".into()));
    let sent = gate.send("PlanMode", &shell, &around()).expect("a machine");
    assert_eq!(sent.answer().as_deref(), Some(HELD_BACK));
}

#[test]
fn without_turns_the_batch_is_the_turn() {
    let mut gate = planning();
    let batch = [call("plan_finalize"), call("shell")];
    let decisions = gate.decide(&batch, &around());
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(runs(&mut gate, "shell"));
    assert_eq!(gate.turn(), None);
}

#[test]
fn a_turn_id_that_is_too_long_does_not_begin_a_turn() {
    let mut gate = planning();
    let long = TurnId::new("x".repeat(2000));
    assert!(gate.begin_turn(&long, &around()).is_err());
    assert_eq!(gate.turn(), None);
    let unique = [TurnId::unique(), TurnId::unique()];
    assert_ne!(unique[0], unique[1]);
}
