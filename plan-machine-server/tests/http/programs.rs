//! The interface for programs.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_server::project::{Desk, ServedProject};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{AppendOutcome, Commit, Memory, NextDue, Store, StoredAnswer};
use tokio::sync::mpsc;

use crate::bench::{Bench, HOST, PLAN_MODE, Setup, documents, request, typed};
use crate::client::{Answer, Events, at};

#[tokio::test]
async fn a_program_decides_its_calls_over_http() {
    let bench = Bench::new().await;
    let path = |name: &str| format!("/api/sessions/web:abcdefgh/{name}");
    let call = r#"{"calls":[{"name":"shell","args":{"cmd":"make"},"id":"call-1"}]}"#;
    let answer = bench.post_as(HOST, &path("decide"), call).await.expect(200);
    assert_eq!(answer.text("decisions.0.decision"), "run");
    let again = bench.post_as(HOST, &path("decide"), call).await.expect(200);
    assert_eq!(again.text("decisions.0.decision"), "repeated");
    let other = call.replace("make", "rm");
    bench
        .post_as(HOST, &path("decide"), &other)
        .await
        .expect(409);
    let on = r#"{"line":"/plan on","once":"m1"}"#;
    let answer = bench.post_as(HOST, &path("command"), on).await.expect(200);
    assert_eq!(answer.at("accepted"), Json::Bool(true));
    let again = bench.post_as(HOST, &path("command"), on).await.expect(200);
    assert_eq!(again.at("repeated"), Json::Bool(true));
    let call = call.replace("call-1", "call-2");
    let answer = bench
        .post_as(HOST, &path("decide"), &call)
        .await
        .expect(200);
    assert_eq!(answer.text("decisions.0.decision"), "recorded");
    assert_eq!(answer.text("decisions.0.text"), "[Planned] shell");
    let tools = bench
        .get(&path("advertised?shape=anthropic"))
        .await
        .expect(200);
    assert_eq!(tools.text("tools.0.name"), "plan_finalize");
    assert!(tools.text("prompts.0").contains("Plan mode is active"));
    let done = r#"{"calls":[{"name":"plan_finalize","args":{}}],"actor":"planner"}"#;
    let answer = bench.post_as(HOST, &path("decide"), done).await.expect(200);
    assert_eq!(answer.text("decisions.0.decision"), "applied");
    let effects = bench.get(&path("effects")).await.expect(200);
    assert_eq!(effects.text("effects.0.name"), "plan_ready");
    let settle = format!(
        r#"{{"seq":{},"position":{}}}"#,
        effects.at("effects.0.id.seq"),
        effects.at("effects.0.id.position")
    );
    bench
        .post_as(HOST, &path("effects/settle"), &settle)
        .await
        .expect(200);
    let effects = bench.get(&path("effects")).await.expect(200);
    assert_eq!(effects.at("effects").to_string(), "[]");
    let audit = bench
        .session("web:abcdefgh")
        .audit(0, 10)
        .await
        .expect("a log");
    let actors: Vec<Option<&str>> = audit.iter().map(|line| line.actor.as_deref()).collect();
    assert_eq!(actors, [Some("bot"), Some("bot"), Some("bot/planner")]);
    bench.stop().await;
}

