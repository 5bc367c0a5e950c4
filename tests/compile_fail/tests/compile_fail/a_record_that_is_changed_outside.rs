plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{Record, State, WorkByPlan, state};

fn approve(record: &mut Record) {
    record.state = State::Executing;
}

fn open(record: &mut Record) {
    record.open().state = State::Executing;
}

fn rewrite(plan: &mut WorkByPlan<state::Ready>) {
    plan.record_mut().data.markdown = None;
}

fn main() {}
