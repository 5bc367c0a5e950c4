//! No batch of calls opens a tool for its own later calls.

use plan_machine::gate::{Decision, EventContext, Gate, ToolCall};
use plan_machine::{DenialKind, Object};

use super::{call, denied, interpreted, with_host};

const MAIL: &str = "
machine: Mail
commands: { begin: /mail }
data: { text: string? }
tools:
  write: { doc: Writes the letter., input: { text: string } }
  send: { doc: Sends the letter., external: true }
effects: { letter: { external: true, fields: { text: string } } }
states:
  none: { on: { begin: EMPTY } }
  EMPTY: { on: { write: { to: WRITTEN, set: { text: event.text } } } }
  WRITTEN: { has: [text], on: { send: { to: SENT, next: none, emit: { letter: { text: text } } } } }
  SENT: { final: true }
";

#[test]
fn no_batch_can_leave_planning_and_then_act() {
    let around = EventContext::default();
    let spec = "
machine: Lock
commands: { begin: /lock }
tools: { unlock: { doc: Ends planning. } }
states:
  none: { on: { begin: PLANNING } }
  PLANNING: { other_tools: deny, on: { unlock: { to: DONE, next: none } } }
  DONE: { final: true }
";
    let mut gate = with_host(Gate::builder().with(interpreted(spec)))
        .open()
        .expect("a session");
    gate.command("/lock", &around).expect("a command");
    let decisions = gate.decide(&[call("unlock"), call("shell")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(matches!(
        gate.decide(&[call("shell")], &around)[0],
        Decision::Run(_)
    ));
}

#[test]
fn no_batch_can_move_a_plan_and_then_use_a_tool_with_outside_effects() {
    let around = EventContext::default();
    let mut gate = Gate::builder()
        .with(interpreted(MAIL))
        .open()
        .expect("a session");
    gate.command("/mail", &around).expect("a command");
    let write = ToolCall::new("write", Object::from_iter([("text", "Hello")]));
    let decisions = gate.decide(&[write, call("send")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
    let Decision::Denied(denial) = &decisions[1] else {
        panic!("{decisions:?}")
    };
    assert_eq!(denial.kind, DenialKind::NotAllowed);
    assert_eq!(
        denial.messages,
        [
            "`send` cannot run in EMPTY, where this batch of calls began; call it again in the next batch"
        ]
    );
    assert_eq!(denial.allowed_in, ["WRITTEN"]);
    let decisions = gate.decide(&[call("send")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
}

#[test]
fn the_batch_rule_holds_for_each_of_many_plans() {
    let around = EventContext::default();
    let spec = MAIL
        .replace("machine: Mail\n", "machine: Mail\ninstances: many\n")
        .replace("to: SENT, next: none,", "to: SENT,");
    let mut gate = Gate::builder()
        .with(interpreted(&spec))
        .open()
        .expect("a session");
    gate.command("/mail", &around).expect("a command");
    gate.command("/mail", &around).expect("a command");
    let to = |tool: &str, plan: &str| {
        let mut args = Object::from_iter([("plan_id", plan)]);
        if tool == "write" {
            args.push("text", "Hello");
        }
        ToolCall::new(tool, args)
    };
    let decisions = gate.decide(&[to("write", "plan-1")], &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
    let batch = [
        to("write", "plan-2"),
        to("send", "plan-2"),
        to("send", "plan-1"),
    ];
    let decisions = gate.decide(&batch, &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(
        matches!(decisions[2], Decision::Applied { .. }),
        "{decisions:?}"
    );
    let decisions = gate.decide(&[to("send", "plan-2")], &around);
    assert!(
        matches!(decisions[0], Decision::Applied { .. }),
        "{decisions:?}"
    );
}
