//! Help for people who write keys, types and values as in other languages.

use super::shorten::shortened;

/// Returns the key of the spec language that corresponds to a key of another language.
pub(super) fn key(found: &str) -> Option<&'static str> {
    Some(match found {
        "if" | "guard" | "cond" | "condition" => "when",
        "goto" | "target" | "state" => "to",
        "assert" | "requires" => "require",
        "assign" => "set",
        "response" | "return" | "answer" => "reply",
        "description" | "desc" => "doc",
        "params" | "parameters" | "args" | "arguments" => "input",
        _ => return None,
    })
}

/// Explains a key that includes its value because a space is missing: `{ to:DONE }` has the key `to:DONE`.
pub(super) fn no_space(key: &str) -> Option<String> {
    let (name, value) = key.split_once(':')?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = !name.is_empty() && name.chars().all(is_word);
    let (name, value) = (shortened(name), shortened(value.trim()));
    is_name.then(|| format!("a colon needs a space after it: `{name}: {value}`"))
}

/// Returns help for text that is not a type.
pub(super) fn type_help(text: &str) -> String {
    if let Some((ty, default)) = text.split_once('=') {
        let (ty, default) = (ty.trim(), default.trim());
        return format!("a default needs the long form: `{{ type: {ty}, default: {default} }}`");
    }
    if let Some((outer, inner)) = text.split_once('<') {
        let inner = inner.trim_end_matches('>');
        return if outer.to_lowercase().starts_with("opt") {
            format!("an optional is written `{inner}?`")
        } else {
            format!("a list is written `[{inner}]`")
        };
    }
    if let Some(inner) = text.strip_suffix("[]") {
        return format!("a list is written `[{inner}]`");
    }
    if text.contains('|') {
        return "an enum is declared under `types`: `Mark: { enum: [todo, done] }`".to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [ty, "max", bound] = words[..] {
        return format!("a bound needs the long form: `{{ type: {ty}, max: {bound} }}`");
    }
    "a type is `string`, `int`, `bool`, `time`, `id`, `json`, a type declared under `types`, `[T]` or `T?`"
        .to_owned()
}

/// Returns a correct example to show when a value has the wrong shape, given the key or the construct that the value
/// belongs to.
pub(super) fn example(what: &str) -> Option<&'static str> {
    Some(match what {
        "`set`" => "set: { field: value }",
        "`append`" => "append: { list: item }",
        "`emit`" => "emit: { effect: { field: value } }",
        "an effect" => "effect: { field: value }",
        "`require`" => "require: [{ that: condition, else: message for the caller }]",
        "a requirement" => "{ that: condition, else: message for the caller }",
        "`input`" => "input: { text: string }",
        "`data`" => "data: { title: string }",
        "`context`" => "context: { user: string }",
        "`fields`" => "fields: { title: string }",
        "`has`" => "has: [field]",
        "`clear`" => "clear: [field]",
        "`on`" => "on: { event: STATE }",
        "`states`" => "states: { none: { on: { begin: OPEN } }, OPEN: { … } }",
        "`commands`" => "commands: { begin: /plan on }",
        "`tools`" => "tools: { save: { doc: What it does., input: { text: string } } }",
        "`emits`" => "emits: [effect]",
        "`ended` in a session" => "ended: { machine: STATE }",
        "`data` in a session" => "data: { machine: { field: value } }",
        "`emits` in a session" | "`emits` of a machine" => "emits: { machine: [effect] }",
        "`examples`" => "examples: [{ tool: Read, class: reads }]",
        "`invariants`" => "invariants: { a_name: always condition }",
        "`scenarios`" => "scenarios: { a name: [{ do: /plan on, then: OPEN }] }",
        "a scenario" => "a name: [{ do: /plan on, then: OPEN }]",
        "a step" => "{ do: /plan on, then: OPEN }",
        "a spec" => "machine: Name` at the top, then `states: { … }",
        _ => return None,
    })
}
