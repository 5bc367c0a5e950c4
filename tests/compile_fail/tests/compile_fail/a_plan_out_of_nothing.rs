plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use std::marker::PhantomData;

use work_by_plan::{Record, WorkByPlan, state};

fn approved(record: Box<Record>) -> WorkByPlan<state::Executing> {
    WorkByPlan { record, state: PhantomData }
}

fn main() {}
