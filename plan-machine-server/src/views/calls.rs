//! Which calls run, are recorded or are denied now.

use std::collections::BTreeSet;

use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::{Gate, Shape};
use plan_machine_kernel::json::{Json, Object};

/// Returns the decisions on the classes of calls, on the tools that are known by name, and on the machines' own tools.
pub(super) fn calls(gate: &Gate) -> Json {
    let mut rows = Vec::new();
    let set = gate.machine_set();
    for class in set.classes() {
        if let Some(handling) = gate.handling_of_class(class) {
            rows.push(row(class, "class", decision(handling)));
        }
    }
    let events = set.machines().flat_map(|tables| tables.events);
    let named = events.filter(|event| matches!(event.kind, EventKind::External));
    let named = named.map(|event| event.name.to_owned());
    let named = named.filter(|name| !set.classes().contains(name));
    let listed = set.host_tools().iter().map(|tool| tool.name.clone());
    let tools: BTreeSet<String> = named.chain(listed).collect();
    for tool in &tools {
        rows.push(row(tool, "tool", decision(gate.handling_of(tool))));
    }
    let open = advertised(gate);
    for event in set.machines().flat_map(|tables| tables.events) {
        if matches!(event.kind, EventKind::Tool { .. }) {
            let is_open = open.contains(event.name);
            rows.push(row(event.name, "own", if is_open { "run" } else { "deny" }));
        }
    }
    Json::List(rows)
}

/// Returns the names of the tools that the model sees now.
fn advertised(gate: &Gate) -> BTreeSet<String> {
    let tools = gate.advertised(Shape::Mcp);
    let tools = tools.as_list().unwrap_or_default().iter();
    let names = tools.filter_map(|tool| Some(tool.as_object()?.get("name")?.as_text()?.to_owned()));
    names.collect()
}

fn decision(handling: Handling) -> &'static str {
    match handling {
        Handling::Runs => "run",
        Handling::MayRun => "may_run",
        Handling::MayRecord => "may_record",
        Handling::Takes => "record",
        Handling::Denies | Handling::Nothing => "deny",
    }
}

fn row(name: &str, kind: &'static str, decision: &'static str) -> Json {
    let mut object = Object::new();
    object.push("name", name);
    object.push("kind", kind);
    object.push("decision", decision);
    object.into()
}
