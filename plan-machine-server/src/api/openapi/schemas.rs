//! The schemas of requests and answers.

use plan_machine_kernel::json::{Json, Object};

/// Names, each with the kind of its value. A name that ends with `!` is required. A kind is a type of JSON, `time`, the
/// allowed texts (`approve|reject`), the name of a schema, or a list of another kind (`[string]`). A value whose kind
/// ends with `?` may be `null`.
pub(super) type FieldList = &'static [(&'static str, &'static str)];

/// The parts of requests and answers that have a name.
pub(super) const SCHEMAS: &[(&str, FieldList)] = &[
    (
        "Problem",
        &[
            ("type!", "string"),
            ("title!", "string"),
            ("status!", "integer"),
            ("detail!", "string"),
        ],
    ),
    (
        "Inbox",
        &[
            ("waiting!", "[WaitingPlan]"),
            ("total!", "integer"),
            ("next!", "string?"),
            ("place!", "string"),
        ],
    ),
    (
        "WaitingPlan",
        &[
            ("sessionId!", "string"),
            ("agent!", "string"),
            ("conversation!", "string"),
            ("project!", "string"),
            ("machine!", "string"),
            ("plan!", "string"),
            ("state!", "string"),
            ("title!", "string"),
            ("asked!", "string"),
            ("summary!", "string"),
            ("since!", "time"),
            ("expires!", "time?"),
            ("seq!", "integer"),
            ("edition!", "integer"),
            ("token!", "string"),
            ("actions!", "[string]"),
        ],
    ),
    (
        "Decided",
        &[
            ("sessionId!", "string"),
            ("accepted!", "boolean"),
            ("text!", "string"),
            ("seq!", "integer"),
            ("repeated!", "boolean"),
            ("plans!", "[PlanState]"),
        ],
    ),
    (
        "PlanState",
        &[
            ("machine!", "string"),
            ("plan!", "string"),
            ("state!", "string"),
        ],
    ),
    (
        "Call",
        &[("name!", "string"), ("args", "object"), ("id", "string")],
    ),
    (
        "CallDecisions",
        &[
            ("sessionId!", "string"),
            ("seq!", "integer"),
            ("repeated!", "boolean"),
            ("decisions!", "[CallDecision]"),
        ],
    ),
    (
        "CallDecision",
        &[
            ("decision!", "run|applied|recorded|denied|repeated"),
            ("tool", "string"),
            ("class", "string?"),
            ("machine", "string"),
            ("denial", "Denial"),
            ("earlier", "CallDecision"),
            ("text", "string?"),
        ],
    ),
    (
        "Denial",
        &[
            ("kind!", "string"),
            ("messages!", "[string]"),
            ("state!", "string"),
            ("allowedIn!", "[string]"),
        ],
    ),
];

/// Returns an object with these fields.
pub(super) fn object(fields: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(fields.into_iter().collect())
}

/// Returns the schema of an object with these fields.
pub(super) fn record(fields: FieldList) -> Object {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for (name, kind) in fields {
        let bare = name.trim_end_matches('!');
        properties.push(bare, schema(kind));
        if name.ends_with('!') {
            required.push(Json::from(bare));
        }
    }
    let mut record = Object::new();
    record.push("type", "object");
    record.push("properties", properties);
    record.push("required", required);
    record
}

/// Returns the schema of a kind of values.
pub(super) fn schema(kind: &str) -> Json {
    let list = kind
        .strip_prefix('[')
        .and_then(|kind| kind.strip_suffix(']'));
    if let Some(kind) = kind.strip_suffix('?') {
        let either = vec![schema(kind), schema("null")];
        object([("anyOf", Json::List(either))])
    } else if let Some(item) = list {
        object([("type", "array".into()), ("items", schema(item))])
    } else if kind.contains('|') {
        let texts = kind.split('|').map(Json::from).collect();
        object([("type", "string".into()), ("enum", Json::List(texts))])
    } else if kind.starts_with(char::is_uppercase) {
        let named = format!("#/components/schemas/{kind}");
        object([("$ref", named.into())])
    } else if kind == "time" {
        object([("type", "string".into()), ("format", "date-time".into())])
    } else {
        object([("type", kind.into())])
    }
}
