//! The schemas of fields, types, commands, signals, tools and effects.

use plan_machine_kernel::json::Object;

use super::parts::{
    Entry, a, about, any_of, closed, list_of, map_of, one, pattern, reference, requiring,
    requiring_one_of, some_of, texts,
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
        ("external_tools", external_tools()),
    ]
}

fn bounded_field() -> Object {
    let keys = closed([
        ("type", reference("type")),
        one(
            "optional",
            "truth",
            "Whether the field may be unset; `type: T?` has the same meaning.",
        ),
        one(
            "max",
            "positive",
            "The maximum size: characters of a string, items of a list, bytes of a `json` value (65536 by \
                default).",
        ),
        one(
            "nonblank",
            "truth",
            "Whether a string must contain more than whitespace.",
        ),
        (
            "default",
            literal("The initial value of the field, or its value if a payload omits the field."),
        ),
        one(
            "doc",
            "text",
            "What the field contains; models see this text in the tool's schema.",
        ),
    ]);
    requiring(&["type"], keys)
}

/// Returns the schema of a literal, which may be any value.
pub(super) fn literal(words: &str) -> Object {
    about(words, Object::new())
}

fn type_expression() -> Object {
    let words = "`string`, `int`, `bool`, `time`, `id`, `json`, or a name from `types`; a `T?` may be unset, \
        and a `[T]` is a list.";
    let mut written = pattern(&["string"], "^[\\[\\s]*[A-Za-z][A-Za-z0-9_]*[\\]?\\s]*$");
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
        one("fields", "fields", "The fields of a record."),
        one("doc", "text", "What the type means."),
    ]);
    requiring_one_of(&["enum", "fields"], keys)
}

fn command_text() -> Object {
    let words = "What the user types, such as `/plan approve {token?}`. `{x}` is an argument, `{x?}` is an \
        optional argument, and `{x...}` is the rest of the line.";
    about(words, pattern(&["string"], "^\\s*/\\S"))
}

fn long_command() -> Object {
    let keys = closed([
        ("text", reference("command_text")),
        one(
            "input",
            "fields",
            "The arguments with a type other than `string`, or with bounds; the others are strings.",
        ),
        one("doc", "text", "What the command does."),
        one(
            "reviewed",
            "truth",
            "Whether the command is a decision about content that a person has seen. Such a command \
                carries the token of the content that was shown; with any other token, or without one, it \
                is denied.",
        ),
        one(
            "shared",
            "truth",
            "Whether other machines of a session may have a command with the same text.",
        ),
        one(
            "each",
            "truth",
            "With `instances: many`: whether the command goes to every plan that handles it.",
        ),
        ("unavailable", unavailable()),
    ]);
    requiring(&["text"], keys)
}

fn signal() -> Object {
    closed([
        one("doc", "text", "The occurrence that the signal reports."),
        one(
            "input",
            "fields",
            "The fields of the signal; expressions read them as `event.field`.",
        ),
        ("unavailable", unavailable()),
    ])
}

fn tool() -> Object {
    closed([
        one("doc", "text", "What the tool does; models read this text."),
        one(
            "input",
            "fields",
            "The arguments of the tool; expressions read them as `event.field`.",
        ),
        one(
            "read",
            "truth",
            "Whether the tool only reads: its transitions can have only `when`, `require` and `reply`.",
        ),
        one(
            "external",
            "truth",
            "Whether the tool may emit external effects.",
        ),
        ("unavailable", unavailable()),
    ])
}

/// Returns the schema of the text that a sender gets if the event is not available.
pub(super) fn unavailable() -> Object {
    a(
        "text",
        "What the sender reads if the state does not handle the event, instead of a built-in text; the \
            text may contain `{plan.state}` and `{context.field}`.",
    )
}

fn external_tools() -> Object {
    let settings = closed([("unavailable", unavailable())]);
    list_of(any_of([reference("name"), map_of(settings)]))
}

fn effect() -> Object {
    closed([
        one(
            "doc",
            "text",
            "What the host does when the effect is emitted.",
        ),
        one("fields", "fields", "The fields of the effect."),
        one(
            "external",
            "truth",
            "Whether the effect changes the outside world; a tool can emit it only if the tool is also `external`.",
        ),
    ])
}
