//! Timers of typed plans: steps fire them first, and no typed move takes place while one is due.

use std::mem::size_of;

use plan_machine::{AnyPlan, DenialKind, Id, Instant, Json, Object, Record};
use plan_machine_compiler::emit::rust::rust;
use plan_machine_tests::{compiled, specs};
use quote::quote;

use super::expiring_approval::expiring_approval::{
    self, AnyExpiringApproval, Effect, Event, HeldPlans, NoPlan, State, event,
};
use super::expiring_jobs::expiring_jobs;
use super::fallible_moves::fallible_moves;

const HOUR: u32 = 3600;

fn cx() -> expiring_approval::Cx {
    let mut number = 0;
    expiring_approval::Cx::new(Instant::at_second(0), move || {
        number += 1;
        Id::from(format!("plan-{number}"))
    })
}

/// Returns a slot with a plan that waits for its approval until the end of the first hour.
fn ready(cx: &mut expiring_approval::Cx) -> HeldPlans {
    let mut plan = NoPlan.begin("trip".to_owned(), cx);
    let written = plan.write("v1".to_owned(), cx).expect("a draft");
    assert_eq!(written, "trip is written");
    let plan = plan.submit(cx).expect("a draft");
    HeldPlans::from(AnyExpiringApproval::from(plan))
}

fn approval(held: &HeldPlans) -> Event {
    let plan = held.plan().expect("a plan");
    Event::Approve(event::Approve {
        token: plan.token(),
    })
}

#[test]
fn a_step_fires_the_timers_that_are_due_and_then_considers_its_event() {
    let cx = &mut cx();
    let mut held = ready(cx);
    let approve = approval(&held);
    cx.take_effects();
    cx.now = Instant::at_second(2 * HOUR);
    let late = held.step(approve, cx).expect_err("it has expired");
    assert_eq!(
        (late.kind(), late.state()),
        (DenialKind::NotAllowed, "DRAFTING")
    );
    let effects = cx.take_effects();
    let effects: Vec<&Effect> = effects.iter().map(|emitted| &emitted.effect).collect();
    assert!(
        matches!(
            effects[..],
            [
                Effect::Left { .. },
                Effect::Expired { .. },
                Effect::Entered { .. },
                ..
            ]
        ),
        "{effects:?}"
    );
    let ended = cx.take_ended();
    assert_eq!(ended[0].state(), State::Expired);
    assert_eq!(ended[0].due(), None);
    let next = held.plan().expect("a successor");
    assert_eq!(next.previous(), Some(ended[0].id()));
    assert_eq!(cx.now, Instant::at_second(2 * HOUR));
}

#[test]
fn a_step_before_the_deadline_is_accepted() {
    let cx = &mut cx();
    let mut held = ready(cx);
    assert_eq!(
        held.plan().and_then(AnyPlan::due),
        Some(Instant::at_second(HOUR))
    );
    cx.now = Instant::at_second(HOUR - 1);
    let approve = approval(&held);
    held.step(approve, cx).expect("in time");
    assert_eq!(held.state(), Some(State::Running));
    assert!(cx.take_ended().is_empty());
}

#[test]
fn a_typed_move_is_denied_while_a_timer_is_due() {
    let cx = &mut cx();
    let plan = ready(cx).take_plan().expect("a plan");
    let plan = plan
        .into_state::<expiring_approval::state::Ready>()
        .expect("a plan in READY");
    assert_eq!(plan.due(), Some(Instant::at_second(HOUR)));
    assert_eq!(plan.read_draft(cx).expect("in time"), "v1");
    cx.now = Instant::at_second(HOUR);
    let token = plan.token();
    let revision = plan.revision();
    let late = plan.approve(token, cx).expect_err("it has expired");
    assert_eq!(
        late.denied.to_string(),
        "stale: a timer of this plan was due at 1970-01-01T01:00:00Z; fire it before sending other events"
    );
    assert_eq!(late.plan.revision(), revision);
    assert!(
        late.plan.look(cx).is_err(),
        "a read of a state that is over"
    );
    let mut held = HeldPlans::from(AnyExpiringApproval::from(late.plan));
    held.catch_up(cx);
    assert_eq!(held.state(), Some(State::Drafting));
}

