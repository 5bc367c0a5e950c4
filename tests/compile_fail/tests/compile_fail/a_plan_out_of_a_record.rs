plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use plan_machine::StateMarker;
use work_by_plan::{AnyWorkByPlan, Record, WorkByPlan, state};

fn any(record: Box<Record>) -> AnyWorkByPlan {
    AnyWorkByPlan::untyped(record)
}

fn of(record: Box<Record>) -> AnyWorkByPlan {
    AnyWorkByPlan::of(record)
}

fn approved(record: Box<Record>) -> WorkByPlan<state::Executing> {
    state::Executing::of(record).expect("approved")
}

fn main() {}
