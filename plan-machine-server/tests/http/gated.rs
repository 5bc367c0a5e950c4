//! A gated project: a person can decide only about content that was shown, and documents that nobody trusted close the
//! gate.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use plan_machine_agents::agents::agent;
use plan_machine_agents::audit::{self, DeniedCall};
use plan_machine_agents::event::{self, AgentEventKind};
use plan_machine_agents::keeper::{Keeper, PlanDecision, SessionHandle, identity};
use plan_machine_agents::project::{self, Documents, Site, StateFolder};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_server::project::Desk;
use tempfile::TempDir;

use crate::bench::{Bench, HOST, READER, Setup, bearer};
use crate::client::at;

const SESSION: &str = "session: Shop\nmachines: { work: look_then_act.yaml }\ncalls: 'plan-specs:claude_code'\ncommands: { prefix: '.' }\n";

struct Gated {
    folder: PathBuf,
    home: StateFolder,
}

impl Gated {
    fn new(place: &TempDir) -> Self {
        let machine = include_str!("../../../specs/agents/look_then_act.yaml");
        Self::with(place, "look_then_act", machine)
    }

    /// Gates a project with this machine.
    fn with(place: &TempDir, name: &str, machine: &str) -> Self {
        let folder = place.path().join("shop");
        fs::create_dir_all(folder.join(".plan-machine")).expect("a folder");
        let gated = Self {
            folder,
            home: StateFolder::at(place.path().join("state")),
        };
        let file = format!(".plan-machine/{name}.yaml");
        fs::write(gated.folder.join(file), machine).expect("a machine");
        gated.write(&SESSION.replace("look_then_act", name));
        gated.trust();
        gated
    }

    fn write(&self, text: &str) {
        fs::write(self.folder.join(".plan-machine/session.yaml"), text).expect("a document");
    }

    fn site(&self) -> Site {
        Site::of_project(&self.home, &self.folder)
    }

    fn trust(&self) {
        let (documents, _) = Documents::prove(&self.site()).expect("proved documents");
        project::trust(&self.site(), &documents).expect("trusted documents");
    }

    async fn keeper(&self) -> Keeper {
        let opened = Keeper::open(&self.home, self.site(), &self.folder).await;
        opened.expect("an open gate")
    }

    /// Stores a plan as an agent's MCP server does when the model calls it.
    async fn store_plan(&self, markdown: &str) {
        let mut args = Object::new();
        args.push("markdown", markdown);
        self.own_call("plan_write", args).await;
    }

    async fn own_call(&self, tool: &str, args: Object) {
        let keeper = self.keeper().await;
        let handle = SessionHandle {
            session: identity("codex", "0c1d2e3f-talk-1").expect("an identity"),
            call_id: None,
            actor: "codex".to_owned(),
        };
        let answer = keeper.own_call(&handle, tool, args).await;
        assert!(!answer.expect("an answer").is_denied);
        keeper.close().await.expect("closed");
    }

    /// Returns whether a call of the agent may run, as decided by its hook in another process.
    async fn runs(&self, id: &str) -> bool {
        let keeper = self.keeper().await;
        let codex = agent("codex").expect("an agent");
        let folder = self.folder.display();
        let text = format!(
            r#"{{"session_id":"0c1d2e3f-talk-1","turn_id":"t1","cwd":"{folder}","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"touch x"}},"tool_use_id":"{id}"}}"#
        );
        let event = codex
            .read(&event::parse(text.as_bytes()).expect("JSON"))
            .expect("an event");
        let AgentEventKind::ToolCall(call) = &event.kind else {
            panic!("{event:?}");
        };
        let reply = keeper.call(codex, &event, call).await.expect("a reply");
        keeper.close().await.expect("closed");
        matches!(
            reply.answer,
            plan_machine_agents::answer::AgentAnswer::Silence
        )
    }

    /// Lists a denied call as the agent's hook does.
    fn list_denial(&self, reason: &str) {
        let denied = DeniedCall {
            at: Instant::try_from(SystemTime::now()).expect("a time"),
            session: "codex:0c1d2e3f-talk-1".to_owned(),
            actor: "codex".to_owned(),
            tool: "Bash".to_owned(),
            args: r#"{"command":"touch x"}"#.to_owned(),
            reason: reason.to_owned(),
        };
        audit::add(&self.site().state.join("audit.jsonl"), &denied).expect("listed");
    }

