//! The schemas of names, strings, numbers and values.

use plan_machine_kernel::json::Object;

use super::parts::{Entry, about, any_of, free_map_of, list_of, map_of, pattern, reference, types};

pub(super) fn definitions() -> Vec<Entry> {
    vec![
        ("name", name()),
        ("names", list_of(reference("name"))),
        ("path", path()),
        ("text", types(&["string", "number", "boolean"])),
        ("truth", truth()),
        ("positive", positive()),
        ("whole", whole()),
        ("condition", condition()),
        ("value", value()),
        ("values", map_of(reference("value"))),
        ("payload", payload()),
    ]
}

pub(crate) fn name() -> Object {
    pattern(&["string"], "^[A-Za-z][A-Za-z0-9_]{0,99}$")
}

fn path() -> Object {
    let name = "[A-Za-z][A-Za-z0-9_]{0,99}";
    pattern(&["string"], &format!("^{name}(\\.{name})*$"))
}

fn truth() -> Object {
    pattern(&["boolean", "string"], "^(true|false)$")
}

pub(crate) fn positive() -> Object {
    let mut schema = pattern(&["integer", "string"], "^\\+?0*[1-9][0-9]*$");
    schema.push("minimum", 1_i64);
    schema
}

pub(crate) fn whole() -> Object {
    pattern(&["integer", "string"], "^[+-]?[0-9]+$")
}

fn condition() -> Object {
    let words = "An expression, such as `markdown is set and len(steps) < 5`.";
    about(words, types(&["string", "number", "boolean"]))
}

fn value() -> Object {
    let words = "A value. A plain scalar is an expression (`event.title ?? title`), a quoted or block scalar is \
        a string in which `{expr}` is replaced by its value, a map is a record, and a sequence is a list.";
    let schemas = [
        types(&["string", "number", "boolean"]),
        list_of(reference("value")),
        {
            let mut record = free_map_of(reference("value"));
            record.insert("type", "object");
            record
        },
    ];
    about(words, any_of(schemas))
}

pub(crate) fn payload() -> Object {
    let words = "Fields and their values, which are literals.";
    about(words, types(&["object", "null"]))
}
