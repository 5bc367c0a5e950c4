plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use plan_machine::{PlanHolder, Steps};
use work_by_plan::{AnyWorkByPlan, Cx, Event, HeldPlans, Machine, Record};

fn to_a_record(record: &mut Record, event: &mut Event, cx: &mut Cx) {
    Machine::in_record(record, event, cx).expect("accepted");
}

fn to_none(event: &mut Event, cx: &mut Cx) {
    Machine::in_none(event, cx).expect("accepted");
}

fn into_the_slot(held: &mut HeldPlans, plan: AnyWorkByPlan) {
    held.put_back(plan);
}

fn without_an_address(held: &mut HeldPlans, event: &mut Event, cx: &mut Cx) {
    let target = held.find(0, &plan_machine::Address::ANY).expect("found");
    held.take(target, event, cx).expect("accepted");
}

fn counting_anew(held: &mut HeldPlans) {
    held.set_editions(plan_machine::Editions::default());
}

fn main() {}
