//! Scenarios as tests of the generated code.

use plan_machine_kernel::json::{Json, Object};
use proc_macro2::TokenStream;
use quote::quote;
use unicode_ident::{is_xid_continue, is_xid_start};

use super::docs;
use super::names::ident;
use crate::model::machine::Machine;
use crate::model::names::{is_word_of_rust, value_name};
use crate::model::scenario::{Call, Expect, Expected, ExpectedEffect, Runs, Scenario, Step, What};

/// Returns one test per scenario, for test builds.
pub(super) fn tests(machine: &Machine) -> TokenStream {
    if machine.scenarios.is_empty() {
        return TokenStream::new();
    }
    let mut taken: Vec<String> = Vec::new();
    let tests = machine.scenarios.iter().map(|scenario| {
        let mut name = test_name(&scenario.name);
        while taken.contains(&name) {
            name.push('_');
        }
        taken.push(name.clone());
        test(machine, scenario, &name)
    });
    quote! {
        #[cfg(test)]
        mod scenarios {
            use super::*;
            #(#tests)*
        }
    }
}

/// Returns the name of a test; for example, `a plan revised while it runs` becomes `a_plan_revised_while_it_runs`.
fn test_name(name: &str) -> String {
    let name: String = value_name(name)
        .chars()
        .filter(|c| is_xid_continue(*c))
        .collect();
    match name.chars().next() {
        Some(first) if is_xid_start(first) && !is_word_of_rust(&name) => name,
        _ => format!("scenario_{name}"),
    }
}

fn test(machine: &Machine, scenario: &Scenario, name: &str) -> TokenStream {
    let doc = docs::doc(&format!("The scenario `{}`.", scenario.name));
    let name = ident(name);
    let given = scenario.given.iter().flat_map(|given| &given.scenarios);
    let given = given.flat_map(|scenario| {
        let steps = scenario.steps.iter();
        steps.map(|step| step_json(machine, step, Some(scenario.name.as_str())))
    });
    let own = scenario.steps.iter();
    let own = own.map(|step| step_json(machine, step, None));
    let steps = given.chain(own).map(|step| step.to_string());
    quote! {
        #doc
        #[test]
        fn #name() {
            rt::scenario(&Machine, &[#(#steps),*]);
        }
    }
}

/// Returns a step in the form that the scenario runner reads; `given` names the other scenario that the step comes
/// from.
fn step_json(machine: &Machine, step: &Step, given: Option<&str>) -> Json {
    let mut object = Object::new();
    if let Some(given) = given {
        object.push("given", given);
    }
    if let Some(period) = step.wait {
        object.push("wait", period.to_string());
    }
    let calls = step.calls.iter().map(|call| call_json(machine, call));
    object.push("calls", calls.collect::<Vec<Json>>());
    if step.batch {
        object.push("batch", true);
    }
    if step.repeat != 1 {
        object.push("repeat", step.repeat);
    }
    if !step.context.is_empty() {
        object.push("context", step.context.clone());
    }
    if let Some(at) = step.at {
        object.push("at", at.to_string());
    }
    expect_json(machine, &step.expect, &mut object);
    object.into()
}

fn call_json(machine: &Machine, call: &Call) -> Json {
    let mut object = Object::new();
    match &call.what {
        What::Event(event) => object.push("event", machine.event(*event).name.as_str()),
        What::Line(line) => object.push("line", line.as_str()),
        What::Tool(tool) => object.push("tool", tool.as_str()),
    }
    if !call.with.is_empty() {
        object.push("with", call.with.clone());
    }
    if let Some(id) = &call.plan_id {
        object.push("plan_id", id.as_str());
    }
    if let Some(revision) = call.expect_revision {
        object.push("expect_revision", revision);
    }
    object.into()
}

fn expect_json(machine: &Machine, expect: &Expect, object: &mut Object) {
    if let Some(then) = &expect.then {
        let leaves = machine.leaves_under(then.node);
        object.push(
            "then",
            texts(leaves.iter().map(|leaf| machine.state(*leaf).name.as_str())),
        );
    }
    if let Some(ended) = &expect.ended {
        object.push("ended", machine.state(ended.node).name.as_str());
    }
    if !expect.data.is_empty() {
        let mut data = Object::new();
        for (field, wanted) in &expect.data {
            data.push(
                machine.field(*field).name.clone(),
                expected_json(&wanted.node),
            );
        }
        object.push("data", data);
    }
    if let Some(reply) = &expect.reply {
        object.push("reply", expected_json(&reply.node));
    }
    if let Some(emits) = &expect.emits {
        let effects = emits.node.iter();
        let effects = effects.map(|effect| effect_json(machine, effect));
        object.push("emits", effects.collect::<Vec<Json>>());
    }
    if let Some(tools) = &expect.advertises {
        object.push("advertises", texts(tools.node.iter().map(String::as_str)));
    }
    match expect.runs.as_ref().map(|runs| &runs.node) {
        Some(Runs::One(runs)) => object.push("runs", *runs),
        Some(Runs::Tools(tools)) => object.push("runs", texts(tools.iter().map(String::as_str))),
        None => {}
    }
    if let Some(denied) = &expect.denied {
        object.push("denied", denied.node.as_str());
    }
    if let Some(messages) = &expect.messages {
        object.push("messages", texts(messages.node.iter().map(String::as_str)));
    }
}

/// Returns an expected effect: its name, or an object with its name and the expected fields.
fn effect_json(machine: &Machine, wanted: &ExpectedEffect) -> Json {
    let declared = machine.effect(wanted.effect);
    if wanted.fields.is_empty() {
        return Json::from(declared.name.as_str());
    }
    let fields = wanted.fields.iter().map(|(field, value)| {
        let name = declared.fields[field.index()].name.clone();
        (name, expected_json(&value.node))
    });
    let mut object = Object::new();
    object.push(declared.name.clone(), fields.collect::<Object>());
    object.into()
}

fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Json> {
    texts.map(Json::from).collect()
}

/// Returns an expected value: a quoted string is a JSON string, any other scalar is `{"plain": …}`, a list is a JSON
/// array, and a map is `{"map": …}`.
fn expected_json(expected: &Expected) -> Json {
    let wrapped = |key: &'static str, json: Json| -> Json {
        let mut object = Object::new();
        object.push(key, json);
        object.into()
    };
    match expected {
        Expected::Scalar { text, quoted: true } => Json::from(text.as_str()),
        Expected::Scalar { text, .. } => wrapped("plain", Json::from(text.as_str())),
        Expected::List(items) => Json::List(items.iter().map(expected_json).collect()),
        Expected::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (key.clone(), expected_json(value)));
            wrapped("map", entries.collect::<Object>().into())
        }
    }
}
