//! The JSON schema of calls documents, for editors: it describes the shapes that the `read` module accepts.

use plan_machine_kernel::json::{Json, Object};

use super::parts::{
    Entry, about, any_of, closed, free_map_of, list, list_of, one, pattern, reference, requiring,
    some_of, types, whole,
};
use super::scalars;

/// Returns the JSON schema (draft 2020-12) of calls documents.
///
/// ```
/// use plan_machine_compiler::calls::json_schema;
///
/// let schema = json_schema().to_string();
/// assert!(schema.starts_with(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema""#));
/// ```
#[must_use]
pub fn json_schema() -> Json {
    whole("plan-machine calls", document(), definitions())
}

fn document() -> Object {
    let tools = "Which arguments of a tool hold a command or paths, such as `{ Bash: { command: command } }`.";
    let keys = [
        one(
            "calls",
            "name",
            "The name of the document, such as `ClaudeCode`.",
        ),
        one("doc", "text", "The purpose of the document."),
        ("tools", about(tools, free_map_of(reference("tool")))),
        (
            "classes",
            about("The classes of calls.", some_of(reference("name"))),
        ),
        list("rules", "rule", "The rules; the first match wins."),
        one(
            "otherwise",
            "name",
            "The class of every call that no rule matches; it must be the one with the fewest permissions.",
        ),
        list(
            "examples",
            "example",
            "Calls with the class that each must have.",
        ),
    ];
    let document = requiring(&["calls", "classes", "rules", "otherwise"], closed(keys));
    about("The classes of an agent's tool calls.", document)
}

fn definitions() -> Object {
    let outside = pattern(&["string", "number", "boolean"], "^[^\\s*?]{1,200}$");
    let all: [Entry; 8] = [
        ("tool", tool()),
        ("rule", rule()),
        ("example", example()),
        ("name", scalars::name()),
        ("outside", outside),
        ("outsides", one_or_more("outside")),
        ("text", types(&["string", "number", "boolean"])),
        ("texts", one_or_more("text")),
    ];
    all.into_iter().collect()
}

fn one_or_more(name: &str) -> Object {
    any_of([reference(name), list_of(reference(name))])
}

fn tool() -> Object {
    let reads = about(
        "Whether the tool only reads the files that its paths name.",
        types(&["boolean"]),
    );
    let ignores = "Further arguments that do not change what the command does. A call with any other argument matches no rule with `command`.";
    closed([
        one(
            "command",
            "outside",
            "The argument that holds a shell command.",
        ),
        one(
            "folder",
            "outside",
            "The argument that holds the folder in which the command runs.",
        ),
        one(
            "path",
            "outsides",
            "The arguments that hold a path or a list of paths.",
        ),
        one("patch", "outside", "The argument that holds a patch."),
        ("reads", reads),
        one("ignores", "outsides", ignores),
    ])
}

fn rule() -> Object {
    let command = requiring(
        &["only"],
        closed([one(
            "only",
            "texts",
            "The commands that the call may run, listed by their first words.",
        )]),
    );
    let path = requiring(
        &["under"],
        closed([one(
            "under",
            "texts",
            "The project folders in which all paths of the call must be.",
        )]),
    );
    let arguments = requiring(
        &["only"],
        closed([one(
            "only",
            "outsides",
            "The names that the arguments may have.",
        )]),
    );
    let keys = [
        one("tool", "outsides", "The tools."),
        (
            "command",
            about("The condition that the command must meet.", command),
        ),
        (
            "path",
            about("The condition that all paths must meet.", path),
        ),
        (
            "arguments",
            about("The condition that all arguments must meet.", arguments),
        ),
        one("class", "name", "The class of the calls that match."),
    ];
    requiring(&["tool", "class"], closed(keys))
}

fn example() -> Object {
    let keys = [
        one("tool", "outside", "The tool."),
        ("with", about("Its arguments.", types(&["object", "null"]))),
        one(
            "class",
            "name",
            "The class that the call must have; `guard` is built in.",
        ),
    ];
    requiring(&["tool", "class"], closed(keys))
}

#[cfg(test)]
mod tests {
    use super::super::read::rule::{ARGUMENT_KEYS, COMMAND_KEYS, PATH_KEYS, RULE_KEYS};
    use super::super::read::tool::TOOL_KEYS;
    use super::super::read::{EXAMPLE_KEYS, KEYS};
    use super::*;

    fn properties(schema: &Object) -> Vec<&str> {
        let properties = schema.get("properties").and_then(Json::as_object);
        let properties = properties.into_iter().flat_map(Object::iter);
        properties.map(|(key, _)| key).collect()
    }

    #[test]
    fn the_schema_and_the_reader_know_the_same_keys() {
        let known: [(Object, &[&str]); 4] = [
            (document(), &KEYS),
            (tool(), &TOOL_KEYS),
            (rule(), &RULE_KEYS),
            (example(), &EXAMPLE_KEYS),
        ];
        for (schema, keys) in known {
            assert_eq!(properties(&schema), keys);
        }
        let rule = rule();
        for (name, keys) in [
            ("command", &COMMAND_KEYS),
            ("path", &PATH_KEYS),
            ("arguments", &ARGUMENT_KEYS),
        ] {
            let inner = rule.get("properties").and_then(Json::as_object);
            let inner = inner
                .and_then(|inner| inner.get(name))
                .and_then(Json::as_object);
            assert_eq!(inner.map(properties), Some(keys.to_vec()));
        }
    }
}
