//! What a host sends: ids, signals and contexts.

use std::sync::atomic::{AtomicU64, Ordering};

use plan_machine::gate::{Decision, EventContext, Gate, ToolCall};
use plan_machine::machine::{Call, CallKind, Env, Machine, Outcome, UnknownEvent};
use plan_machine::{DenialKind, Object};

use super::{interpreted, work_by_plan};

#[test]
fn every_plan_of_a_session_has_its_own_id() {
    let around = EventContext::default();
    let spec = include_str!("../../corpus/valid/plan_builder.yaml");
    let mut gate = Gate::builder()
        .with(interpreted(spec))
        .open()
        .expect("a session");
    let goal = |text: &str| -> Object { [("goal", text)].into_iter().collect() };
    let batch = [
        ToolCall::new("create_draft", goal("one")),
        ToolCall::new("create_draft", goal("two")),
    ];
    let answers: Vec<Option<String>> = gate
        .decide(&batch, &around)
        .iter()
        .map(Decision::answer)
        .collect();
    assert_ne!(answers[0], answers[1]);
    let plans = gate.machines()[0].plans();
    assert_eq!(plans.len(), 2);
    assert_ne!(plans[0].id, plans[1].id);
}

#[test]
fn a_host_creates_its_own_ids_and_sends_signals() {
    let around = EventContext::default();
    let number = AtomicU64::new(1);
    let assembly = Gate::builder().with(work_by_plan::Machine).ids(move || {
        let number = number.fetch_add(1, Ordering::Relaxed);
        format!("mine-{number}").into()
    });
    let mut gate = assembly.open().expect("a session");
    gate.command("/plan on", &around).expect("a command");
    let id = gate.machines()[0].plans()[0].id.to_string();
    assert!(id.starts_with("mine-"), "{id}");
    let finished = work_by_plan::Event::Finished;
    let early = gate.signal::<work_by_plan::Machine>(&id, finished.clone(), &around);
    assert!(matches!(early, Ok(Outcome::Denied(denial)) if denial.kind == DenialKind::NotAllowed));
    let named = gate.signal_by_name("WorkByPlan", "finished", &id, Object::new(), &around);
    assert!(matches!(named, Ok(Outcome::Denied(denial)) if denial.kind == DenialKind::NotAllowed));
}

#[test]
fn a_name_that_the_host_mistypes_is_an_error_at_the_gate() {
    let around = EventContext::default();
    let mut gate = Gate::builder()
        .with(work_by_plan::Machine)
        .open()
        .expect("a session");
    let mut sent = |machine: &str, event: &str| {
        let sent = gate.signal_by_name(machine, event, "plan-1", Object::new(), &around);
        sent.expect_err("an unknown name").to_string()
    };
    assert_eq!(
        sent("WorkByPlan", "Finished!"),
        "WorkByPlan has no event `Finished!`; did you mean `finished`?"
    );
    assert_eq!(
        sent("WorkByPlan", "other_tools"),
        "WorkByPlan has no event `other_tools`"
    );
    assert_eq!(
        sent("Nobody", "finished"),
        "the session has no machine `Nobody`"
    );
}

/// A machine without a gate, compiled or interpreted, also reports an unknown event as an error.
#[test]
fn a_name_that_the_host_mistypes_is_an_error_of_the_machine() {
    fn stepped<M: Machine>(machine: &M, event: &'static str) -> Result<Outcome, UnknownEvent> {
        let context = Object::new();
        let mut env = Env {
            now: plan_machine::Instant::at_second(0),
            new_id: "plan-1".into(),
            context: &context,
            host_tools: None,
        };
        let call = Call::new(CallKind::Event(event.into()));
        machine.step(&mut machine.empty(), &call, &mut env)
    }
    let spec = include_str!("../../corpus/valid/work_by_plan.yaml");
    let compiled = stepped(&work_by_plan::Machine, "apprve");
    assert_eq!(compiled, stepped(&interpreted(spec), "apprve"));
    let unknown = compiled.expect_err("there is no such event");
    assert_eq!(unknown.nearest, Some("approve"));
    let known = stepped(&work_by_plan::Machine, "approve");
    assert!(matches!(known, Ok(Outcome::Denied(_))), "{known:?}");
}

#[test]
fn each_machine_gets_the_context_that_it_declares() {
    let spec = |name: &str, key: &str| {
        let lower = name.to_lowercase();
        interpreted(&format!(
            "machine: {name}
context: {{ {key}: string? }}
data: {{ seen: string? }}
commands: {{ begin_{lower}: /{lower}, end_{lower}: /end {lower} }}
states:
  none: {{ on: {{ begin_{lower}: {{ to: OPEN, set: {{ seen: context.{key} }} }} }} }}
  OPEN: {{ on: {{ end_{lower}: {{ to: CLOSED, next: none }} }} }}
  CLOSED: {{ final: true }}
"
        ))
    };
    let both = Gate::builder()
        .with(spec("One", "mine"))
        .with(spec("Two", "yours"));
    let mut gate = both.open().expect("both");
    let around = EventContext::default().with("mine", "a").with("yours", "b");
    for line in ["/one", "/two"] {
        let answers = gate.command(line, &around).expect("a command");
        assert!(
            matches!(answers[0].outcome, Outcome::Accepted(_)),
            "{answers:?}"
        );
    }
    let nobody = EventContext::default().with("theirs", "c");
    let answers = gate.command("/end one", &nobody).expect("a command");
    assert!(
        matches!(&answers[0].outcome, Outcome::Denied(denial) if denial.kind == DenialKind::InvalidInput),
        "{answers:?}"
    );
}
