//! The interface as an `OpenAPI` document. The table lists all paths except those of the page, of its links and of the
//! health checks; tests compare it with the routes.

use axum::response::Response;
use plan_machine_kernel::json::{Json, Object};

use super::roles::AsReader;
use crate::http::json;

/// The version of `OpenAPI`.
const OPENAPI: &str = "3.1.0";

/// Names, each with the kind of its value. A name that ends with `!` is required. A kind is a type of JSON, `time`, the
/// allowed texts (`approve|reject`), the name of a schema, or a list of another kind (`[string]`). A value whose kind
/// ends with `?` may be `null`.
type FieldList = &'static [(&'static str, &'static str)];

/// An answer of an operation.
#[derive(Clone, Copy)]
struct Answer {
    status: &'static str,
    media: &'static str,
    kind: &'static str,
}

const OBJECT: Answer = json_of("object");

/// The host answers later, on the stream of the session.
const ACCEPTED: Answer = Answer {
    status: "202",
    ..OBJECT
};

const EVENTS: Answer = Answer {
    media: "text/event-stream",
    kind: "string",
    ..OBJECT
};

const TEXT: Answer = Answer {
    media: "text/plain",
    ..EVENTS
};

const fn json_of(kind: &'static str) -> Answer {
    Answer {
        status: "200",
        media: "application/json",
        kind,
    }
}

/// An operation: its method and path, the role that it needs, what it does, its parameters, the fields of its body, and
/// its answer.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    role: &'static str,
    summary: &'static str,
    query: FieldList,
    body: FieldList,
    answer: Answer,
}

impl Operation {
    const fn answers(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }
}

const fn get(path: &'static str, summary: &'static str, query: FieldList) -> Operation {
    Operation {
        method: "get",
        path,
        role: "reader",
        summary,
        query,
        body: &[],
        answer: OBJECT,
    }
}

const fn post(
    path: &'static str,
    role: &'static str,
    summary: &'static str,
    body: FieldList,
) -> Operation {
    Operation {
        method: "post",
        path,
        role,
        summary,
        query: &[],
        body,
        answer: OBJECT,
    }
}

/// The values of the parameter `command`.
const COMMANDS: &str = "enable|disable|done|approve|reject|cancel|resume";

const PLAN: FieldList = &[
    ("sessionId!", "string"),
    ("planId", "string"),
    ("token", "string"),
    ("reason", "string"),
    ("once", "string"),
    ("actor", "string"),
    ("context", "object"),
];

