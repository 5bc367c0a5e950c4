use std::fs;
use std::path::PathBuf;

use plan_machine_sessions::SessionIdentity;
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::runtime::Builder;

use super::*;
use crate::keeper::{Delivery, PlanDecision};
use crate::mcp::caller::tests::below;
use crate::project::{self, Documents, Site, StateFolder};

const SESSION: &str = "codex:talk-0001";

/// How long a client waits for a message. It is never reached in a test that passes.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(120);

const DOCUMENT: &str = "\
session: Looking
machines: { work: \"plan-specs:allowlist_plan\" }
calls: \"plan-specs:codex\"
commands: { prefix: \".\" }
";

/// A gated project in a temporary folder.
struct Bench {
    place: TempDir,
}

impl Bench {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let bench = Self { place };
        bench.write(DOCUMENT);
        let (documents, _) = Documents::prove(&bench.site()).expect("proved documents");
        project::trust(&bench.site(), &documents).expect("trusted documents");
        bench
    }

    fn write(&self, text: &str) {
        let folder = self.project().join(project::FOLDER);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(project::DOCUMENT), text).expect("a document");
    }

    fn project(&self) -> PathBuf {
        self.place.path().join("project")
    }

    fn home(&self) -> StateFolder {
        StateFolder::at(self.place.path().join("state"))
    }

    fn site(&self) -> Site {
        Site::of_project(&self.home(), &self.project())
    }

    /// Returns another gate of the project, as another process would open it.
    async fn keeper(&self) -> Keeper {
        let opened = Keeper::open(&self.home(), self.site(), &self.project()).await;
        opened.expect("an open gate")
    }

    fn server(&self, elicit: bool) -> PlanServer {
        let options = McpOptions {
            home: self.home(),
            folder: self.project(),
            session: Some(SESSION.parse().expect("an identity")),
            elicit,
        };
        PlanServer::new(options, &Ancestry::default()).expect("a server")
    }

    /// Sends a person's command from another process.
    async fn command(&self, line: &str) {
        let keeper = self.keeper().await;
        let session = SESSION.parse().expect("an identity");
        let answer = keeper.person_command(&session, line).await;
        assert!(answer.expect("an answer").is_accepted, "{line}");
        keeper.close().await.expect("a closed store");
    }

    /// Approves the waiting plan from another process, as if its card had been shown there.
    async fn approve(&self) {
        let keeper = self.keeper().await;
        let session = SESSION.parse().expect("an identity");
        let view = keeper.view(&session).await.expect("a view");
        let card = &view.cards[0];
        let shown = Delivery::of(&session, card, "terminal");
        keeper.delivered(&[shown]).expect("a delivery");
        let decided = keeper.decide_plan(Some(&session), &card.token, &PlanDecision::Approve);
        assert!(decided.await.expect("a decision").is_accepted);
        keeper.close().await.expect("a closed store");
    }
}

/// A client that only writes and reads lines.
struct Client {
    lines: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    output: tokio::io::WriteHalf<DuplexStream>,
    next: u64,
    is_current: bool,
}

impl Client {
    fn new(server: PlanServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let running = Box::pin(server.serve(tokio::io::split(theirs))).await;
            running.expect("a client").waiting().await
        });
        let (input, output) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(input).lines(),
            output,
            next: 0,
            is_current: true,
        }
    }

    /// Returns a client of the revision with a handshake.
    async fn older(server: PlanServer) -> Self {
        let mut client = Self::new(server);
        client.is_current = false;
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "older", "version": "1"},
        });
        let answer = client.ask("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send(&done).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let sent = self.output.write_all(line.as_bytes()).await;
        sent.expect("a server that reads");
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await;
        let line = line.expect("a message in time");
        let line = line.expect("a server that writes");
        serde_json::from_str(&line.expect("a message")).expect("JSON")
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        if self.is_current {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "current", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
            });
        }
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.send(&message).await;
        self.read().await
    }

    async fn call(&mut self, tool: &str, args: Value) -> Value {
        let params = json!({"name": tool, "arguments": args});
        self.ask("tools/call", params).await["result"].clone()
    }

    /// Brings the session to a plan that waits for approval.
    async fn plan(&mut self, bench: &Bench, text: &str) {
        self.call(STATUS, json!({})).await;
        bench.command(".plan on").await;
        let stored = self.call("plan_set_content", json!({"plan_markdown": text}));
        assert_eq!(stored.await["isError"], false);
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

fn run(work: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work);
}

