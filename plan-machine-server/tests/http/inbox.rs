//! The inbox and the pages of a session.

use std::sync::Arc;

use plan_machine_kernel::json::Json;
use plan_machine_server::project::{Desk, ServedProject};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{Memory, Store};
use tokio::time::timeout;

use crate::bench::{
    Bench, HOST, PERSON, PLAN_MODE, READER, Setup, bearer, called, documents, ready_plan, request,
    typed,
};
use crate::client::{Events, LIMIT};

#[tokio::test]
async fn what_waits_is_listed_oldest_first_with_its_token() {
    let bench = Bench::new().await;
    let (one, two) = (
        bench.session("codex:first-talk"),
        bench.session("claude-code:second-1"),
    );
    ready_plan(&one, "make").await;
    ready_plan(&two, "test").await;
    typed(&bench.session("codex:only-planning"), "/plan on").await;
    let inbox = bench.waiting(2).await;
    assert_eq!(inbox.text("waiting.0.sessionId"), "codex:first-talk");
    assert_eq!(inbox.text("waiting.1.sessionId"), "claude-code:second-1");
    assert_eq!(inbox.text("waiting.0.agent"), "codex");
    assert_eq!(inbox.text("waiting.0.project"), "shop");
    assert_eq!(inbox.at("waiting.0.actions").to_string(), r#"["approve"]"#);
    let plan = one.plans().await.expect("plans").remove(0);
    assert_eq!(inbox.text("waiting.0.token"), plan.plan.token);
    assert_eq!(inbox.at("total"), Json::Int(2));
    // A decision elsewhere removes the plan from the list.
    typed(&one, &format!("/plan approve {}", plan.plan.token)).await;
    let inbox = bench.waiting(1).await;
    assert_eq!(inbox.text("waiting.0.sessionId"), "claude-code:second-1");
    bench.stop().await;
}

#[tokio::test]
async fn the_number_of_steps_agrees_with_its_noun() {
    let bench = Bench::new().await;
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    let session = bench.session("codex:second-talk");
    typed(&session, "/plan on").await;
    called(&session, "shell", &[("cmd", "make")]).await;
    called(&session, "shell", &[("cmd", "make test")]).await;
    called(&session, "plan_finalize", &[("summary", "Do both.")]).await;
    let inbox = bench.waiting(2).await;
    assert_eq!(inbox.text("waiting.0.summary"), "1 step: shell\n\nDo it.");
    assert_eq!(
        inbox.text("waiting.1.summary"),
        "2 steps: shell, shell\n\nDo both."
    );
    bench.stop().await;
}

#[tokio::test]
async fn the_first_list_after_a_start_is_complete() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let setup = || Setup {
        store: Arc::clone(&store),
        is_awaited: false,
        ..Setup::default()
    };
    let bench = Bench::with(setup()).await;
    for number in 0..20 {
        ready_plan(
            &bench.session(&format!("codex:talk-number-{number}")),
            "make",
        )
        .await;
    }
    bench.stop().await;
    let bench = Bench::with(setup()).await;
    let inbox = bench.get("/api/inbox").await.expect(200);
    assert_eq!(inbox.at("total"), Json::Int(20));
    bench.stop().await;
}

/// A plan that can be approved for three hours. After one hour, the person is reminded.
const REMINDING: &str = r#"
machine: Reminding
review: [text]
data: { text: string? }
commands: { begin: /plan on, approve: { text: "/plan approve {token?}", reviewed: true } }
tools:
  write: { doc: Keep a text., input: { text: string } }
effects: { reminded: { fields: { plan: id } } }
states:
  none: { other_tools: deny, on: { begin: READY } }
  READY:
    other_tools: deny
    on: { write: { set: { text: event.text } }, approve: { to: ENDED, next: none } }
    after:
      1h: { emit: { reminded: { plan: plan.id } } }
      3h: { to: ENDED, next: none }
  ENDED: { final: true }
"#;

