//! What happens to a call, and which of several machines decides on it.

use plan_machine::gate::{Decision, EventContext, Gate};
use plan_machine::machine::{Call, CallKind, Denial, Outcome};
use plan_machine::{DenialKind, Instant};

use super::{advertised, call, denied, interpreted, plan_mode, with_host, work_by_plan};

const POST: &str = "
machine: Post
doc: Letters that leave the house.
effects:
  sent: { doc: A letter is on its way., external: true }
commands:
  begin: /post
  close: /closed
tools:
  send: { doc: Send a letter., external: true }
  write: { doc: Write a letter. }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      send: { emit: { sent: {} } }
      write: {}
      close: { to: CLOSED, next: none }
  CLOSED: { final: true }
";

#[test]
fn a_call_is_applied_run_recorded_or_denied() {
    let around = EventContext::default();
    let mut gate = with_host(Gate::builder().with(plan_mode::Machine))
        .open()
        .expect("a session");
    assert!(matches!(
        gate.decide(&[call("shell")], &around)[0],
        Decision::Run(_)
    ));
    gate.command("/plan on", &around).expect("a command");
    assert!(matches!(
        gate.decide(&[call("shell")], &around)[0],
        Decision::Recorded { .. }
    ));
    let decisions = gate.decide(&[call("plan_finalize"), call("nobody")], &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
    assert_eq!(denied(&decisions[1]), Some(DenialKind::UnknownTool));
}

#[test]
fn a_denial_of_one_machine_beats_the_permission_of_another() {
    let around = EventContext::default();
    let assembly = Gate::builder().with(work_by_plan::Machine).with(interpreted(
        "{ machine: Quiet, commands: { hush: /hush }, states: { none: { other_tools: deny, on: { hush: OFF } }, OFF: { final: true, on: { hush: { next: none } } } } }",
    ));
    let mut gate = with_host(assembly).open().expect("a session");
    assert_eq!(
        denied(&gate.decide(&[call("shell")], &around)[0]),
        Some(DenialKind::NotAllowed)
    );
    let names = advertised(&gate);
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn a_machine_has_outside_effects_for_a_model_only_if_the_others_let_tools_run() {
    let around = EventContext::default();
    let gate = Gate::builder()
        .with(plan_mode::Machine)
        .with(interpreted(POST));
    let mut gate = with_host(gate).open().expect("a session");
    gate.command("/post", &around).expect("a command");
    let applied = |decision: &Decision| matches!(decision, Decision::Applied { .. });
    assert!(applied(&gate.decide(&[call("send")], &around)[0]));
    assert!(advertised(&gate).contains("send"));

    gate.command("/plan on", &around).expect("a command");
    let decisions = gate.decide(&[call("send"), call("write")], &around);
    let Decision::Denied(denial) = &decisions[0] else {
        panic!("{decisions:?}")
    };
    assert_eq!(
        denial.to_string(),
        "not_allowed: `send` is not available in COLLECTING, only in EXECUTING, PARTIALLY_COMPLETED or without a plan"
    );
    assert!(
        applied(&decisions[1]),
        "a tool without an outside effect is not affected by the other machine"
    );
    assert!(!advertised(&gate).contains("send"));

    // A plan that is finalized without steps is cancelled. Tools can then run again, but not in the same batch.
    let decisions = gate.decide(&[call("plan_finalize"), call("send")], &around);
    assert!(applied(&decisions[0]));
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(applied(&gate.decide(&[call("send")], &around)[0]));
}

#[test]
fn a_name_that_looks_like_a_denied_tool_is_an_unknown_tool() {
    let around = EventContext::default();
    let spec = "
machine: Guard
external_tools: [shell]
commands: { begin: /guard }
states:
  none: { other_tools: run, on: { begin: ON, shell: deny } }
  ON: { final: true, on: { begin: { next: none } } }
";
    let mut gate = Gate::builder()
        .with(interpreted(spec))
        .any_host_tool()
        .open()
        .expect("a session");
    assert_eq!(
        denied(&gate.decide(&[call("shell")], &around)[0]),
        Some(DenialKind::NotAllowed)
    );
    for name in [
        "Shell",
        "SHELL",
        "sh-ell",
        "shell_",
        " shell",
        "shell\n",
        "ｓｈｅｌｌ",
        "shеll",
        "",
        "shell\u{200b}",
    ] {
        let decided = &gate.decide(&[call(name)], &around)[0];
        assert_eq!(denied(decided), Some(DenialKind::UnknownTool), "{name:?}");
        // A host can also send the call to one machine.
        let sent = Call::new(CallKind::HostTool(name.to_owned().into()));
        let sent = gate.send("Guard", &sent, &around).expect("a machine");
        let is_unknown = |denial: &Denial| denial.kind == DenialKind::UnknownTool;
        assert!(
            matches!(&sent, Outcome::Denied(denial) if is_unknown(denial)),
            "{name:?}: {sent:?}"
        );
    }
    for name in ["read_file", "mcp__files__read", "shells"] {
        let decided = &gate.decide(&[call(name)], &around)[0];
        assert!(matches!(decided, Decision::Run(_)), "{name}: {decided:?}");
    }
}

const PERMIT: &str = "
machine: Permit
doc: A person opens the gate for an hour.
commands: { open: /open }
states:
  none: { other_tools: deny, on: { open: OPEN } }
  OPEN:
    other_tools: run
    after: { 1h: { to: ENDED, next: none } }
  ENDED: { final: true }
";

#[test]
fn a_call_decided_alone_sees_that_the_permission_has_expired() {
    let at = |hour: u32| EventContext::at(Instant::at_second(hour * 3600));
    let mut gate = with_host(Gate::builder().with(interpreted(PERMIT)))
        .open()
        .expect("a session");
    gate.command("/open", &at(1)).expect("a command");
    let batch = gate.begin_batch();
    let decision = gate.decide_in(&batch, &call("shell"), &at(1));
    assert!(matches!(decision, Decision::Run(_)), "{decision:?}");
    let decision = gate.decide_in(&batch, &call("shell"), &at(2));
    assert_eq!(denied(&decision), Some(DenialKind::NotAllowed));
}