#[test]
fn an_older_client_shakes_hands_and_gets_denials_in_words() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::older(bench.server(false)).await;
        let before = client.ask("tools/list", json!({})).await["result"].clone();
        let names: Vec<&Value> = before["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert_eq!(names, ["plan_set_content", "plan_get", STATUS, WAIT]);
        let denied = client.call("plan_get", json!({})).await;
        assert_eq!(denied["isError"], true);
        assert!(text(&denied).contains("`.plan on`"), "{denied}");
        for (tool, args) in [
            ("nothing", json!({})),
            ("plan_set_content", json!({"x": 1})),
        ] {
            let denied = client.call(tool, args).await;
            assert_eq!(denied["isError"], true, "{denied}");
            assert!(!text(&denied).is_empty());
        }
        client.plan(&bench, "# v1").await;
        let after = client.ask("tools/list", json!({})).await["result"].clone();
        assert_eq!(after, before, "the list does not depend on the state");
        let denials = crate::audit::read(&bench.site().state.join("audit.jsonl"));
        assert_eq!(denials.expect("a list").len(), 3);
    });
}

#[test]
fn a_current_client_needs_no_handshake() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::new(bench.server(false));
        let found = client.ask("server/discover", json!({})).await["result"].clone();
        let versions = found["supportedVersions"].as_array().expect("versions");
        assert!(versions.contains(&json!("2026-07-28")), "{found}");
        assert!(versions.contains(&json!("2025-11-25")), "{found}");
        client.plan(&bench, "# v1").await;
        let status = client.call(STATUS, json!({})).await;
        assert!(
            text(&status).contains("waiting for the user's approval"),
            "{status}"
        );
        assert_eq!(status["resultType"], "complete");
    });
}

#[test]
fn waiting_ends_when_another_process_approves() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::new(bench.server(false));
        client.plan(&bench, "# v1").await;
        let (waited, ()) = tokio::join!(client.call(WAIT, json!({})), bench.approve());
        assert_eq!(waited["isError"], false);
        assert!(text(&waited).contains("has approved the plan"), "{waited}");
    });
}

#[test]
fn waiting_ends_when_the_time_is_up() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::new(bench.server(false));
        client.plan(&bench, "# v1").await;
        let session = SESSION.parse().expect("an identity");
        let keeper = bench.keeper().await;
        let waited = wait::wait(&keeper, &session, std::time::Duration::ZERO).await;
        let waited = waited.expect("an answer");
        assert!(waited.text.contains("not decided yet"), "{}", waited.text);
        assert!(!waited.is_denied);
    });
}

#[test]
fn a_document_that_nobody_has_trusted_closes_the_gate() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::new(bench.server(false));
        client.plan(&bench, "# v1").await;
        bench.write(&format!("{DOCUMENT}doc: Changed.\n"));
        for tool in ["plan_get", STATUS, WAIT] {
            let denied = client.call(tool, json!({})).await;
            assert_eq!(denied["isError"], true);
            assert!(text(&denied).contains("plan-machine trust"), "{denied}");
        }
        bench.write(DOCUMENT);
        assert_eq!(client.call("plan_get", json!({})).await["isError"], false);
    });
}

#[test]
fn nobody_is_asked_by_default() {
    run(async {
        let bench = Bench::new();
        // The question comes from a server that asks, so it is valid, and only the setting prevents the answer from
        // being used.
        let mut asking = Client::new(bench.server(true));
        asking.plan(&bench, "# v1").await;
        let asked = asking.call(WAIT, json!({})).await;
        assert_eq!(asked["resultType"], "input_required");
        let mut client = Client::new(bench.server(false));
        let answer = json!({
            "name": WAIT, "arguments": {}, "requestState": asked["requestState"],
            "inputResponses": {"decision": {"action": "accept", "content": {"decision": "approve"}}},
        });
        let waited = client.ask("tools/call", answer);
        let (waited, ()) = tokio::join!(waited, bench.command(".plan off"));
        // An answer that comes too late to be used would be an error.
        assert_eq!(waited["result"]["isError"], false, "{waited}");
        let keeper = bench.keeper().await;
        let session = keeper.session(&SESSION.parse().expect("an identity"));
        let entries = session.history(0, 100).await.expect("a journal");
        let events = entries.iter().map(|entry| &entry.step.call.what);
        let events = format!("{:?}", events.collect::<Vec<_>>());
        assert!(events.contains("\"plan_off\""), "{events}");
        assert!(!events.contains("\"approve\""), "{events}");
    });
}