#[tokio::test]
async fn a_timer_that_only_reminds_is_not_shown_as_an_expiry() {
    let bench = Bench::with(Setup {
        document: "session: Test\nmachines: { work: machine.yaml }\n",
        machine: REMINDING,
        ..Setup::default()
    })
    .await;
    let session = bench.session("codex:first-talk");
    typed(&session, "/plan on").await;
    called(&session, "write", &[("text", "Do it.")]).await;
    let inbox = bench.waiting(1).await;
    let plan = session.plans().await.expect("plans").remove(0).plan;
    let timer = |name: &str| plan.timers.get(name).expect("a timer").clone();
    assert_eq!(inbox.at("waiting.0.expires"), timer("READY after 3h"));
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    assert_eq!(view.at("cards.0.expires"), timer("READY after 3h"));
    assert_ne!(timer("READY after 1h"), timer("READY after 3h"));
    bench.stop().await;
}

#[tokio::test]
async fn an_approved_plan_is_shown_with_the_expiry_of_its_approval() {
    let bench = Bench::with(Setup {
        document: "session: Test\nmachines: { work: machine.yaml }\ncalls: 'plan-specs:claude_code'\n",
        machine: include_str!("../../../specs/agents/look_then_act.yaml"),
        ..Setup::default()
    })
    .await;
    let session = bench.session("codex:first-talk");
    called(&session, "plan_write", &[("markdown", "# One")]).await;
    let path = "/api/sessions/codex:first-talk";
    let waiting = bench.get(path).await.expect(200);
    assert_eq!(waiting.text("plans.0.state"), "READY");
    assert_eq!(waiting.at("plans.0.expires"), Json::Null);
    let token = waiting.text("plans.0.token");
    typed(&session, &format!("/plan approve {token}")).await;
    let plan = session.plans().await.expect("plans").remove(0).plan;
    let timer = plan.timers.get("EXECUTING after 8h");
    let timer = timer.expect("a timer").clone();
    let approved = bench.get(path).await.expect(200);
    assert_eq!(approved.text("plans.0.state"), "EXECUTING");
    assert_eq!(approved.at("plans.0.expires"), timer);
    assert_eq!(approved.at("cards.0"), Json::Null);
    let plans = bench.get("/api/plans?sessionId=codex:first-talk").await;
    assert_eq!(plans.expect(200).at("plans.0.expires"), timer);
    bench.stop().await;
}

#[tokio::test]
async fn a_session_that_cannot_be_read_has_no_effects_where_no_host_carries_them_out() {
    for (is_gated, effects) in [(true, Json::Null), (false, Json::Int(0))] {
        let mut setup = Setup::default();
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("machine.yaml"), REMINDING).expect("a machine");
        let other = "session: Other\nmachines: { work: machine.yaml }\n";
        let machines = documents(folder.path(), other).machines().clone();
        let sessions = Sessions::new(Arc::clone(&setup.store), machines);
        let own = vec![(None, documents(folder.path(), PLAN_MODE))];
        let project = ServedProject::of_store("shop", Arc::clone(&setup.store), own);
        let mut project = project.expect("a project");
        if is_gated {
            project = project.all_gated();
        }
        let bench = Bench::serve(Desk::fixed(project), &mut setup, sessions, folder).await;
        typed(&bench.session("codex:first-talk"), "/plan on").await;
        let path = "/api/sessions/codex:first-talk";
        let view = bench.get(path).await.expect(200);
        assert!(view.text("problem").contains("Reminding"), "{}", view.body);
        assert_eq!(view.at("effects"), effects);
        bench.stop().await;
    }
}

