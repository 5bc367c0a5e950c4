plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{Cx, WorkByPlan, state};

fn finish_twice(plan: WorkByPlan<state::Executing>, cx: &mut Cx) {
    let _completed = plan.finished(cx);
    let _again = plan.finished(cx);
}

fn main() {}
