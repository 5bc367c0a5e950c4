//! Fields, types, commands, signals, tools and effects.

use plan_machine_kernel::json::Object;

use super::parts::{
    Entry, a, about, any_of, closed, map_of, reference, requiring, requiring_one_of, some_of,
    texts, types,
};

pub(super) fn definitions() -> Vec<Entry> {
    vec![
        ("fields", map_of(reference("field"))),
        (
            "field",
            any_of([reference("type"), reference("bounded_field")]),
        ),
        ("bounded_field", bounded_field()),
        ("type", type_expression()),
        ("type_declaration", type_declaration()),
        (
            "command",
            any_of([reference("command_text"), reference("long_command")]),
        ),
        ("command_text", command_text()),
        ("long_command", long_command()),
        ("signal", signal()),
        ("tool", tool()),
        ("effect", effect()),
    ]
}

fn bounded_field() -> Object {
    let keys = closed([
        ("type", reference("type")),
        (
            "optional",
            a(
                "truth",
                "Whether it may be unset; `type: T?` says the same.",
            ),
        ),
        (
            "max",
            a(
                "positive",
                "The bound: characters of a text, items of a list, bytes of a `json` value (65536 by default).",
            ),
        ),
        (
            "nonblank",
            a(
                "truth",
                "Whether a text must contain more than white space.",
            ),
        ),
        (
            "default",
            literal("The initial value, or the value if a payload omits it."),
        ),
        (
            "doc",
            a("text", "What it holds; models see it in the tool's schema."),
        ),
    ]);
    requiring(&["type"], keys)
}

/// Returns the schema of a literal, which may be any value.
pub(super) fn literal(words: &str) -> Object {
    about(words, Object::new())
}

fn type_expression() -> Object {
    let words = "`string`, `int`, `bool`, `time`, `id`, `json`, or a name from `types`; `T?` may be unset, `[T]` is a list.";
    let mut written = types(&["string"]);
    written.push("pattern", "^[\\[\\s]*[A-Za-z][A-Za-z0-9_]*[\\]?\\s]*$");
    let known = ["string", "string?", "int", "bool", "time", "id", "json"];
    written.push("examples", texts(&known));
    let mut list = some_of(reference("type"));
    list.push("maxItems", 1_i64);
    about(words, any_of([written, list]))
}

fn type_declaration() -> Object {
    let keys = closed([
        (
            "enum",
            about("The values of an enum.", some_of(reference("name"))),
        ),
        ("fields", a("fields", "The fields of a record.")),
        ("doc", a("text", "What it means.")),
    ]);
    requiring_one_of(&["enum", "fields"], keys)
}

fn command_text() -> Object {
    let words = "What the user types: `/plan approve {token?}`. `{x}` is an argument, `{x?}` an optional one, `{x...}` the rest of the line.";
    let mut schema = types(&["string"]);
    schema.push("pattern", "^\\s*/\\S");
    about(words, schema)
}

fn long_command() -> Object {
    let keys = closed([
        ("text", reference("command_text")),
        (
            "input",
            a("fields", "Arguments with types other than `string`."),
        ),
        ("doc", a("text", "What it does.")),
        (
            "reviewed",
            a(
                "truth",
                "Whether it decides about content that a person has seen: it carries the token of what was shown, and any other token is stale.",
            ),
        ),
        (
            "shared",
            a(
                "truth",
                "Whether other machines of a session may have the same text.",
            ),
        ),
        (
            "each",
            a(
                "truth",
                "With `instances: many`: whether it goes to every plan that handles it.",
            ),
        ),
    ]);
    requiring(&["text"], keys)
}

fn signal() -> Object {
    closed([
        ("doc", a("text", "What has happened.")),
        (
            "input",
            a("fields", "What it carries; read as `event.field`."),
        ),
    ])
}

fn tool() -> Object {
    closed([
        ("doc", a("text", "What it does, for the model.")),
        (
            "input",
            a("fields", "Its arguments; read as `event.field`."),
        ),
        (
            "read",
            a(
                "truth",
                "Whether it only reads: it may require and reply, nothing else.",
            ),
        ),
        (
            "external",
            a("truth", "Whether it may emit external effects."),
        ),
    ])
}

fn effect() -> Object {
    closed([
        ("doc", a("text", "What the host does then.")),
        ("fields", a("fields", "What it carries.")),
        (
            "external",
            a(
                "truth",
                "Whether it changes the outside world; a tool emits it only if the tool is `external` too.",
            ),
        ),
    ])
}