#[tokio::test]
async fn every_address_of_the_page_can_be_loaded_again() {
    let bench = Bench::new().await;
    for path in [
        "/",
        "/inbox",
        "/inbox/codex%3Atalk-1/plan-1",
        "/session/codex%3Atalk-1",
        "/proofs",
    ] {
        let page = bench.get(path).await.expect(200);
        assert!(page.body.contains("<!doctype html>"), "{path}");
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_long_inbox_is_read_in_parts() {
    let bench = Bench::new().await;
    for number in 0..5 {
        ready_plan(
            &bench.session(&format!("codex:talk-number-{number}")),
            "make",
        )
        .await;
    }
    bench.waiting(5).await;
    let mut found = Vec::new();
    let mut path = "/api/inbox?limit=2".to_owned();
    loop {
        let page = bench.get(&path).await.expect(200);
        let rows = page.at("waiting");
        let rows = rows.as_list().expect("a list").iter();
        found.extend(rows.map(|row| crate::client::at(row, "sessionId").to_string()));
        match page.at("next") {
            Json::Text(next) => path = format!("/api/inbox?limit=2&after={next}"),
            _ => break,
        }
    }
    assert_eq!(found.len(), 5);
    found.dedup();
    assert_eq!(found.len(), 5);
    bench.get("/api/inbox?after=nonsense").await.expect(400);
    bench.get("/api/inbox?limit=0").await.expect(400);
    bench.get("/api/inbox?color=red").await.expect(400);
    let recent = bench.get("/api/sessions?limit=3").await.expect(200);
    assert_eq!(recent.text("sessions.0.sessionId"), "codex:talk-number-4");
    let next = recent.text("next");
    let rest = bench
        .get(&format!("/api/sessions?limit=3&after={next}"))
        .await;
    assert_eq!(rest.at("sessions").as_list().map(<[Json]>::len), Some(2));
    let named = bench
        .get("/api/sessions?order=name&limit=1")
        .await
        .expect(200);
    assert_eq!(named.text("sessions.0.sessionId"), "codex:talk-number-0");
    bench.stop().await;
}

#[tokio::test]
async fn a_session_is_shown_with_its_steps_its_chart_and_what_runs_now() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    bench.waiting(1).await;
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    assert_eq!(view.text("cards.0.content.0.kind"), "steps");
    assert_eq!(view.text("cards.0.content.0.steps.0.tool"), "shell");
    assert_eq!(view.text("cards.0.content.0.steps.0.args.cmd"), "make");
    assert_eq!(view.text("cards.0.content.1.text"), "Do it.");
    assert_eq!(view.text("cards.0.actions.0.name"), "approve");
    assert_eq!(view.at("cards.0.baseline.why"), Json::from("previous"));
    assert_eq!(view.text("plans.0.state"), "READY");
    assert_eq!(view.at("effects"), Json::Int(1));
    let nodes = view.at("machines.0.chart.nodes");
    let nodes = nodes.as_list().expect("nodes").iter();
    let current = nodes.filter(|node| crate::client::at(node, "current") == Json::Bool(true));
    let current: Vec<Json> = current
        .map(|node| crate::client::at(node, "name"))
        .collect();
    assert_eq!(current, [Json::from("READY")]);
    let edges = view.at("machines.0.chart.edges");
    let edges = edges.as_list().expect("edges").iter();
    let mut edges = edges.filter(|edge| crate::client::at(edge, "event") == Json::from("approve"));
    let approve = edges.next().expect("an edge");
    assert_eq!(crate::client::at(approve, "by"), Json::from("person"));
    assert_eq!(crate::client::at(approve, "to"), Json::from("EXECUTING"));
    let timeline = bench
        .get("/api/sessions/codex:first-talk/timeline?limit=2")
        .await;
    assert_eq!(timeline.text("events.0.event"), "plan_finalize");
    assert_eq!(timeline.text("events.0.effects.0.name"), "plan_ready");
    assert_eq!(timeline.at("events.0.effects.0.pending"), Json::Bool(true));
    assert_eq!(timeline.text("events.1.by"), "model");
    let rest = bench
        .get("/api/sessions/codex:first-talk/timeline?before=2")
        .await;
    assert_eq!(rest.text("events.0.event"), "plan_on");
    assert_eq!(rest.at("next"), Json::Null);
    bench.get("/api/sessions/codex:never-was").await.expect(404);
    bench.get("/api/sessions/nonsense%3A").await.expect(400);
    bench.stop().await;
}

/// Returns the decisions on these calls, as a page of the session shows them.
async fn decisions(bench: &Bench, session: &str, names: &[&str]) -> Vec<String> {
    let view = bench.get(&format!("/api/sessions/{session}")).await;
    let calls = view.expect(200).at("calls");
    let calls = calls.as_list().expect("calls");
    let decision = |name: &&str| {
        let mut rows = calls.iter();
        let row = rows.find(|row| crate::client::at(row, "name") == Json::from(*name));
        let decision = crate::client::at(row.expect(name), "decision");
        decision.as_text().expect("a decision").to_owned()
    };
    names.iter().map(decision).collect()
}

#[tokio::test]
async fn a_session_shows_which_calls_run_are_recorded_or_are_denied_now() {
    let bench = Bench::of(
        "session: Test\nmachines: { work: 'plan-specs:plan_mode' }\ncalls: 'plan-specs:claude_code'\n",
    )
    .await;
    let name = "codex:first-talk";
    let session = bench.session(name);
    let now = async || decisions(&bench, name, &["reads", "writes", "plan_finalize"]).await;
    typed(&session, "/plan on").await;
    assert_eq!(now().await, ["record", "record", "run"]);
    called(&session, "Bash", &[("command", "make")]).await;
    called(&session, "plan_finalize", &[("summary", "Do it.")]).await;
    assert_eq!(now().await, ["deny", "deny", "deny"]);
    typed(&session, "/plan off").await;
    assert_eq!(now().await, ["run", "run", "deny"]);
    bench.stop().await;
}

#[tokio::test]
async fn a_script_in_a_plan_is_shown_as_text() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    typed(&session, "/plan on").await;
    called(&session, "shell", &[("cmd", "make")]).await;
    let summary = "<script>alert(1)</script> ![x](https://evil.example/x.png) \u{1b}[2J";
    called(&session, "plan_finalize", &[("summary", summary)]).await;
    bench.waiting(1).await;
    let view = bench
        .get("/api/sessions/codex:first-talk")
        .await
        .expect(200);
    let html = view.text("cards.0.content.1.html");
    assert!(
        !html.contains("<script") && !html.contains("<img"),
        "{html}"
    );
    assert!(html.contains("&lt;script&gt;"), "{html}");
    assert!(!view.body.contains("\\u001b"), "{}", view.body);
    bench.stop().await;
}

