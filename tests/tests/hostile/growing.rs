//! Data that grows with each step is rejected beyond a bound, in interpreted and in compiled machines.

use plan_machine::Id;
use plan_machine::machine::{Call, CallKind, Env, Machine, Outcome, PlanView, StoredPlans};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_tests::compiled;

plan_machine::machine!("corpus/hostile/growing.yaml");

#[test]
fn the_interpreter_rejects_data_that_grows_beyond_bounds() {
    let text = include_str!("../../corpus/hostile/growing.yaml");
    let compiled = compiled("growing.yaml", text);
    assert_eq!(
        compiled.codes(),
        Vec::<&str>::new(),
        "{}",
        compiled.rendered()
    );
    let report = compiled.compilation.report.expect("a report");
    assert!(report.scenarios.len() == 3 && report.scenarios.iter().all(|one| one.passed));
}

/// Returns the data of a plan with this many words.
fn data(words: usize) -> Object {
    let mut data = Object::new();
    data.push("text", "x");
    data.push("sections", "");
    data.push("words", vec![Json::from("word"); words]);
    data
}

/// Returns the result of an event for a plan with this data.
fn sent_to<M: Machine>(machine: &M, event: &'static str, data: Object) -> Outcome {
    let plan = PlanView {
        id: Id::from("plan-1"),
        previous: None,
        state: "OPEN".into(),
        revision: 1,
        edition: 0,
        token: String::new(),
        data,
        timers: Object::new(),
    };
    let stored = StoredPlans {
        plans: vec![plan],
        slot: Some(0),
        editions: None,
    };
    let mut held = machine.restore(&stored).expect("older plans may be larger");
    let context = Object::new();
    let mut env = Env {
        now: Instant::at_second(0),
        new_id: Id::from("plan-2"),
        context: &context,
        host_tools: None,
    };
    machine
        .step(
            &mut held,
            &Call::new(CallKind::Event(event.into())),
            &mut env,
        )
        .expect("a known event")
}

#[test]
fn a_list_grows_to_a_hundred_thousand_items_interpreted_and_compiled() {
    let text = include_str!("../../corpus/hostile/growing.yaml");
    let interpreted = plan_machine::interpret::InterpretedMachine::read("growing.yaml", text)
        .expect("a valid spec");
    for count in [99_999, 100_000, 100_001] {
        let outcomes = [
            sent_to(&growing::Machine, "add", data(count)),
            sent_to(&interpreted, "add", data(count)),
        ];
        for outcome in outcomes {
            match outcome {
                Outcome::Accepted(_) => assert!(count < 100_000, "{count}"),
                Outcome::Denied(denial) => {
                    assert!(count >= 100_000, "{count}");
                    assert_eq!(denial.kind, DenialKind::LimitReached);
                    let said = format!(
                        "`words` has {} items, but at most 100000 are allowed",
                        count + 1
                    );
                    assert_eq!(denial.messages, [said]);
                }
                Outcome::Run { .. } => panic!("`add` is a tool of the machine, not a host tool"),
            }
        }
    }
}

#[test]
fn a_value_that_is_wrapped_again_and_again_is_refused_interpreted_and_compiled() {
    let text = include_str!("../../corpus/hostile/growing.yaml");
    let interpreted = plan_machine::interpret::InterpretedMachine::read("growing.yaml", text)
        .expect("a valid spec");
    for (depth, is_accepted) in [(127, true), (128, false)] {
        let nested = (1..depth).fold(Json::List(Vec::new()), |inner, _| Json::List(vec![inner]));
        let mut data = data(0);
        data.push("value", nested);
        let compiled = sent_to(&growing::Machine, "wrap", data.clone());
        assert_eq!(compiled, sent_to(&interpreted, "wrap", data), "{depth}");
        let accepted = matches!(compiled, Outcome::Accepted(_));
        assert_eq!(accepted, is_accepted, "{depth}: {compiled:?}");
    }
}
