plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::{AnyWorkByPlan, State, Typed};

fn is_open(state: State) -> bool {
    match state {
        State::Collecting | State::Ready | State::Executing => true,
        State::Completed | State::Cancelled | State::Closed => false,
    }
}

fn text(plan: AnyWorkByPlan) -> String {
    match plan.typed() {
        Typed::Ready(plan) => plan.markdown().to_owned(),
        Typed::Executing(plan) => plan.markdown().to_owned(),
        Typed::Completed(plan) => plan.markdown().to_owned(),
        Typed::Collecting(_) | Typed::Cancelled(_) | Typed::Closed(_) => String::new(),
    }
}

fn main() {}