#[tokio::test]
async fn terminal_escapes_in_names_are_shown_as_their_code_points() {
    let bench = Bench::new().await;
    let body = r#"{"calls":[{"name":"\u001b[2Jrm","args":{"\u001b]0;x":"\u0007"}}],"actor":"\u001b[31mred"}"#;
    let path = "/api/sessions/web:abcdefgh/decide";
    bench.post(path, body).await.expect(200);
    typed(&bench.session("web:abcdefgh"), "/plan on").await;
    bench.post(path, body).await.expect(200);
    for path in [
        "/api/sessions/web:abcdefgh/timeline",
        "/api/sessions/web:abcdefgh",
        "/api/sessions",
    ] {
        let shown = bench.get(path).await.expect(200);
        let texts = shown.body.to_lowercase();
        assert!(
            !texts.contains("\\u001b") && !texts.contains('\u{1b}'),
            "{}",
            shown.body
        );
    }
    let timeline = bench.get("/api/sessions/web:abcdefgh/timeline").await;
    assert!(timeline.text("events.0.tool").contains("U+001B"));
    assert!(timeline.text("events.0.args").contains("U+0007"));
    assert!(timeline.text("events.0.actor").contains("U+001B"));
    bench.stop().await;
}

#[tokio::test]
async fn the_proofs_are_shown_in_the_words_of_the_author() {
    let bench = Bench::of(
        "session: Test\nmachines: { work: 'plan-specs:plan_mode' }\ninvariants:\n  # Nobody acts early.\n  nothing_runs_while_planning: never (work.planning and runs other_tools)\n",
    )
    .await;
    let proofs = async {
        loop {
            let proofs = bench.get("/api/proofs").await.expect(200);
            if proofs.at("ready") == Json::Bool(true) {
                break proofs;
            }
            tokio::task::yield_now().await;
        }
    };
    let proofs = timeout(LIMIT, proofs).await.expect("proofs in time");
    let row = proofs.at("documents.0.invariants.0");
    assert_eq!(
        row.to_string(),
        r#"{"name":"nothing_runs_while_planning","words":"nothing runs while planning","statement":"never (work.planning and runs other_tools)","note":"Nobody acts early.","verdict":"proved"}"#
    );
    assert_eq!(proofs.text("documents.1.kind"), "machine");
    bench.stop().await;
}

#[tokio::test]
async fn a_program_sends_no_commands_to_a_gated_agent_in_a_shared_store() {
    let bench = Bench::new().await;
    sends_no_commands(&bench, "codex@shop-3f9a1c2e").await;
    bench.stop().await;
}

#[tokio::test]
async fn a_program_sends_no_commands_to_a_gated_agent_in_the_file_of_its_project() {
    let bench = Bench::with(Setup {
        is_gated: true,
        ..Setup::default()
    })
    .await;
    sends_no_commands(&bench, "codex").await;
    bench.stop().await;
}

