plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{Cx, WorkByPlan, state};

fn without(plan: WorkByPlan<state::Ready>, cx: &mut Cx) {
    let _ = plan.approve(cx);
}

fn with_a_text(plan: WorkByPlan<state::Ready>, cx: &mut Cx) {
    let _ = plan.approve("1-02c18244", cx);
}

fn main() {}
