//! Stored plans whose timers do not match their states.

use plan_machine::Object;
use plan_machine::gate::{EventContext, Gate, GateBuilder};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::StoredPlans;
use plan_machine_tests::ticking::at;

use super::{HOUR, YEAR};

plan_machine::machine! {
    machine Chores (many);
    data { title: string max 5 }
    command begin = "/chore {title}";
    command finish = "/finish {plan_id?}";
    tool list_chores read;
    state none { on begin => OPEN { set title = event.title; } on list_chores { reply plans; } }
    state OPEN { on finish => DONE; after 1h => LATE; }
    final state LATE;
    final state DONE;
}

const CHORES: &str = "
machine: Chores
instances: many
data: { title: { type: string, max: 5 } }
commands:
  begin: '/chore {title}'
  finish: '/finish {plan_id?}'
tools:
  list_chores: { doc: List the chores., read: true }
states:
  none: { on: { begin: { to: OPEN, set: { title: event.title } }, list_chores: { reply: plans } } }
  OPEN: { on: { finish: DONE }, after: { 1h: LATE } }
  LATE: { final: true }
  DONE: { final: true }
";

/// Returns the machine, generated and interpreted.
fn both() -> [GateBuilder; 2] {
    let machine = InterpretedMachine::read("chores.yaml", CHORES).expect("a valid spec");
    [
        Gate::builder().with(chores::Machine),
        Gate::builder().with(machine),
    ]
}

/// Returns three stored plans, of which the first has ended, and all have a timer.
fn stored(builder: GateBuilder) -> (Gate, StoredPlans) {
    let mut gate = builder.open().expect("a gate");
    for line in ["/chore one", "/chore two", "/chore three"] {
        gate.command(line, &EventContext::at(at(0))).expect("begun");
    }
    let mut stored = gate.stored(0);
    assert_eq!(stored.plans.len(), 3);
    stored.plans[0].state = "DONE".into();
    assert!(stored.plans[0].due().is_some(), "it still has its timer");
    (gate, stored)
}

fn states(gate: &Gate) -> Vec<String> {
    let plans = gate.stored(0).plans.into_iter();
    plans.map(|plan| plan.state.into_owned()).collect()
}

#[test]
fn an_ended_plan_with_a_timer_holds_up_no_other_timer() {
    for builder in both() {
        let (mut gate, stored) = stored(builder);
        gate.restore_sound("Chores", &stored).expect("restored");
        assert_eq!(gate.due(), Some(at(HOUR)));
        assert_eq!(gate.catch_up(at(HOUR)), 2);
        assert_eq!(states(&gate), ["DONE", "LATE", "LATE"]);
        assert_eq!(gate.due(), None, "no timer is left");
    }
}

#[test]
fn a_damaged_plan_with_a_timer_holds_up_no_other_timer() {
    for builder in both() {
        let (mut gate, mut stored) = stored(builder);
        let mut damaged = Object::new();
        damaged.push("title", "too long");
        stored.plans[1].data = damaged;
        gate.restore_sound("Chores", &stored).expect("restored");
        assert_eq!(gate.damaged().len(), 1);
        assert_eq!(gate.catch_up(at(YEAR)), 1);
        assert_eq!(states(&gate), ["DONE", "OPEN", "LATE"]);
        assert_eq!(gate.due(), None, "the timer of a damaged plan never fires");
    }
}