    async fn serve(&self, place: TempDir) -> Bench {
        let desk = Desk::gated(self.home.clone(), self.site()).await;
        let desk = desk.expect("an open gate");
        let sessions = desk.project().sessions().clone();
        Bench::serve(desk, &mut Setup::default(), sessions, place).await
    }
}

const TALK: &str = "/api/sessions/codex:0c1d2e3f-talk-1";

fn decision(name: &str, plan: &str, token: &str) -> String {
    format!(
        r#"{{"decision":"{name}","machine":"LookThenAct","plan":"{plan}","token":"{token}","reason":"no"}}"#
    )
}

#[tokio::test]
async fn the_content_in_the_answer_to_a_stale_click_can_be_approved() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    let shown = bench.get(TALK).await.expect(200);
    let (plan, token) = (shown.text("cards.0.plan"), shown.text("cards.0.token"));
    gated.store_plan("# Two").await;
    let path = format!("{TALK}/decision");
    let stale = decision("approve", &plan, &token);
    let stale = bench.post(&path, &stale).await.expect(409);
    let token = stale.text("card.token");
    let answer = bench
        .post(&path, &decision("approve", &plan, &token))
        .await
        .expect(200);
    assert_eq!(answer.text("plans.0.state"), "EXECUTING");
    bench.stop().await;
}

#[tokio::test]
async fn an_approval_on_the_page_lets_a_waiting_agent_go_on() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    assert!(!gated.runs("call-1").await);
    let bench = gated.serve(place).await;
    let inbox = bench.waiting(1).await;
    assert_eq!(inbox.text("waiting.0.project"), "shop");
    assert_eq!(
        inbox.at("waiting.0.actions").to_string(),
        r#"["approve","reject"]"#
    );
    let (plan, token) = (inbox.text("waiting.0.plan"), inbox.text("waiting.0.token"));
    let path = format!("{TALK}/decision");
    // The list shows only the beginning of the plan, so it cannot be approved from there.
    let unseen = bench
        .post(&path, &decision("approve", &plan, &token))
        .await
        .expect(409);
    assert!(
        unseen.text("detail").contains("has not shown you"),
        "{}",
        unseen.body
    );
    let reader = bench
        .raw("GET", TALK, &bearer(READER), None)
        .await
        .expect(200);
    assert_eq!(reader.text("cards.0.token"), token);
    bench
        .post(&path, &decision("approve", &plan, &token))
        .await
        .expect(409);
    let shown = bench.get(TALK).await.expect(200);
    assert_eq!(shown.text("cards.0.content.0.html").trim(), "<h1>One</h1>");
    assert_eq!(shown.text("calls.0.kind"), "class");
    let answer = bench
        .post(&path, &decision("approve", &plan, &token))
        .await
        .expect(200);
    assert_eq!(answer.text("plans.0.state"), "EXECUTING");
    assert!(gated.runs("call-2").await);
    bench.stop().await;
}

#[tokio::test]
async fn the_first_edition_of_a_plan_is_compared_with_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    let bench = gated.serve(place).await;
    gated.store_plan("# One").await;
    let path = format!("{TALK}/command");
    for line in [".plan done", ".plan on"] {
        let body = format!(r#"{{"line":"{line}"}}"#);
        bench.post(&path, &body).await.expect(200);
    }
    gated.store_plan("# Two").await;
    let first = bench.get(TALK).await.expect(200);
    assert_eq!(first.text("cards.0.content.0.text"), "# Two");
    assert_eq!(first.at("cards.0.baseline"), Json::Null);
    let plan = first.text("cards.0.plan");
    let versions = format!("{TALK}/versions?machine=LookThenAct&plan={plan}");
    let versions = bench.get(&versions).await.expect(200);
    assert_eq!(
        versions.at("versions").as_list().map(<[Json]>::len),
        Some(1)
    );
    gated.store_plan("# Three").await;
    let second = bench.get(TALK).await.expect(200);
    assert_eq!(second.text("cards.0.baseline.why"), "previous");
    bench.stop().await;
}

