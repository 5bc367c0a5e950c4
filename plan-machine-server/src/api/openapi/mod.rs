//! The interface as an `OpenAPI` document. The table lists all paths except those of the page, of its links and of the
//! health checks; tests compare it with the routes.

mod operations;
mod schemas;

use axum::response::Response;
use plan_machine_kernel::json::{Json, Object};

use self::operations::{Answer, COMMANDS, OPERATIONS, Operation};
use self::schemas::{FieldList, SCHEMAS, object, record, schema};
use super::roles::AsReader;
use crate::http::json;

/// The version of `OpenAPI`.
const OPENAPI: &str = "3.1.0";

/// `GET /openapi.json`.
pub(super) async fn openapi(_: AsReader) -> Response {
    json(document())
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
