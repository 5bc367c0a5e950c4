plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use plan_machine::__private::Runtime;
use plan_machine::{Lifecycle, Steps};
use work_by_plan::{AnyWorkByPlan, Cx, Event, Machine, Record};

/// A handwritten machine receives only its own seals.
fn to_a_record<Own: Lifecycle>(mine: Runtime<Own>, record: &mut Record, event: &mut Event, cx: &mut Cx) {
    Machine::in_record(record, event, cx, mine).expect("accepted");
}

fn to_a_plan<Own: Lifecycle>(mine: Own::Seal, record: Box<Record>) -> AnyWorkByPlan {
    AnyWorkByPlan::untyped(mine, record)
}

fn main() {}
