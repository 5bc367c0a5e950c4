//! Tests that the schema and the reader accept the same keys.

use super::super::{declarations, scenarios, spec, states, transitions};
use super::*;
use crate::diagnostic::{Code, Sink};
use crate::source::SourceMap;

/// Returns the maps with fixed keys: the name of the schema's definition, the keys that the reader accepts, and a spec
/// in which `@` is inside such a map.
fn maps() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    vec![
        ("spec", spec::KEYS.into(), "@"),
        (
            "bounded_field",
            declarations::FIELD_KEYS.into(),
            "data: { f: { @ } }",
        ),
        (
            "type_declaration",
            declarations::TYPE_KEYS.into(),
            "types: { T: { @ } }",
        ),
        (
            "long_command",
            declarations::COMMAND_KEYS.into(),
            "commands: { c: { @ } }",
        ),
        (
            "signal",
            declarations::SIGNAL_KEYS.into(),
            "signals: { s: { @ } }",
        ),
        (
            "tool",
            declarations::TOOL_KEYS.into(),
            "tools: { t: { @ } }",
        ),
        (
            "effect",
            declarations::EFFECT_KEYS.into(),
            "effects: { e: { @ } }",
        ),
        ("state", states::KEYS.into(), "states: { S: { @ } }"),
        (
            "passage",
            states::PASSAGE_KEYS.into(),
            "states: { S: { enter: { @ } } }",
        ),
        ("transition", transitions::KEYS.into(), "other_tools: { @ }"),
        (
            "requirement",
            transitions::REQUIREMENT_KEYS.into(),
            "other_tools: { require: [{ @ }] }",
        ),
        (
            "update",
            transitions::UPDATE_KEYS.into(),
            "other_tools: { update: { l: { @ } } }",
        ),
        (
            "removal",
            transitions::REMOVAL_KEYS.into(),
            "other_tools: { remove: { l: { @ } } }",
        ),
        (
            "insertion",
            transitions::INSERTION_KEYS.into(),
            "other_tools: { insert: { l: { @ } } }",
        ),
        (
            "given_scenario",
            scenarios::SCENARIO_KEYS.into(),
            "scenarios: { s: { @ } }",
        ),
        ("step", scenarios::KEYS.into(), "scenarios: { s: [{ @ }] }"),
        (
            "call",
            scenarios::CALL_KEYS.into(),
            "scenarios: { s: [{ batch: [{ @ }] }] }",
        ),
    ]
}

/// Returns the names of the definitions of maps with fixed keys, together with these keys.
fn closed_maps() -> Vec<(String, Vec<String>)> {
    let mut all = definitions();
    all.push("spec", super::spec::spec());
    let closed = all.iter().filter_map(|(name, schema)| {
        let schema = schema.as_object()?;
        let keys = schema.get("properties")?.as_object()?;
        assert_eq!(schema.get("additionalProperties"), Some(&Json::Bool(false)));
        let keys = keys.iter().map(|(key, _)| key.to_owned());
        Some((name.to_owned(), keys.collect()))
    });
    closed.collect()
}

fn reader_knows(template: &str, key: &str) -> bool {
    let mut sources = SourceMap::default();
    let text = template.replace('@', &format!("{key}: {{}}"));
    let file = sources.add("spec.yaml", text);
    let mut sink = Sink::default();
    let read = super::super::read(&sources, file, &mut sink);
    assert!(read.is_some(), "{template} is YAML");
    !sink.has(Code::PM0103)
}

#[test]
fn every_map_has_the_keys_that_the_reader_knows() {
    let closed = closed_maps();
    for (name, keys, _) in maps() {
        let (_, found) = closed
            .iter()
            .find(|(closed, _)| closed == name)
            .expect("a definition");
        assert_eq!(*found, keys, "{name}");
    }
    // `next` accepts one map shape, which has no list of keys.
    let others = closed
        .iter()
        .filter(|(name, _)| maps().iter().all(|(known, ..)| known != name));
    let others: Vec<&str> = others.map(|(name, _)| name.as_str()).collect();
    assert_eq!(others, ["fresh_next"]);
}

#[test]
fn the_reader_takes_every_key_of_its_lists_and_no_other() {
    for (name, keys, template) in maps() {
        for key in keys {
            assert!(reader_knows(template, key), "{key} of {name}");
        }
        assert!(!reader_knows(template, "no_such_key"), "{name}");
    }
}

#[test]
fn every_reference_leads_to_a_definition_and_every_definition_is_used() {
    let schema = json_schema().to_string();
    let referred = schema.split("\"$ref\":\"#/$defs/").skip(1);
    let mut referred: Vec<&str> = referred.filter_map(|rest| rest.split('"').next()).collect();
    referred.sort_unstable();
    referred.dedup();
    let all = definitions();
    let mut defined: Vec<&str> = all.iter().map(|(name, _)| name).collect();
    defined.sort_unstable();
    assert_eq!(referred, defined);
}

#[test]
fn every_key_tells_what_it_is_for() {
    let mut all = definitions();
    all.push("spec", super::spec::spec());
    for (name, schema) in all.iter() {
        let keys = schema
            .as_object()
            .and_then(|schema| schema.get("properties"));
        for (key, schema) in keys
            .and_then(Json::as_object)
            .into_iter()
            .flat_map(Object::iter)
        {
            let mut schema = schema.as_object().expect("a schema");
            if schema.get("description").is_none() {
                let target = schema
                    .get("$ref")
                    .and_then(Json::as_text)
                    .expect("a description or a reference");
                let target = target.trim_start_matches("#/$defs/");
                schema = all
                    .get(target)
                    .and_then(Json::as_object)
                    .expect("a definition");
            }
            assert!(schema.get("description").is_some(), "{key} of {name}");
        }
    }
}