#[tokio::test]
async fn calls_that_ran_or_were_denied_are_in_the_timeline_of_every_server() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let setup = || Setup {
        store: Arc::clone(&store),
        ..Setup::default()
    };
    let bench = Bench::with(setup()).await;
    let path = |name: &str| format!("/api/sessions/web:abcdefgh/{name}");
    for (id, call, decision) in [
        ("call-1", r#""name":"shell","args":{"cmd":"make"}"#, "run"),
        ("call-2", r#""name":"plan_finalize","args":{}"#, "denied"),
    ] {
        let calls = format!(r#"{{"calls":[{{{call},"id":"{id}"}}],"actor":"planner"}}"#);
        let answer = bench.post_as(HOST, &path("decide"), &calls).await;
        assert_eq!(answer.expect(200).text("decisions.0.decision"), decision);
    }
    let on = r#"{"line":"/plan on","once":"m1"}"#;
    bench.post_as(HOST, &path("command"), on).await.expect(200);
    let other = Bench::with(setup()).await;
    for server in [&bench, &other] {
        let timeline = server.get(&path("timeline")).await.expect(200);
        let rows = timeline.at("events");
        let rows = rows.as_list().expect("rows");
        assert_eq!(rows.len(), 3, "{}", timeline.body);
        let of_kind = |kind: &str| {
            let mut rows = rows.iter();
            let row = rows.find(|row| at(row, "kind") == Json::from(kind));
            row.unwrap_or_else(|| panic!("{kind}: {}", timeline.body))
                .clone()
        };
        let ran = of_kind("run");
        assert_eq!(at(&ran, "tool"), Json::from("shell"));
        assert_eq!(at(&ran, "args.cmd"), Json::from("make"));
        assert_eq!(at(&ran, "callId"), Json::from("call-1"));
        assert_eq!(at(&ran, "actor"), Json::from("bot/planner"));
        assert_eq!(at(&of_kind("denied"), "tool"), Json::from("plan_finalize"));
        assert_eq!(at(&of_kind("event"), "event"), Json::from("plan_on"));
        assert_eq!(timeline.at("hasMoreCalls"), Json::Bool(false));
    }
    bench.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn a_call_that_was_denied_between_two_parts_of_a_timeline_is_in_one_of_them() {
    let bench = Bench::new().await;
    let path = |name: &str| format!("/api/sessions/web:abcdefgh/{name}");
    let denied = r#"{"calls":[{"name":"plan_finalize","args":{},"id":"call-1"}]}"#;
    for (path, body) in [
        (path("command"), r#"{"line":"/plan on"}"#),
        (path("command"), r#"{"line":"/plan off"}"#),
        (path("decide"), denied),
        (path("command"), r#"{"line":"/plan on"}"#),
    ] {
        bench.post_as(HOST, &path, body).await.expect(200);
    }
    let newest = bench.get(&path("timeline?limit=1")).await.expect(200);
    assert_eq!(newest.at("next"), Json::Int(3));
    let older = bench.get(&path("timeline?limit=1&before=3")).await;
    let parts = format!("{}{}", newest.body, older.expect(200).body);
    assert_eq!(parts.matches(r#""kind":"denied""#).count(), 1, "{parts}");
    bench.stop().await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_does_not_hide_the_timeline() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let bench = Bench::with(Setup {
        store: Arc::clone(&store),
        ..Setup::default()
    })
    .await;
    let session = bench.session("web:abcdefgh");
    typed(&session, "/plan on").await;
    let identity = session.identity();
    let damaged = StoredAnswer::new(identity, 1, "model:x".to_owned(), "damaged".to_owned());
    let commit = Commit {
        session: identity.clone(),
        expected: 1,
        after: None,
        rows: Vec::new(),
        effects: Vec::new(),
        answers: vec![damaged],
        snapshot: None,
        due: NextDue::default(),
    };
    let done = store.append(commit).await.expect("an answer of the store");
    assert_eq!(done, AppendOutcome::Stored);
    let timeline = bench.get("/api/sessions/web:abcdefgh/timeline").await;
    let timeline = timeline.expect(200);
    assert_eq!(timeline.text("events.0.event"), "plan_on");
    assert_eq!(timeline.at("hasMoreCalls"), Json::Bool(true));
    bench.stop().await;
}

#[tokio::test]
async fn a_signal_is_denied_or_accepted_and_nothing_else_can_be_sent_as_one() {
    let bench = Bench::new().await;
    let path = "/api/sessions/web:abcdefgh/signal";
    let signal = |event: &str| format!(r#"{{"machine":"PlanMode","event":"{event}"}}"#);
    let denied = bench
        .post_as(HOST, path, &signal("restarted"))
        .await
        .expect(200);
    assert_eq!(denied.at("accepted"), Json::Bool(false));
    assert_eq!(denied.text("denial.kind"), "not_allowed");
    for event in ["approve", "plan_finalize", "plan_on"] {
        bench.post_as(HOST, path, &signal(event)).await.expect(400);
    }
    bench
        .post_as(HOST, path, &signal("restartd"))
        .await
        .expect(400);
    let other = signal("restarted").replace("PlanMode", "Other");
    bench.post_as(HOST, path, &other).await.expect(404);
    let turn = r#"{"turn":"message-1"}"#;
    let path = "/api/sessions/web:abcdefgh/turn";
    let begun = bench.post_as(HOST, path, turn).await.expect(200);
    assert_eq!(begun.at("repeated"), Json::Bool(false));
    let again = bench.post_as(HOST, path, turn).await.expect(200);
    assert_eq!(again.at("repeated"), Json::Bool(true));
    bench.stop().await;
}

#[tokio::test]
async fn a_session_of_a_channel_without_a_document_is_not_judged_by_other_rules() {
    let mut setup = Setup::default();
    let folder = tempfile::tempdir().expect("a folder");
    let machines = documents(folder.path(), PLAN_MODE).machines().clone();
    let sessions = Sessions::new(Arc::clone(&setup.store), machines);
    let own = (
        Some("codex".to_owned()),
        documents(folder.path(), PLAN_MODE),
    );
    let project = ServedProject::of_store("shop", Arc::clone(&setup.store), vec![own]);
    let desk = Desk::fixed(project.expect("a project"));
    let bench = Bench::serve(desk, &mut setup, sessions, folder).await;
    let path = |session: &str, name: &str| format!("/api/sessions/{session}/{name}");
    let bodies = [
        ("command", r#"{"line":"/plan on"}"#),
        ("decide", r#"{"calls":[{"name":"shell","args":{}}]}"#),
        ("turn", "{}"),
        ("signal", r#"{"machine":"PlanMode","event":"restarted"}"#),
    ];
    for (name, body) in bodies {
        let served = path("codex:first-talk", name);
        bench.post_as(HOST, &served, body).await.expect(200);
        let other = path("web:abcdefgh", name);
        let answer = bench.post_as(HOST, &other, body).await.expect(404);
        let detail = answer.text("detail");
        assert!(detail.contains("no document for the channel"), "{detail}");
    }
    let served = path("codex:first-talk", "advertised");
    bench.get(&served).await.expect(200);
    let other = path("web:abcdefgh", "advertised");
    bench.get(&other).await.expect(404);
    assert_eq!(bench.session("web:abcdefgh").seq().await, Ok(0));
    bench.stop().await;
}

/// The paths that are not part of the interface for programs: the page, its links, and the health checks.
const OTHER_PATHS: [&str; 9] = [
    "/",
    "/assets/{name}",
    "/healthz",
    "/inbox",
    "/inbox/{*rest}",
    "/open",
    "/proofs",
    "/readyz",
    "/session/{*rest}",
];

/// Returns the methods and paths in the source of the routes.
fn routes() -> BTreeSet<(String, String)> {
    let source = include_str!("../../src/api/routes.rs");
    let (session, all) = source
        .split_once("    Router::new()\n")
        .expect("the routes of a session, and then all routes");
    let mut routes = BTreeSet::new();
    for (prefix, source) in [("/api/sessions/{session}", session), ("", all)] {
        for route in source.split(".route(").skip(1) {
            let path = route.split('"').nth(1).expect("a path");
            let path = match (prefix, path) {
                ("", path) => path.to_owned(),
                (prefix, path) => format!("{prefix}{path}").trim_end_matches('/').to_owned(),
            };
            let handlers = route.split(".fallback").next().expect("handlers");
            for method in ["get", "post"] {
                if handlers.contains(&format!("{method}(")) {
                    routes.insert((method.to_owned(), path.clone()));
                }
            }
        }
    }
    routes.retain(|(_, path)| !OTHER_PATHS.contains(&path.as_str()));
    routes
}

#[tokio::test]
async fn the_openapi_document_lists_every_path() {
    let bench = Bench::new().await;
    let document = bench.get("/openapi.json").await.expect(200);
    let mut listed = BTreeSet::new();
    for (path, methods) in document.at("paths").as_object().expect("paths").iter() {
        for (method, _) in methods.as_object().expect("methods").iter() {
            listed.insert((method.to_string(), path.to_string()));
        }
    }
    assert_eq!(listed, routes());
    bench.stop().await;
}

/// Returns the media type that an operation of the document lists for a status.
fn media_type(operation: &Json, status: u16) -> String {
    let responses = at(operation, "responses");
    let responses = responses.as_object().expect("responses");
    let listed = responses.get(&status.to_string());
    let listed = listed.or(responses.get("default")).expect("a response");
    let content = at(listed, "content");
    let mut types = content.as_object().expect("media types").iter();
    types.next().expect("a media type").0.to_owned()
}

#[tokio::test]
async fn every_path_of_the_openapi_document_exists() {
    let mut setup = Setup::default();
    setup.limits.failures.burst = 1000.0;
    let bench = Bench::with(setup).await;
    let document = bench.get("/openapi.json").await.expect(200);
    let paths = document.at("paths");
    let paths = paths.as_object().expect("paths");
    assert!(paths.len() > 15);
    let mut streams = 0;
    for (path, methods) in paths.iter() {
        let path = path
            .replace("{session}", "web:abcdefgh")
            .replace("{command}", "enable");
        for (method, operation) in methods.as_object().expect("methods").iter() {
            let method = method.to_uppercase();
            // The path exists: without a credential, the request is refused; with a credential, the path is not
            // unknown.
            bench.raw(&method, &path, "", None).await.expect(401);
            let headers = crate::bench::bearer(crate::bench::PERSON);
            if path.ends_with("/events") {
                // The answer of a stream has no end, so only its head is read.
                let request = request(bench.address, &method, &path, &headers, None);
                let events = Events::open(bench.address, &request, None).await;
                assert!(events.head.starts_with("HTTP/1.1 200"), "{}", events.head);
                assert!(events.head.contains(&media_type(operation, 200)), "{path}");
                streams += 1;
                continue;
            }
            let body = (method == "POST").then_some(r#"{"sessionId":"web:abcdefgh","x":1}"#);
            let answer = bench.raw(&method, &path, &headers, body).await;
            let is_known = answer.status != 405
                && (answer.status != 404 || !answer.body.contains("no such path"));
            assert!(is_known, "{method} {path}: {answer:?}");
            let media = answer.header("content-type").expect("a media type");
            let expected = media_type(operation, answer.status);
            assert!(media.starts_with(&expected), "{method} {path}: {media}");
        }
    }
    assert_eq!(streams, 2);
    bench.stop().await;
}

#[tokio::test]
async fn the_openapi_document_says_that_a_cookie_needs_the_key_of_the_page() {
    let bench = Bench::new().await;
    let document = bench.get("/openapi.json").await.expect(200);
    let security = document.at("security").to_string();
    assert_eq!(security, r#"[{"bearer":[]},{"cookie":[],"page":[]}]"#);
    let page = document.at("components.securitySchemes.page").to_string();
    let header = r#"{"type":"apiKey","in":"header","name":"X-Plan-Machine-Page"}"#;
    assert_eq!(page, header);
    bench.stop().await;
}

/// Returns a value for a field of a request.
fn value(name: &str, kind: &str) -> Json {
    match (name, kind) {
        ("sessionId", _) => "web:abcdefgh".into(),
        (_, "integer") => Json::Int(0),
        (_, "array") => Json::List(Vec::new()),
        (_, "object") => Json::Object(Object::new()),
        _ => "x".into(),
    }
}

#[tokio::test]
async fn every_request_takes_the_fields_that_the_openapi_document_lists() {
    let (lines, _written) = mpsc::channel(1);
    let bench = Bench::with(Setup {
        chat: Some(lines),
        ..Setup::default()
    })
    .await;
    let document = bench.get("/openapi.json").await.expect(200);
    let mut checked = 0;
    for (path, methods) in document.at("paths").as_object().expect("paths").iter() {
        let schema = "post.requestBody.content.application/json.schema.properties";
        let Json::Object(properties) = at(methods, schema) else {
            continue;
        };
        let mut body = Object::new();
        for (name, property) in properties.iter() {
            let kind = at(property, "type");
            body.insert(
                name.to_owned(),
                value(name, kind.as_text().expect("a type")),
            );
        }
        // If the request did not take one of the listed fields, that field would be reported instead of `last`.
        body.insert("last", "x");
        let path = path
            .replace("{session}", "web:abcdefgh")
            .replace("{command}", "enable");
        let body = Json::from(body).to_string();
        let answer = bench.post(&path, &body).await.expect(400);
        assert_eq!(answer.text("detail"), "unknown field `last`", "{path}");
        checked += 1;
    }
    assert_eq!(
        checked,
        routes()
            .iter()
            .filter(|(method, _)| method == "post")
            .count()
    );
    bench.stop().await;
}

/// Checks that a value fits a schema of the document, and that its objects have no fields that are not listed.
fn check(document: &Json, schema: &Json, value: &Json) {
    if let Json::Text(name) = at(schema, "$ref") {
        let path = name.trim_start_matches("#/").replace('/', ".");
        return check(document, &at(document, &path), value);
    }
    let other_than_null = at(schema, "anyOf.0");
    if !other_than_null.is_null() {
        if !value.is_null() {
            check(document, &other_than_null, value);
        }
        return;
    }
    let kind = at(schema, "type");
    match (kind.as_text().expect("a type"), value) {
        ("string", Json::Text(_)) => {
            if let Json::List(texts) = at(schema, "enum") {
                assert!(texts.contains(value), "{value}");
            }
        }
        ("integer", Json::Int(_)) | ("boolean", Json::Bool(_)) => {}
        ("array", Json::List(items)) => {
            let schema = at(schema, "items");
            for item in items {
                check(document, &schema, item);
            }
        }
        ("object", Json::Object(fields)) => {
            let properties = at(schema, "properties");
            for (name, value) in fields.iter() {
                let property = at(&properties, name);
                assert!(!property.is_null(), "`{name}` is not listed");
                check(document, &property, value);
            }
            for name in at(schema, "required").as_list().expect("names") {
                let name = name.as_text().expect("a name");
                assert!(fields.get(name).is_some(), "`{name}` is missing");
            }
        }
        (kind, value) => panic!("{value} is not of the type `{kind}`"),
    }
}

#[tokio::test]
async fn the_answers_have_the_fields_that_the_openapi_document_lists() {
    let bench = Bench::new().await;
    let document = bench.get("/openapi.json").await.expect(200).json();
    let fits = |operation: &str, response: &str, answer: &Answer| {
        let path = format!("paths.{operation}.responses.{response}.schema");
        check(&document, &at(&document, &path), &answer.json());
    };
    let (decide, decision) = (
        "/api/sessions/{session}/decide.post",
        "/api/sessions/{session}/decision.post",
    );
    let ok = "200.content.application/json";
    let problem = "default.content.application/problem+json";
    let path = |name: &str| format!("/api/sessions/web:abcdefgh/{name}");
    let planless = r#"{"calls":[{"name":"shell","args":{"cmd":"make"},"id":"call-1"},{"name":"plan_finalize","id":"call-2"}]}"#;
    let mut made = Vec::new();
    for (name, body) in [
        ("decide", planless),
        ("decide", planless),
        ("command", r#"{"line":"/plan on"}"#),
        ("decide", r#"{"calls":[{"name":"shell"}]}"#),
        ("decide", r#"{"calls":[{"name":"plan_finalize"}]}"#),
    ] {
        let answer = bench.post_as(HOST, &path(name), body).await.expect(200);
        if name == "decide" {
            fits(decide, ok, &answer);
            let decisions = answer.at("decisions");
            let decisions = decisions.as_list().expect("decisions").iter();
            made.extend(decisions.map(|one| at(one, "decision")));
        }
    }
    let all = [
        "run", "denied", "repeated", "repeated", "recorded", "applied",
    ];
    assert_eq!(made, all.map(Json::from));
    let inbox = bench.waiting(1).await;
    fits("/api/inbox.get", ok, &inbox);
    let (plan, token) = (inbox.text("waiting.0.plan"), inbox.text("waiting.0.token"));
    let approve = format!(
        r#"{{"decision":"approve","machine":"PlanMode","plan":"{plan}","token":"{token}"}}"#
    );
    let answer = bench.post(&path("decision"), &approve).await.expect(200);
    fits(decision, ok, &answer);
    let answer = bench.post(&path("decision"), "{}").await.expect(400);
    fits(decision, problem, &answer);
    bench.stop().await;
}