#[test]
fn a_current_client_asks_the_person_about_exactly_what_was_shown() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::new(bench.server(true));
        client.plan(&bench, "# v1").await;
        let answer = |state: &Value, decision: &str| {
            json!({
                "name": WAIT, "arguments": {}, "requestState": state,
                "inputResponses": {"decision": {"action": "accept", "content": {"decision": decision}}},
            })
        };
        let asked = client.call(WAIT, json!({})).await;
        assert_eq!(asked["resultType"], "input_required");
        let shown = &asked["inputRequests"]["decision"]["params"]["message"];
        assert!(shown.as_str().is_some_and(|text| text.contains("# v1")));
        // The changed plan has another token, so the answer to the first question decides nothing.
        client
            .call("plan_set_content", json!({"plan_markdown": "# v2"}))
            .await;
        let late = client
            .ask("tools/call", answer(&asked["requestState"], "approve"))
            .await;
        assert_eq!(late["result"]["isError"], true, "{late}");
        let forged = client
            .ask("tools/call", answer(&json!("rs1.a.b"), "approve"))
            .await;
        assert_eq!(forged["result"]["isError"], true, "{forged}");
        let asked = client.call(WAIT, json!({})).await;
        let decided = client
            .ask("tools/call", answer(&asked["requestState"], "approve"))
            .await;
        assert_eq!(decided["result"]["isError"], false, "{decided}");
        assert!(
            text(&decided["result"]).contains("has approved the plan"),
            "{decided}"
        );
        let again = client
            .ask("tools/call", answer(&asked["requestState"], "approve"))
            .await;
        assert_eq!(again["result"]["isError"], true, "{again}");
    });
}

#[test]
fn an_older_client_is_asked_during_the_call() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::older(bench.server(true)).await;
        client.plan(&bench, "# v1").await;
        for (answer, state) in [
            (
                json!({"action": "decline"}),
                "waiting for the user's approval",
            ),
            (
                json!({"action": "accept", "content": {"decision": "approve"}}),
                "has approved the plan",
            ),
        ] {
            let question = client.ask("tools/call", json!({"name": WAIT, "arguments": {}}));
            let question = question.await;
            assert_eq!(question["method"], "elicitation/create");
            let answered = json!({"jsonrpc": "2.0", "id": question["id"], "result": answer});
            client.send(&answered).await;
            let decided = client.read().await["result"].clone();
            assert!(text(&decided).contains(state), "{decided}");
        }
    });
}

#[test]
fn a_server_that_an_agent_runs_as_a_command_asks_nobody() {
    let bench = Bench::new();
    let started = |programs: &[&str], elicit: bool| {
        let options = McpOptions {
            home: bench.home(),
            folder: bench.project(),
            session: None,
            elicit,
        };
        PlanServer::new(options, &below(programs)).map(|_| ())
    };
    for programs in [&["bash", "codex"][..], &["python3", "bash", "claude"]] {
        let refused = started(programs, true);
        assert!(matches!(refused, Err(McpError::Elicit(_))), "{programs:?}");
        // Without questions to the person, a model may start the server.
        assert!(started(programs, false).is_ok(), "{programs:?}");
    }
    for programs in [&["codex", "bash"][..], &["bash", "login"]] {
        assert!(started(programs, true).is_ok(), "{programs:?}");
    }
}

#[test]
fn a_call_with_a_sealed_id_that_is_sent_twice_takes_effect_once() {
    run(async {
        let bench = Bench::new();
        let mut client = Client::new(bench.server(false));
        client.call(STATUS, json!({})).await;
        bench.command(".plan on").await;
        let session: SessionIdentity = SESSION.parse().expect("an identity");
        let key = HandleKey::of(&bench.home()).expect("a key");
        let sealed = |id: Option<&str>| {
            let handle = SessionHandle {
                session: session.clone(),
                call_id: id.map(str::to_owned),
                actor: "codex/agent".to_owned(),
            };
            json!({"plan_markdown": "# v1", HANDLE: key.seal(&handle)})
        };
        // How many times a call has taken effect after it was sent twice.
        let mut expected = 0;
        for (id, times) in [(Some("call-1"), 1), (Some("call-2"), 1), (None, 2)] {
            for _ in 0..2 {
                let stored = client.call("plan_set_content", sealed(id)).await;
                assert_eq!(stored["isError"], false, "{stored}");
            }
            expected += times;
            let keeper = bench.keeper().await;
            let history = keeper.session(&session).history(0, 100).await;
            let history = history.expect("a journal");
            let events = history
                .iter()
                .map(plan_machine_sessions::journal::Entry::event);
            let stored = events.filter(|event| *event == "plan_set_content");
            assert_eq!(stored.count(), expected, "{id:?}");
            keeper.close().await.expect("a closed store");
        }
    });
}