/// Checks that in a channel, only a person may send commands and begin turns.
async fn sends_no_commands(bench: &Bench, channel: &str) {
    let session = format!("/api/sessions/{channel}:abcdefgh");
    let body = r#"{"line":"/plan on"}"#;
    let command = format!("{session}/command");
    bench.post_as(HOST, &command, body).await.expect(403);
    bench.post_as(PERSON, &command, body).await.expect(200);
    let turn = format!("{session}/turn");
    bench.post_as(HOST, &turn, "{}").await.expect(403);
}

/// The last parts of the paths below `/api/plans`.
const PLAN_COMMANDS: [&str; 7] = [
    "approve", "cancel", "disable", "done", "enable", "reject", "resume",
];

/// Returns each method and path of the `OpenAPI` document, with the role that it needs.
async fn operations(bench: &Bench) -> Vec<(String, String, String)> {
    let document = bench.get("/openapi.json").await.expect(200);
    let mut found = Vec::new();
    for (path, methods) in document.at("paths").as_object().expect("paths").iter() {
        for (method, operation) in methods.as_object().expect("methods").iter() {
            let needs = crate::client::at(operation, "description");
            let needs = needs.as_text().expect("a text");
            let role = needs.split('`').nth(1).expect("a role").to_owned();
            let path = path.replace("{session}", "web:abcdefgh");
            let paths = match path.strip_suffix("{command}") {
                Some(plans) => PLAN_COMMANDS.map(|name| format!("{plans}{name}")).to_vec(),
                None => vec![path],
            };
            let method = method.to_uppercase();
            found.extend(
                paths
                    .into_iter()
                    .map(|path| (method.clone(), path, role.clone())),
            );
        }
    }
    found
}

/// Checks that exactly the roles below the one that an operation needs are refused.
async fn refuses_lower_roles(bench: &Bench) {
    let roles = [("reader", READER), ("host", HOST), ("person", PERSON)];
    let mut refused = 0;
    for (method, path, needed) in operations(bench).await {
        let needed = roles.iter().position(|(role, _)| *role == needed);
        let needed = needed.expect("one of the roles");
        for (at, (role, token)) in roles.into_iter().enumerate() {
            let headers = bearer(token);
            // A request that may be sent fails because of its fields, so it changes nothing.
            let body = (method == "POST").then_some(r#"{"sessionId":"web:abcdefgh","x":1}"#);
            let request = request(bench.address, &method, &path, &headers, body);
            // The answer of a stream has no end, so only the beginning of each answer is read.
            let head = Events::open(bench.address, &request, None).await.head;
            let is_refused = head.starts_with("HTTP/1.1 403");
            assert!(!head.starts_with("HTTP/1.1 401"), "{path}: {head}");
            assert_eq!(is_refused, at < needed, "{role}: {method} {path}: {head}");
            refused += usize::from(is_refused);
        }
    }
    assert!(refused > 20, "{refused}");
}

#[tokio::test]
async fn roles_limit_what_a_token_may_do() {
    let bench = Bench::new().await;
    refuses_lower_roles(&bench).await;
    let command = "/api/sessions/web:abcdefgh/command";
    let body = r#"{"line":"/plan on"}"#;
    bench.post_as(READER, command, body).await.expect(403);
    bench.post_as(HOST, command, body).await.expect(200);
    let approve = r#"{"line":"/plan approve 1-00000000"}"#;
    bench.post_as(HOST, command, approve).await.expect(403);
    let enable = r#"{"sessionId":"web:abcdefgh"}"#;
    bench
        .post_as(HOST, "/api/plans/cancel", enable)
        .await
        .expect(403);
    bench
        .post_as(PERSON, "/api/plans/cancel", enable)
        .await
        .expect(200);
    let decision = r#"{"decision":"approve","machine":"PlanMode","plan":"p","token":"t"}"#;
    let path = "/api/sessions/web:abcdefgh/decision";
    bench.post_as(HOST, path, decision).await.expect(403);
    let metrics = bench.raw("GET", "/metrics", &bearer(READER), None).await;
    assert!(
        metrics
            .expect(200)
            .body
            .contains("# TYPE plan_server_request_count counter")
    );
    bench.stop().await;
}