#[test]
fn a_timer_fires_once_after_a_long_sleep() {
    let cx = &mut cx();
    let plan = NoPlan.begin("trip".to_owned(), cx);
    let mut held = HeldPlans::from(AnyExpiringApproval::from(plan));
    cx.now = Instant::at_second(23 * HOUR);
    held.catch_up(cx);
    let plan = held.plan().expect("less than a day");
    assert_eq!(plan.data().reminders, 1);
    assert_eq!(plan.due(), Some(Instant::at_second(23 * HOUR + 600)));
    held.catch_up(cx);
    assert_eq!(held.plan().map(|plan| plan.data().reminders), Some(1));
}

#[test]
fn a_timer_fires_once_for_a_plan_and_its_successors() {
    let cx = &mut cx();
    let mut plan = NoPlan.begin("trip".to_owned(), cx);
    plan.write("v1".to_owned(), cx).expect("a draft");
    let mut held = HeldPlans::from(AnyExpiringApproval::from(plan));
    cx.now = Instant::at_second(10 * HOUR);
    held.catch_up(cx);
    assert_eq!(cx.take_ended()[0].state(), State::Expired);
    let plan = held.plan().expect("a successor");
    assert_eq!(plan.data().reminders, 0);
    assert_eq!(plan.due(), Some(Instant::at_second(10 * HOUR + 600)));
}

#[test]
fn a_plan_that_was_stored_without_timers_starts_them() {
    let cx = &mut cx();
    let mut view = ready(cx).plan().expect("a plan").view();
    view.timers = Object::new();
    let plan = AnyExpiringApproval::restore(&view).expect("a valid plan");
    assert_eq!(plan.due(), None);
    let mut held = HeldPlans::from(plan);
    cx.now = Instant::at_second(5 * HOUR);
    held.catch_up(cx);
    assert_eq!(held.state(), Some(State::Ready));
    assert_eq!(
        held.plan().and_then(AnyPlan::due),
        Some(Instant::at_second(6 * HOUR))
    );
}

#[test]
fn each_of_many_plans_has_its_own_timers() {
    let mut number = 0;
    let new_id = move || {
        number += 1;
        Id::from(format!("plan-{number}"))
    };
    let place = expiring_jobs::types::Place {
        host: "here".to_owned(),
        port: 22,
        shared: false,
        since: Instant::at_second(0),
        kind: expiring_jobs::types::Kind::Local,
        tags: Vec::new(),
        more: Json::Null,
        note: None,
    };
    let context = expiring_jobs::Context {
        user: "ann".to_owned(),
        task: Id::from("t-1"),
        place,
    };
    let cx = &mut expiring_jobs::Cx::with_context(Instant::at_second(0), new_id, context);
    let mut held = expiring_jobs::HeldPlans::default();
    for second in [0, 5] {
        cx.now = Instant::at_second(second);
        let start = expiring_jobs::event::Start {
            what: "tests".to_owned(),
        };
        held.step(expiring_jobs::Event::Start(start), cx)
            .expect("at most three jobs");
    }
    cx.now = Instant::at_second(10);
    held.step(expiring_jobs::Event::Report, cx)
        .expect("only the first job is running");
    let states: Vec<expiring_jobs::State> = held.iter().map(AnyPlan::state).collect();
    assert_eq!(
        states,
        [expiring_jobs::State::Done, expiring_jobs::State::Queued]
    );
    assert_eq!(held[0].due(), None);
    assert_eq!(held[1].due(), Some(Instant::at_second(15)));
}

#[test]
fn a_record_without_timers_has_room_for_none() {
    let without = size_of::<Record<fallible_moves::Machine>>();
    assert_eq!(without, 56 + size_of::<fallible_moves::Data>());
    let with = size_of::<Record<expiring_approval::Machine>>();
    let timers = expiring_approval::MACHINE.timers().count();
    assert_eq!(
        with,
        56 + size_of::<expiring_approval::Data>() + 16 * timers
    );
}

#[test]
fn the_code_of_a_machine_without_timers_does_not_mention_timers() {
    let mut without = 0;
    for spec in ["valid", "valid/rules", "valid/invariants"]
        .map(specs)
        .concat()
    {
        let machine = compiled(&spec.name, &spec.text).compilation.machine;
        let machine = machine.expect("a valid spec");
        let code = rust(&machine, &quote!(::plan_machine)).to_string();
        let mentions = ["timer", "TIMER", "Timer", "check_due"].map(|word| code.contains(word));
        assert_eq!(
            mentions.contains(&true),
            machine.has_timers(),
            "{}",
            spec.name
        );
        without += usize::from(!machine.has_timers());
    }
    assert!(without > 20, "only {without} machines without timers");
}
