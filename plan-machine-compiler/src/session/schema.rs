//! The JSON schema of session documents, for editors: it describes the shapes that the `read` module accepts.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};

use super::parts::{
    Entry, about, closed, excluding, free_map_of, list_of, map_of, one_of_words, reference,
    requiring, types, whole,
};
use super::read::WARNINGS;
use super::{scalars, scenario_schemas};

/// Returns the JSON schema (draft 2020-12) of session documents.
///
/// ```
/// use plan_machine_compiler::session::json_schema;
///
/// let schema = json_schema().to_string();
/// assert!(schema.starts_with(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema""#));
/// ```
#[must_use]
pub fn json_schema() -> Json {
    whole("plan-machine session", document(), definitions())
}

fn document() -> Object {
    let machines = "The machines of the session: each is written as a path relative to the folder of this document, or as `plan-specs:NAME`.";
    let calls = "The calls document that maps each call to a class, written as a path relative to the folder of this document, or as `plan-specs:NAME`.";
    let invariants = "What is always true: `always E`, `never E`, `MACHINE.EVENT only in E` or `E only by MACHINE.EVENT`.";
    let scenarios = "Example runs, each with the expected results.";
    let keys = [
        (
            "session",
            said("name", "The name of the session, such as `Coding`."),
        ),
        ("doc", said("text", "The purpose of the session.")),
        (
            "deny",
            about("Treats warnings as errors.", one_of_words(&[WARNINGS])),
        ),
        (
            "machines",
            about(machines, not_empty(map_of(types(&["string"])))),
        ),
        ("calls", about(calls, types(&["string"]))),
        ("commands", commands()),
        ("invariants", about(invariants, map_of(types(&["string"])))),
        (
            "scenarios",
            about(scenarios, free_map_of(reference("scenario"))),
        ),
    ];
    let document = requiring(&["session", "machines"], closed(keys));
    about("Several machines in one session.", document)
}

fn commands() -> Object {
    let mut prefix = types(&["string"]);
    prefix.push("minLength", 1_i64);
    prefix.push("maxLength", 1_i64);
    let words = "The character that commands begin with instead of `/`, for agents that use `/` themselves.";
    about(
        "How commands are typed.",
        closed([("prefix", about(words, prefix))]),
    )
}

fn definitions() -> Object {
    let mut name = types(&["string"]);
    name.push("pattern", "^[A-Za-z][A-Za-z0-9_]{0,99}$");
    let all: [Entry; 7] = [
        ("step", step()),
        ("call", call()),
        ("name", name),
        ("text", types(&["string", "number", "boolean"])),
        ("positive", scalars::positive()),
        ("whole", scalars::whole()),
        ("payload", scalars::payload()),
    ];
    let scenario = scenario_schemas::scenario();
    scenario.into_iter().chain(all).collect()
}

fn step() -> Object {
    let states = "The states of machines after the step.";
    let ended = "The final states of the plans of machines that were replaced or released.";
    let data = "The values of some fields of machines after the step.";
    let emits = "For each machine that is named: all of its effects, in order.";
    let advertises = "The tools of all machines that the model sees after the step.";
    let runs = "Whether the tool runs; for a batch, the tools that run.";
    let kinds: Vec<&str> = DenialKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let keys = closed([
        (
            "do",
            said("text", "A command as it is typed, or `MACHINE.EVENT`."),
        ),
        ("tool", said("text", "A tool that the model calls.")),
        (
            "batch",
            about(
                "The calls of one response of the model.",
                list_of(reference("call")),
            ),
        ),
        (
            "wait",
            said(
                "text",
                "The time that passes before the next step, such as `1h`: timers that become due fire.",
            ),
        ),
        (
            "turn",
            said(
                "text",
                "The id of a turn that begins, because a person has sent a message that is not a command.",
            ),
        ),
        (
            "class",
            said(
                "name",
                "The class of the call, according to the calls document.",
            ),
        ),
        ("with", about("The payload.", types(&["object", "null"]))),
        (
            "plan_id",
            said("text", "The plan that the call is meant for."),
        ),
        ("expect_revision", scenario_schemas::revision()),
        (
            "repeat",
            said("positive", "How many times the step is sent."),
        ),
        (
            "context",
            about("The context of the host.", types(&["object", "null"])),
        ),
        (
            "actor",
            said(
                "text",
                "The sender of a command, which `event.actor` reads.",
            ),
        ),
        ("at", said("text", "The time of the step.")),
        ("then", about(states, map_of(reference("name")))),
        ("ended", about(ended, map_of(reference("name")))),
        ("data", about(data, map_of(types(&["object"])))),
        ("reply", about("The expected reply.", Object::new())),
        ("emits", about(emits, map_of(scenario_schemas::emits()))),
        ("advertises", about(advertises, list_of(reference("name")))),
        ("runs", about(runs, types(&["boolean", "string", "array"]))),
        (
            "denied",
            about("The kind of the expected denial.", one_of_words(&kinds)),
        ),
        (
            "messages",
            about("The messages of the denial.", list_of(reference("text"))),
        ),
    ]);
    // Each call of a batch has its own class and payload.
    excluding(
        &["batch", "wait", "turn"],
        &["class", "with", "plan_id", "expect_revision"],
        keys,
    )
}

fn call() -> Object {
    closed([
        ("tool", said("text", "The tool.")),
        (
            "class",
            said(
                "name",
                "The class of the call, according to the calls document.",
            ),
        ),
        ("with", about("The arguments.", types(&["object", "null"]))),
        (
            "plan_id",
            said("text", "The plan that the call is meant for."),
        ),
    ])
}

/// Returns a reference to a definition, with the description that an editor shows.
fn said(name: &str, words: &str) -> Object {
    about(words, reference(name))
}

/// Adds the requirement that a map has at least one entry.
fn not_empty(map: Object) -> Object {
    let mut schema = map;
    schema.insert("type", "object");
    schema.push("minProperties", 1_i64);
    schema
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::read::{COMMAND_KEYS, KEYS};
    use super::super::steps;
    use super::*;

    #[test]
    fn the_schema_and_the_reader_know_the_same_keys() {
        let known: [(Object, &[&str]); 4] = [
            (document(), &KEYS),
            (commands(), &COMMAND_KEYS),
            (step(), &steps::KEYS),
            (call(), &steps::BATCH_KEYS),
        ];
        for (schema, keys) in known {
            let properties = schema.get("properties").and_then(Json::as_object);
            let properties = properties.into_iter().flat_map(Object::iter);
            let properties: Vec<&str> = properties.map(|(key, _)| key).collect();
            assert_eq!(properties, keys);
        }
    }

    #[test]
    fn every_reference_leads_to_a_definition_and_every_definition_is_used() {
        let schema = json_schema().to_string();
        let referred = schema.split("\"$ref\":\"#/$defs/").skip(1);
        let referred = referred.filter_map(|rest| rest.split('"').next());
        let referred: BTreeSet<&str> = referred.collect();
        let all = definitions();
        let defined: BTreeSet<&str> = all.iter().map(|(name, _)| name).collect();
        assert_eq!(referred, defined);
    }
}
