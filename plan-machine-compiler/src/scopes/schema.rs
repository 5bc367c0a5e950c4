//! The JSON schema of scopes documents, for editors: it describes the shapes that the `read` module accepts.

use plan_machine_kernel::json::{Json, Object};

use super::parts::{
    Entry, about, closed, list, map, map_of, not_empty, one, one_of_words, pattern, reference,
    requiring, some_of, types, whole,
};
use super::read::{PROMOTED, STRING};
use super::scalars;

/// Returns the JSON schema (draft 2020-12) of scopes documents.
///
/// ```
/// use plan_machine_compiler::scopes::json_schema;
///
/// let schema = json_schema().to_string();
/// assert!(schema.starts_with(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema""#));
/// ```
#[must_use]
pub fn json_schema() -> Json {
    whole("plan-machine scopes", document(), definitions())
}

fn document() -> Object {
    let keys = [
        one(
            "scopes",
            "name",
            "The name of the scopes, such as `Memory`.",
        ),
        one("doc", "text", "The purpose of the scopes."),
        ("identity", identity()),
        one(
            "legacy",
            "name",
            "The level to which stored items without a scope belong.",
        ),
        (
            "levels",
            about(
                "The levels of memory.",
                not_empty(map_of(reference("level"))),
            ),
        ),
        map("runs", "run", "The kinds of runs."),
        ("invariants", invariants()),
    ];
    let document = requiring(&["scopes", "identity", "levels"], closed(keys));
    about("Which memory a run of an agent reads and writes.", document)
}

fn definitions() -> Object {
    let all: [Entry; 4] = [
        ("level", level()),
        ("run", run()),
        ("name", scalars::name()),
        ("text", types(&["string", "number", "boolean"])),
    ];
    all.into_iter().collect()
}

fn identity() -> Object {
    let words = "The parts that distinguish one session from another, such as `{ channel: string, conversation: string }`.";
    about(words, not_empty(map_of(one_of_words(&[STRING]))))
}

fn level() -> Object {
    let key = "[A-Za-z0-9_.-]+|\\{[A-Za-z][A-Za-z0-9_]{0,99}\\}";
    let written = format!("^({key})(:({key}))*$");
    let written = pattern(&["string", "number", "boolean"], &written);
    let words = "Words and placeholders separated by colons, such as `task:{channel}:{task}`. A placeholder names either a part of the identity or an id of the runs.";
    let promoted =
        "`promoted`: no run writes to this level directly; a person promotes items to it.";
    let keys = [
        ("key", about(words, written)),
        ("write", about(promoted, one_of_words(&[PROMOTED]))),
        one("doc", "text", "The content of the level."),
    ];
    requiring(&["key"], closed(keys))
}

fn run() -> Object {
    let reads = "The levels that the run reads, starting with the nearest.";
    let writes = "The classes of items that the run writes, each with the level that the items are written to.";
    let keys = [
        list("ids", "name", "The ids that a run of this kind needs."),
        ("reads", about(reads, some_of(reference("name")))),
        map("writes", "name", writes),
        one("doc", "text", "The purpose of runs of this kind."),
    ];
    requiring(&["reads"], closed(keys))
}

fn invariants() -> Object {
    let name = "[A-Za-z][A-Za-z0-9_]{0,99}";
    let written = format!("^\\s*{name}\\s+never\\s+(reads|writes)\\s+{name}\\s*$");
    let invariant = pattern(&["string"], &written);
    let words = "A rule for the runs: `RUN never reads LEVEL` or `RUN never writes LEVEL`.";
    about(words, map_of(invariant))
}

#[cfg(test)]
mod tests {
    use super::super::read::{KEYS, LEVEL_KEYS, RUN_KEYS};
    use super::*;

    #[test]
    fn the_schema_and_the_reader_know_the_same_keys() {
        let known: [(Object, &[&str]); 3] = [
            (document(), &KEYS),
            (level(), &LEVEL_KEYS),
            (run(), &RUN_KEYS),
        ];
        for (schema, keys) in known {
            let properties = schema.get("properties").and_then(Json::as_object);
            let properties = properties.into_iter().flat_map(Object::iter);
            let properties: Vec<&str> = properties.map(|(key, _)| key).collect();
            assert_eq!(properties, keys);
        }
    }
}