#[tokio::test]
async fn the_card_of_recorded_calls_says_what_the_agent_does_not_report() {
    let place = tempfile::tempdir().expect("a folder");
    let machine = include_str!("../../../specs/agents/record_then_replay.yaml");
    let gated = Gated::with(&place, "record_then_replay", machine);
    gated.own_call("plan_begin", Object::new()).await;
    assert!(!gated.runs("call-1").await);
    let mut summary = Object::new();
    summary.push("summary", "Touch a file.");
    gated.own_call("plan_submit", summary).await;
    let bench = gated.serve(place).await;
    let view = bench.get(TALK).await.expect(200);
    let line = view.text("cards.0.unreported");
    assert!(line.starts_with("Codex reports neither"), "{line}");
    bench.stop().await;
}

#[tokio::test]
async fn a_rejection_of_a_changed_plan_is_stale() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    let shown = bench.get(TALK).await.expect(200);
    let (plan, token) = (shown.text("cards.0.plan"), shown.text("cards.0.token"));
    gated.store_plan("# Two").await;
    let path = format!("{TALK}/decision");
    let unknown = bench
        .post(&path, &decision("reject", &plan, "1-ab"))
        .await
        .expect(409);
    let detail = unknown.text("detail");
    assert!(detail.contains("has this token"), "{detail}");
    let stale = bench
        .post(&path, &decision("reject", &plan, &token))
        .await
        .expect(409);
    assert_eq!(stale.text("type"), "urn:plan-machine:stale");
    let detail = stale.text("detail");
    assert!(detail.contains("has changed"), "{detail}");
    assert_eq!(stale.text("shown.content.0.text"), "# One");
    assert_eq!(stale.text("current.content.0.text"), "# Two");
    assert_eq!(stale.text("card.baseline.why"), "previous");
    let again = bench.get(TALK).await.expect(200);
    let token = again.text("cards.0.token");
    bench
        .post(&path, &decision("reject", &plan, &token))
        .await
        .expect(200);
    gated.store_plan("# Three").await;
    let after = bench.get(TALK).await.expect(200);
    assert_eq!(after.text("cards.0.baseline.why"), "rejected");
    assert_eq!(after.text("cards.0.baseline.actor"), "ann");
    let versions = format!("{TALK}/versions?machine=LookThenAct&plan={plan}");
    let versions = bench.get(&versions).await.expect(200);
    assert_eq!(versions.text("versions.0.content.0.text"), "# Three");
    assert_eq!(versions.text("versions.1.decisions.0.reason"), "no");
    assert_eq!(versions.at("complete"), Json::Bool(true));
    bench.stop().await;
}

/// Decides about the plan as the page shows it.
async fn decide(bench: &Bench, name: &str) {
    let shown = bench.get(TALK).await.expect(200);
    let (plan, token) = (shown.text("cards.0.plan"), shown.text("cards.0.token"));
    let path = format!("{TALK}/decision");
    let body = decision(name, &plan, &token);
    bench.post(&path, &body).await.expect(200);
}

/// Returns the decision on a class of calls, as the page shows it.
async fn class(bench: &Bench, name: &str) -> String {
    let calls = bench.get(TALK).await.expect(200).at("calls");
    let mut rows = calls.as_list().expect("calls").iter();
    let row = rows.find(|row| at(row, "name") == Json::from(name));
    let decision = at(row.expect(name), "decision");
    decision.as_text().expect("a decision").to_owned()
}

#[tokio::test]
async fn a_changed_plan_is_compared_with_the_last_approved_one() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    let approved = bench.get(TALK).await.expect(200).text("cards.0.token");
    decide(&bench, "approve").await;
    let on = r#"{"line":".plan on"}"#;
    let command = format!("{TALK}/command");
    bench.post(&command, on).await.expect(200);
    gated.store_plan("# Two").await;
    let changed = bench.get(TALK).await.expect(200);
    // A rejection later does not hide the approval.
    decide(&bench, "reject").await;
    gated.store_plan("# Three").await;
    let after = bench.get(TALK).await.expect(200);
    for view in [changed, after] {
        assert_eq!(view.text("cards.0.baseline.why"), "approved");
        assert_eq!(view.text("cards.0.baseline.actor"), "ann");
        assert_eq!(view.text("cards.0.baseline.token"), approved);
    }
    bench.stop().await;
}

