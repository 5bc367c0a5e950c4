plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{Cx, WorkByPlan, state};

fn finish(plan: WorkByPlan<state::Ready>, cx: &mut Cx) {
    plan.finished(cx);
}

fn main() {}
