plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{AnyWorkByPlan, WorkByPlan, state};

fn fork(plan: &WorkByPlan<state::Ready>) -> WorkByPlan<state::Ready> {
    plan.clone()
}

fn fork_any(plan: &AnyWorkByPlan) -> AnyWorkByPlan {
    plan.clone()
}

fn main() {}
