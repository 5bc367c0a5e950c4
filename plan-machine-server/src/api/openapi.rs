//! The interface as an `OpenAPI` document. The table lists all paths except those of the page, of its links and of the
//! health checks; tests compare it with the routes.

use axum::response::Response;
use plan_machine_kernel::json::{Json, Object};

use super::roles::AsReader;
use crate::http::json;

/// The version of `OpenAPI`.
const OPENAPI: &str = "3.1.0";

/// An operation: its method and path, the role that it needs, what it does, its parameters, and the fields of its body.
/// A field or parameter whose name ends with `!` is required.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    role: &'static str,
    summary: &'static str,
    query: &'static [&'static str],
    body: &'static [(&'static str, &'static str)],
}

const fn get(
    path: &'static str,
    summary: &'static str,
    query: &'static [&'static str],
) -> Operation {
    Operation {
        method: "get",
        path,
        role: "reader",
        summary,
        query,
        body: &[],
    }
}

const fn post(
    path: &'static str,
    role: &'static str,
    summary: &'static str,
    body: &'static [(&'static str, &'static str)],
) -> Operation {
    Operation {
        method: "post",
        path,
        role,
        summary,
        query: &[],
        body,
    }
}

const PLAN: &[(&str, &str)] = &[
    ("sessionId!", "string"),
    ("planId", "string"),
    ("token", "string"),
    ("reason", "string"),
    ("once", "string"),
    ("actor", "string"),
    ("context", "object"),
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
        &["limit", "after"],
    ),
    get(
        "/api/sessions",
        "The sessions.",
        &["limit", "after", "order"],
    ),
    get("/api/sessions/{session}", "One session in full.", &[]),
    get(
        "/api/sessions/{session}/versions",
        "The versions of a plan's content.",
        &["machine!", "plan!", "limit"],
    ),
    get(
        "/api/sessions/{session}/timeline",
        "The events of the session, newest first.",
        &["limit", "before"],
    ),
    get(
        "/api/sessions/{session}/events",
        "The live events of one session (watch): entries and denied calls. If a hook denied a call, its `seq` is null.",
        &["after"],
    ),
    get(
        "/api/sessions/{session}/advertised",
        "The tools that the model may call now.",
        &["shape"],
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
    ),
    post(
        "/api/sessions/{session}/decide",
        "host",
        "Decide on the calls of one response of a model.",
        &[
            ("calls!", "array"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
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
        &["limit"],
    ),
    post(
        "/api/sessions/{session}/messages",
        "person",
        "Send a message to the host, if the server has chats.",
        &[("text!", "string")],
    ),
    get(
        "/api/events",
        "The live events of all sessions: entries and denied calls. If a hook denied a call, its `seq` is null.",
        &["after"],
    ),
    get(
        "/api/proofs",
        "The invariants of the documents, with their verdicts.",
        &[],
    ),
    get(
        "/api/memory",
        "The memory that a session or one of its runs may read.",
        &["sessionId!", "runKind", "goalId", "taskId"],
    ),
    get("/api/plans", "The plan mode of a session.", &["sessionId!"]),
    post(
        "/api/plans/{command}",
        "person",
        "Send a command of the plan mode: enable, disable, done, approve, reject, cancel or resume.",
        PLAN,
    ),
    get("/metrics", "Metrics in the text format of Prometheus.", &[]),
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
    let text = || object([("type", "string".into())]);
    let properties = object([
        ("type", text()),
        ("title", text()),
        ("status", object([("type", "integer".into())])),
        ("detail", text()),
    ]);
    let problem = object([("type", "object".into()), ("properties", properties)]);
    let components = object([
        ("securitySchemes", schemes),
        ("schemas", object([("Problem", problem)])),
    ]);
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
    let parameter = |name: &str, place: &'static str| {
        let required = name.ends_with('!') || place == "path";
        object([
            ("name", name.trim_end_matches('!').into()),
            ("in", place.into()),
            ("required", required.into()),
            ("schema", object([("type", "string".into())])),
        ])
    };
    let names = operation.path.split(['{', '}']).skip(1).step_by(2);
    let parameters = names.map(|name| parameter(name, "path"));
    let query = operation.query.iter().map(|name| parameter(name, "query"));
    let parameters: Vec<Json> = parameters.chain(query).collect();
    let role = operation.role;
    let mut item = Object::new();
    item.push("summary", operation.summary);
    item.push("description", format!("Needs the role `{role}`."));
    item.push("parameters", parameters);
    if operation.method == "post" {
        item.push("requestBody", body(operation.body));
    }
    item.push("responses", responses());
    item.into()
}

fn body(fields: &[(&'static str, &'static str)]) -> Json {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for (name, kind) in fields {
        let bare = name.trim_end_matches('!');
        properties.push(bare, object([("type", (*kind).into())]));
        if name.ends_with('!') {
            required.push(Json::from(bare));
        }
    }
    let schema = object([
        ("type", "object".into()),
        ("properties", Json::Object(properties)),
        ("required", Json::List(required)),
        ("additionalProperties", false.into()),
    ]);
    let content = object([("application/json", object([("schema", schema)]))]);
    object([("required", true.into()), ("content", content)])
}

fn responses() -> Json {
    let schema = object([("$ref", "#/components/schemas/Problem".into())]);
    let content = object([("application/problem+json", object([("schema", schema)]))]);
    let problem = object([
        ("description", "A problem document (RFC 9457).".into()),
        ("content", content),
    ]);
    let answer = object([("description", "The answer.".into())]);
    object([("200", answer), ("default", problem)])
}