#[tokio::test]
async fn the_page_shows_that_writes_run_only_after_the_approval() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    assert_eq!(class(&bench, "reads").await, "run");
    assert_eq!(class(&bench, "writes").await, "deny");
    decide(&bench, "approve").await;
    assert_eq!(class(&bench, "reads").await, "run");
    assert_eq!(class(&bench, "writes").await, "run");
    bench.stop().await;
}

#[tokio::test]
async fn what_was_shown_on_the_page_can_be_approved_in_a_terminal() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    let shown = bench.get(TALK).await.expect(200);
    let keeper = gated.keeper().await;
    let token = shown.text("cards.0.shortToken");
    let answer = keeper
        .decide_plan(None, &token, &PlanDecision::Approve)
        .await;
    assert!(answer.expect("an answer").is_accepted);
    keeper.close().await.expect("closed");
    bench.stop().await;
}

#[tokio::test]
async fn a_denial_that_a_hook_lists_is_a_live_event_and_is_in_the_timeline() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    gated.list_denial("before the server started");
    let bench = gated.serve(place).await;
    let mut all = bench.events("/api/events", "").await;
    let mut own = bench.events(&format!("{TALK}/events"), "").await;
    let mut other = bench
        .events("/api/sessions/codex:0c1d2e3f-talk-2/events", "")
        .await;
    for events in [&mut all, &mut own, &mut other] {
        events.named("hello").await;
    }
    gated.list_denial("it writes");
    for events in [&mut all, &mut own] {
        let denied = events.named("denied").await;
        assert_eq!(denied.id, None);
        let session = Json::from("codex:0c1d2e3f-talk-1");
        assert_eq!(at(&denied.data, "sessionId"), session);
        assert_eq!(at(&denied.data, "seq"), Json::Null);
        assert_eq!(at(&denied.data, "tool"), Json::from("Bash"));
        assert_eq!(at(&denied.data, "reason"), Json::from("it writes"));
    }
    let timeline = bench.get(&format!("{TALK}/timeline")).await.expect(200);
    assert_eq!(timeline.text("events.0.kind"), "denied");
    assert_eq!(timeline.text("events.0.reason"), "it writes");
    bench.begin_stop();
    let end = other.next().await.expect("the end of the stream");
    assert_eq!(end.name, "dropped", "another session gets no denial");
    bench.stop().await;
}

#[tokio::test]
async fn effects_of_a_gated_project_are_not_shown_as_pending() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    let view = bench.get(TALK).await.expect(200);
    assert!(view.body.contains(r#""effects":null"#), "{}", view.body);
    let timeline = bench.get(&format!("{TALK}/timeline")).await.expect(200);
    for part in [r#""name":"plan_ready""#, r#""pending":null"#] {
        assert!(timeline.body.contains(part), "{}", timeline.body);
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_program_of_a_gated_project_sends_no_commands() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    let shown = bench.get(TALK).await.expect(200);
    let token = shown.text("cards.0.token");
    let path = format!("{TALK}/command");
    let off = r#"{"line":".plan off"}"#;
    bench.post_as(HOST, &path, off).await.expect(403);
    bench
        .post_as(HOST, &format!("{TALK}/turn"), "{}")
        .await
        .expect(403);
    let approve = format!(r#"{{"line":".plan approve {token}"}}"#);
    bench.post_as(HOST, &path, &approve).await.expect(403);
    bench.post(&path, &approve).await.expect(409);
    bench
        .post(&path, r#"{"line":".plan show"}"#)
        .await
        .expect(200);
    bench.stop().await;
}

#[tokio::test]
async fn documents_that_nobody_trusted_close_the_gate_and_trusted_ones_open_it() {
    let place = tempfile::tempdir().expect("a folder");
    let gated = Gated::new(&place);
    gated.store_plan("# One").await;
    let bench = gated.serve(place).await;
    bench.waiting(1).await;
    gated.write(&SESSION.replace("session: Shop", "session: Other"));
    let closed = bench.get(TALK).await.expect(503);
    assert!(
        closed.text("detail").contains("plan-machine trust"),
        "{}",
        closed.body
    );
    gated.trust();
    bench.get(TALK).await.expect(200);
    let me = bench.get("/api/me").await.expect(200);
    assert_eq!(me.text("project.document"), "Other");
    bench.waiting(1).await;
    bench.stop().await;
}
