//! This code uses everything that the machine would define, but only the spec's error is reported.

plan_machine::machine!("tests/compile_fail/unknown_name.yaml");

use work_by_plan::{
    AnyWorkByPlan, Command, Context, Cx, Data, Effect, Event, HeldPlans, MACHINE, Machine, NoPlan,
    Record, State, Tool, Typed, WorkByPlan, event, state, step, types,
};

fn typed(cx: &mut Cx) -> WorkByPlan<state::Executing> {
    let plan = NoPlan.plan_on(cx);
    let Ok(plan) = plan.plan_set_content("# v1".into(), None, cx) else { panic!() };
    let token = plan.token();
    let text: &str = plan.markdown();
    println!("{text}");
    plan.approve(token, cx).unwrap()
}

fn dynamic(held: &mut HeldPlans, mut cx: Cx, any: AnyWorkByPlan) {
    let content = event::PlanSetContent { plan_markdown: "# v1".into(), title: None };
    let accepted = step(held, Event::PlanSetContent(content), &mut cx).unwrap();
    println!("{:?} {}", accepted.reply(), MACHINE.name);
    match any.typed() {
        Typed::Ready(plan) => println!("{}", plan.markdown()),
        Typed::Collecting(_) | Typed::Executing(_) => {}
    }
}

fn exhaustive(effect: Effect, state: State, tool: Tool, command: Command) {
    match effect {
        Effect::PlanReady { plan, token } => println!("{plan} {token}"),
    }
    match (state, tool, command) {
        (State::Ready, Tool::PlanGet, Command::PlanOn) => {}
        _ => {}
    }
    for tool in Tool::ALL {
        println!("{}", tool.as_str());
    }
}

fn values(record: &Record) -> (Data, Context) {
    let data = Data { title: record.data.title.clone(), markdown: None, steps: vec![] };
    let step = types::Step { task: String::new(), agent: types::Agent::Coder };
    println!("{}", step.task);
    (data, Context::default())
}

fn session<M: plan_machine::Lifecycle>(_: M) {}

fn main() {
    session(Machine);
}
