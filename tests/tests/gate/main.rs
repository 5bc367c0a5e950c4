//! The gate: one table determines which tools are advertised and which calls are allowed.

mod advertised;
mod batches;
mod classes;
mod commands;
mod conflicts;
mod counted;
mod decisions;
mod escalation;
mod host;
mod prefix;
mod senders;
mod traces;
mod turns;

use std::collections::BTreeSet;

use plan_machine::gate::{Conflict, Decision, Gate, GateBuilder, Shape, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::{DenialKind, Json, Object};

plan_machine::machine!("corpus/valid/work_by_plan.yaml");
plan_machine::machine!("corpus/valid/plan_mode.yaml");
plan_machine::machine!("corpus/valid/refilled_budget.yaml");
plan_machine::machine!("corpus/valid/two_people.yaml");

const HOST: [&str; 3] = ["read_file", "write_file", "shell"];

fn interpreted(spec: &str) -> InterpretedMachine {
    InterpretedMachine::read("spec.yaml", spec).expect("a valid spec")
}

fn with_host(assembly: GateBuilder) -> GateBuilder {
    HOST.iter().fold(assembly, |assembly, name| {
        assembly.host_tool(name, "A host tool.", Object::new())
    })
}

fn call(name: &str) -> ToolCall {
    ToolCall::new(name, Object::new())
}

fn denied(decision: &Decision) -> Option<DenialKind> {
    match decision {
        Decision::Denied(denial) => Some(denial.kind),
        _ => None,
    }
}

fn conflict(assembly: GateBuilder) -> Conflict {
    assembly.open().expect_err("machines with conflicts")
}

/// Returns the names of the tools that the model sees.
fn advertised(gate: &Gate) -> BTreeSet<String> {
    let tools = gate.advertised(Shape::Anthropic);
    let tools = tools
        .as_list()
        .unwrap_or_default()
        .iter()
        .filter_map(Json::as_object);
    tools
        .filter_map(|tool| tool.get("name")?.as_text().map(str::to_owned))
        .collect()
}