/// The parts of requests and answers that have a name.
const SCHEMAS: &[(&str, FieldList)] = &[
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

/// All operations.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/api/me", "Who sends the request, and what is served.", &[]),
    post(
        "/api/link",
        "person",
        "A link that signs one browser in under the name of the sender.",
        &[],
    ),
    get(
        "/api/inbox",
        "The plans that wait for a person, oldest first.",
        &[("limit", "integer"), ("after", "string")],
    )
    .answers(json_of("Inbox")),
    get(
        "/api/sessions",
        "The sessions.",
        &[
            ("limit", "integer"),
            ("after", "string"),
            ("order", "recent|name"),
        ],
    ),
    get("/api/sessions/{session}", "One session in full.", &[]),
    get(
        "/api/sessions/{session}/versions",
        "The versions of a plan's content.",
        &[
            ("machine!", "string"),
            ("plan!", "string"),
            ("limit", "integer"),
        ],
    ),
    get(
        "/api/sessions/{session}/timeline",
        "The events of the session, newest first.",
        &[("limit", "integer"), ("before", "integer")],
    ),
    get(
        "/api/sessions/{session}/events",
        "The live events of one session (watch): entries and denied calls. If a hook denied a call, its `seq` is null.",
        &[("after", "integer")],
    )
    .answers(EVENTS),
    get(
        "/api/sessions/{session}/advertised",
        "The tools that the model may call now.",
        &[("shape", "openai|anthropic|mcp")],
    ),
    get(
        "/api/sessions/{session}/effects",
        "The effects that the host has to carry out.",
        &[],
    ),
    post(
        "/api/sessions/{session}/effects/settle",
        "host",
        "Report that an effect was carried out.",
        &[("seq!", "integer"), ("position!", "integer")],
    ),
    post(
        "/api/sessions/{session}/decision",
        "person",
        "Approve or reject exactly what was shown.",
        &[
            ("decision!", "string"),
            ("machine!", "string"),
            ("plan!", "string"),
            ("token!", "string"),
            ("reason", "string"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    )
    .answers(json_of("Decided")),
    post(
        "/api/sessions/{session}/decide",
        "host",
        "Decide on the calls of one response of a model.",
        &[
            ("calls!", "[Call]"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    )
    .answers(json_of("CallDecisions")),
    post(
        "/api/sessions/{session}/command",
        "host",
        "Send a line that a person typed.",
        &[
            ("line!", "string"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
    post(
        "/api/sessions/{session}/signal",
        "host",
        "Send a signal to a machine.",
        &[
            ("machine!", "string"),
            ("event!", "string"),
            ("plan", "string"),
            ("revision", "integer"),
            ("with", "object"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
    post(
        "/api/sessions/{session}/turn",
        "host",
        "Begin a turn with a person's message.",
        &[
            ("turn", "string"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
    get(
        "/api/sessions/{session}/messages",
        "The last messages of the chat, if the server has chats.",
        &[("limit", "integer")],
    ),
    post(
        "/api/sessions/{session}/messages",
        "person",
        "Send a message to the host, if the server has chats.",
        &[("text!", "string")],
    )
    .answers(ACCEPTED),
    get(
        "/api/events",
        "The live events of all sessions: entries and denied calls. If a hook denied a call, its `seq` is null.",
        &[("after", "string")],
    )
    .answers(EVENTS),
    get(
        "/api/proofs",
        "The invariants of the documents, with their verdicts.",
        &[],
    ),
    get(
        "/api/memory",
        "The memory that a session or one of its runs may read.",
        &[
            ("sessionId!", "string"),
            ("runKind", "GOAL_RUN|TASK_RUN"),
            ("goalId", "string"),
            ("taskId", "string"),
        ],
    ),
    get(
        "/api/plans",
        "The plan mode of a session.",
        &[("sessionId!", "string")],
    ),
    post(
        "/api/plans/{command}",
        "person",
        "Send a command of the plan mode: enable, disable, done, approve, reject, cancel or resume.",
        PLAN,
    ),
    get("/metrics", "Metrics in the text format of Prometheus.", &[]).answers(TEXT),
    get("/openapi.json", "This document.", &[]),
];

/// `GET /openapi.json`.
pub(super) async fn openapi(_: AsReader) -> Response {
    json(document())
}

fn object(fields: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(fields.into_iter().collect())
}

fn document() -> Json {
    let mut paths = Object::new();
    for operation in OPERATIONS {
        let mut item = match paths.remove(operation.path) {
            Some(Json::Object(item)) => item,
            _ => Object::new(),
        };
        item.insert(operation.method, described(operation));
        paths.insert(operation.path, item);
    }
    let scheme = |kind: &'static str, rest: Vec<(&'static str, Json)>| {
        let kind = ("type", Json::from(kind));
        object(std::iter::once(kind).chain(rest))
    };
    let bearer = scheme("http", vec![("scheme", "bearer".into())]);
    let cookie = scheme(
        "apiKey",
        vec![
            ("in", "cookie".into()),
            ("name", "plan_machine_PORT".into()),
        ],
    );
    let page = scheme(
        "apiKey",
        vec![
            ("in", "header".into()),
            ("name", "X-Plan-Machine-Page".into()),
        ],
    );
    let schemes = object([("bearer", bearer), ("cookie", cookie), ("page", page)]);
    let named = SCHEMAS.iter();
    let named = named.map(|(name, fields)| (*name, Json::from(record(fields))));
    let components = object([("securitySchemes", schemes), ("schemas", object(named))]);
    let together =
        |names: &[&'static str]| object(names.iter().map(|name| (*name, Json::List(Vec::new()))));
    let info = object([
        ("title", "plan-machine".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("description", "The plans that wait for a person, live events, and the decisions of a gate. `http.md` of plan-machine-server contains examples.".into()),
    ]);
    object([
        ("openapi", OPENAPI.into()),
        ("info", info),
        (
            "security",
            Json::List(vec![together(&["bearer"]), together(&["cookie", "page"])]),
        ),
        ("paths", Json::Object(paths)),
        ("components", components),
    ])
}

fn described(operation: &Operation) -> Json {
    let parameter = |name: &str, kind: &str, place: &'static str| {
        let required = name.ends_with('!') || place == "path";
        object([
            ("name", name.trim_end_matches('!').into()),
            ("in", place.into()),
            ("required", required.into()),
            ("schema", schema(kind)),
        ])
    };
    let names = operation.path.split(['{', '}']).skip(1).step_by(2);
    let parameters = names.map(|name| match name {
        "command" => parameter(name, COMMANDS, "path"),
        _ => parameter(name, "string", "path"),
    });
    let query = operation.query.iter();
    let query = query.map(|(name, kind)| parameter(name, kind, "query"));
    let parameters: Vec<Json> = parameters.chain(query).collect();
    let role = operation.role;
    let mut item = Object::new();
    item.push("summary", operation.summary);
    item.push("description", format!("Needs the role `{role}`."));
    item.push("parameters", parameters);
    if operation.method == "post" {
        item.push("requestBody", body(operation.body));
    }
    item.push("responses", responses(operation.answer));
    item.into()
}

/// Returns the schema of an object with these fields.
fn record(fields: FieldList) -> Object {
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
fn schema(kind: &str) -> Json {
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

fn body(fields: FieldList) -> Json {
    let mut schema = record(fields);
    schema.push("additionalProperties", false);
    let content = object([("application/json", object([("schema", schema.into())]))]);
    object([("required", true.into()), ("content", content)])
}

fn responses(answer: Answer) -> Json {
    let response = |description: &str, media: &'static str, kind: &str| {
        let content = object([(media, object([("schema", schema(kind))]))]);
        object([("description", description.into()), ("content", content)])
    };
    let problem = "A problem document (RFC 9457).";
    let problem = response(problem, "application/problem+json", "Problem");
    let answered = response("The answer.", answer.media, answer.kind);
    object([(answer.status, answered), ("default", problem)])
}
