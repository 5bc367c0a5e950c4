plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{WorkByPlan, state};

fn proved(plan: &WorkByPlan<state::Ready>) {
    let _text: &str = plan.markdown();
}

fn not_proved(plan: &WorkByPlan<state::Collecting>) {
    let _text: &str = plan.markdown();
}

fn main() {}
