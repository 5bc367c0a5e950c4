//! The acceptance criteria of document 002, one test each.

use plan_machine::Instant;
use plan_machine_host::memory::MemoryFile;
use plan_machine_kernel::json::Json;
use plan_machine_server::memory::HostMemory;
use plan_specs::memory::{GoalId, GoalRun, Identity, TaskId, TaskRun};

use crate::bench::{Bench, Setup, called, ready_plan, typed};
use crate::client::{Answer, at};

fn of(session: &str) -> String {
    format!(r#"{{"sessionId":"{session}"}}"#)
}

#[tokio::test]
async fn criterion_1_enabling_plan_mode_in_one_session_never_changes_another() {
    let bench = Bench::new().await;
    let before = bench
        .get("/api/plans?sessionId=session-b")
        .await
        .expect(200);
    let enabled = bench
        .post("/api/plans/enable", &of("session-a"))
        .await
        .expect(200);
    assert_eq!(enabled.text("sessionId"), "web:session-a");
    assert_eq!(enabled.at("enabled"), Json::Bool(true));
    let after = bench
        .get("/api/plans?sessionId=session-b")
        .await
        .expect(200);
    assert_eq!(before.body, after.body);
    assert_eq!(after.at("enabled"), Json::Bool(false));
    assert_eq!(after.at("active"), Json::Bool(false));
    bench
        .post("/api/plans/enable", &of("session-b"))
        .await
        .expect(200);
    bench
        .post("/api/plans/disable", &of("session-a"))
        .await
        .expect(200);
    let other = bench
        .get("/api/plans?sessionId=session-b")
        .await
        .expect(200);
    assert_eq!(other.at("enabled"), Json::Bool(true));
    // A session must be named.
    for path in [
        "enable", "disable", "done", "approve", "reject", "cancel", "resume",
    ] {
        let missing = bench
            .post(&format!("/api/plans/{path}"), "{}")
            .await
            .expect(400);
        assert!(missing.text("detail").contains("`sessionId` is missing"));
    }
    bench.get("/api/plans").await.expect(400);
    bench
        .post("/api/plans/enable", &of("short"))
        .await
        .expect(400);
    bench.stop().await;
}

/// Returns a server with a memory in which two sessions, two goals and three tasks have left notes.
async fn with_memory() -> (Bench, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("memory.jsonl");
    let memory = MemoryFile::open(&file).expect("a memory");
    let at = Instant::at_second(1);
    for session in ["session-a", "session-b"] {
        let identity = || Identity::new("web", session).expect("an identity");
        let own = |text: &str| format!("{text} of {session}");
        for task in ["task-1", "task-2"] {
            let id = TaskId::new(format!("{task}-{session}")).expect("an id");
            let run = TaskRun::new(identity(), id);
            let note = own(&format!("note of {task}"));
            memory
                .remember(&run.write_intermediate(), &note, "auto", at)
                .expect("stored");
        }
        for goal in ["goal-1", "goal-2"] {
            let goal_id = GoalId::new(goal).expect("an id");
            let task = TaskId::new(format!("for-{goal}-{session}")).expect("an id");
            let run = GoalRun::new(identity(), goal_id, task);
            let note = own(&format!("decision of {goal}"));
            memory
                .remember(&run.write_decision(), &note, "auto", at)
                .expect("stored");
            memory
                .remember(&run.write_conversation(), &own("talk"), "auto", at)
                .expect("stored");
        }
    }
    let memory = HostMemory::open(&file).expect("a memory");
    let bench = Bench::with(Setup {
        memory: Some(Box::new(memory)),
        ..Setup::default()
    });
    (bench.await, folder)
}

fn texts(answer: &Answer) -> Vec<String> {
    let items = answer.at("items");
    let items = items.as_list().expect("items").iter();
    let texts = items.filter_map(|item| Some(at(item, "text").as_text()?.to_owned()));
    texts.collect()
}

#[tokio::test]
async fn criterion_2_standalone_tasks_do_not_share_task_context() {
    let (bench, _folder) = with_memory().await;
    let path = "/api/memory?sessionId=session-a&runKind=TASK_RUN&taskId=task-1-session-a";
    let answer = bench.get(path).await.expect(200);
    let found = texts(&answer);
    assert!(
        found.contains(&"note of task-1 of session-a".to_owned()),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|text| text.contains("task-2")),
        "{found:?}"
    );
    assert!(!found.iter().any(|text| text.contains("goal")), "{found:?}");
    let scopes = answer.at("scopes").to_string();
    assert_eq!(
        scopes,
        r#"["task:task-1-session-a","session:web:session-a","global"]"#
    );
    bench.stop().await;
}

#[tokio::test]
async fn criterion_3_goal_tasks_share_context_within_one_session_and_goal() {
    let (bench, _folder) = with_memory().await;
    let path = "/api/memory?sessionId=session-a&runKind=GOAL_RUN&goalId=goal-1&taskId=new-task";
    let found = texts(&bench.get(path).await.expect(200));
    assert!(
        found.contains(&"decision of goal-1 of session-a".to_owned()),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|text| text.contains("goal-2")),
        "{found:?}"
    );
    assert!(
        !found.iter().any(|text| text.contains("session-b")),
        "{found:?}"
    );
    bench
        .get("/api/memory?sessionId=session-a&runKind=GOAL_RUN&taskId=t")
        .await
        .expect(400);
    bench
        .get("/api/memory?sessionId=session-a&runKind=ANY")
        .await
        .expect(400);
    bench.stop().await;
}

#[tokio::test]
async fn criterion_4_no_event_of_one_session_reaches_the_stream_of_another() {
    let bench = Bench::new().await;
    let mut other = bench.events("/api/sessions/web:session-b/events", "").await;
    other.named("hello").await;
    ready_plan(&bench.session("web:session-a"), "make").await;
    let call = r#"{"calls":[{"name":"shell"}]}"#;
    bench
        .post("/api/sessions/web:session-a/decide", call)
        .await
        .expect(200);
    typed(&bench.session("web:session-b"), "/plan on").await;
    // The first event of this stream belongs to its own session, although the event of the other session came first.
    let first = other.next().await.expect("an event");
    assert_eq!(first.name, "entry");
    assert_eq!(at(&first.data, "sessionId"), Json::from("web:session-b"));
    assert_eq!(at(&first.data, "waiting").to_string(), "[]");
    bench.stop().await;
}

#[tokio::test]
async fn criterion_5_memory_never_returns_items_of_a_foreign_session() {
    let (bench, _folder) = with_memory().await;
    for path in [
        "/api/memory?sessionId=session-a",
        // The ids of the other session's tasks and goals do not help.
        "/api/memory?sessionId=session-a&runKind=TASK_RUN&taskId=task-1-session-b",
        "/api/memory?sessionId=session-a&runKind=GOAL_RUN&goalId=goal-1&taskId=for-goal-1-session-b",
    ] {
        let found = texts(&bench.get(path).await.expect(200));
        assert!(
            found.contains(&"talk of session-a".to_owned()),
            "{path}: {found:?}"
        );
        assert!(
            !found.iter().any(|text| text.contains("session-b")),
            "{path}: {found:?}"
        );
    }
    bench.stop().await;
}

#[tokio::test]
async fn criterion_6_the_plan_state_is_that_of_the_selected_session() {
    let bench = Bench::new().await;
    ready_plan(&bench.session("web:session-a"), "make").await;
    bench
        .post("/api/plans/enable", &of("session-b"))
        .await
        .expect(200);
    let one = bench
        .get("/api/plans?sessionId=web:session-a")
        .await
        .expect(200);
    assert_eq!(
        (one.text("state"), one.text("sessionId")),
        ("READY".to_owned(), "web:session-a".to_owned())
    );
    let two = bench
        .get("/api/plans?sessionId=web:session-b")
        .await
        .expect(200);
    assert_eq!(two.text("state"), "COLLECTING");
    let (plan, token) = (one.text("activePlanId"), one.text("plans.0.token"));
    // The token of one session's plan approves nothing in another one.
    let approve = |session: &str| {
        format!(r#"{{"sessionId":"{session}","planId":"{plan}","token":"{token}"}}"#)
    };
    bench
        .post("/api/plans/approve", &approve("session-b"))
        .await
        .expect(409);
    bench
        .post("/api/plans/approve", &of("session-a"))
        .await
        .expect(400);
    let done = bench
        .post("/api/plans/approve", &approve("session-a"))
        .await
        .expect(200);
    assert_eq!(done.text("state"), "EXECUTING");
    let two = bench
        .get("/api/plans?sessionId=web:session-b")
        .await
        .expect(200);
    assert_eq!(two.text("state"), "COLLECTING");
    // This plan mode has no command `/plan done`, and there is no path `unknown`.
    bench
        .post("/api/plans/done", &of("session-a"))
        .await
        .expect(404);
    bench
        .post("/api/plans/unknown", &of("session-a"))
        .await
        .expect(404);
    bench
        .post("/api/plans/resume", &of("session-a"))
        .await
        .expect(409);
    bench
        .post("/api/plans/cancel", &of("session-a"))
        .await
        .expect(200);
    bench.stop().await;
}

/// Sends a command to the session `web:session-a`, and returns the response.
async fn sent(bench: &Bench, command: &str, rest: &str) -> Answer {
    let body = format!(r#"{{"sessionId":"session-a"{rest}}}"#);
    let path = format!("/api/plans/{command}");
    bench.post(&path, &body).await.expect(200)
}

#[tokio::test]
async fn done_ends_the_plan_mode() {
    let bench = Bench::of("session: Test\nmachines: { work: 'plan-specs:work_by_plan' }\n").await;
    sent(&bench, "enable", "").await;
    let done = sent(&bench, "done", "").await;
    assert_eq!(done.text("state"), "none");
    assert_eq!(done.at("enabled"), Json::Bool(false));
    assert_eq!(done.text("text"), "Plan work is off.");
    bench.stop().await;
}

#[tokio::test]
async fn reject_sends_a_plan_back_with_the_reason() {
    let bench = Bench::with(Setup {
        document: "session: Test\nmachines: { work: machine.yaml }\ncalls: 'plan-specs:claude_code'\n",
        machine: include_str!("../../../specs/agents/look_then_act.yaml"),
        ..Setup::default()
    })
    .await;
    let session = bench.session("web:session-a");
    called(&session, "plan_write", &[("markdown", "# One")]).await;
    let rejected = sent(&bench, "reject", r#","reason":"Keep the name.""#).await;
    assert_eq!(rejected.text("state"), "REJECTED");
    assert_eq!(rejected.at("enabled"), Json::Bool(true));
    let plan = session.plans().await.expect("plans").remove(0).plan;
    let objection = plan.data.get("objection").cloned();
    assert_eq!(objection, Some(Json::from("Keep the name.")));
    bench.stop().await;
}

#[tokio::test]
async fn resume_continues_a_plan_that_stopped() {
    let bench = Bench::new().await;
    ready_plan(&bench.session("web:session-a"), "make").await;
    let ready = bench
        .get("/api/plans?sessionId=session-a")
        .await
        .expect(200);
    let token = ready.text("plans.0.token");
    sent(&bench, "approve", &format!(r#","token":"{token}""#)).await;
    let signal = "/api/sessions/web:session-a/signal";
    for (event, with) in [
        ("step_started", r#"{"step":0}"#),
        ("step_failed", r#"{"error":"no make"}"#),
    ] {
        let body = format!(r#"{{"machine":"PlanMode","event":"{event}","with":{with}}}"#);
        let answer = bench.post(signal, &body).await.expect(200);
        assert_eq!(answer.at("accepted"), Json::Bool(true), "{event}");
    }
    let stopped = bench.get("/api/plans?sessionId=session-a").await;
    assert_eq!(stopped.text("state"), "PARTIALLY_COMPLETED");
    let resumed = sent(&bench, "resume", "").await;
    assert_eq!(resumed.text("state"), "EXECUTING");
    assert_eq!(resumed.text("text"), "The plan continues.");
    bench.stop().await;
}

#[tokio::test]
async fn an_approval_that_is_repeated_with_its_id_gets_the_first_answer() {
    let bench = Bench::new().await;
    let session = bench.session("web:session-a");
    for is_named in [true, false] {
        ready_plan(&session, "make").await;
        let ready = bench.get("/api/plans?sessionId=session-a").await;
        let (plan, token) = (ready.text("activePlanId"), ready.text("plans.0.token"));
        let named = format!(r#","planId":"{plan}""#);
        let named = if is_named { named.as_str() } else { "" };
        let fields = format!(r#","token":"{token}","once":"click-on-{plan}"{named}"#);
        let first = sent(&bench, "approve", &fields).await;
        assert_eq!(first.text("state"), "EXECUTING");
        let again = sent(&bench, "approve", &fields).await;
        assert_eq!(again.body, first.body);
        sent(&bench, "cancel", "").await;
        let again = sent(&bench, "approve", &fields).await;
        assert_eq!(again.text("text"), first.text("text"));
        // The content was approved once; a new request cannot approve it again.
        let new = format!(r#"{{"sessionId":"session-a"{fields}}}"#);
        let new = new.replace("click-on", "other-click-on");
        let late = bench.post("/api/plans/approve", &new).await;
        assert!(matches!(late.status, 404 | 409), "{}", late.body);
    }
    let approvals = session.audit(0, 100).await.expect("an audit log");
    let approvals = approvals.iter().filter(|line| line.event == "approve");
    assert_eq!(approvals.count(), 2);
    bench.stop().await;
}

#[tokio::test]
async fn a_long_memory_is_cut_and_the_answer_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("memory.jsonl");
    let write = |lines: usize| {
        let line = |number| {
            format!(
                r#"{{"at":"2026-11-17T10:57:08Z","by":"auto","scope":"session:web:session-a","session":"web:session-a","text":"note {number}"}}"#
            )
        };
        let lines: Vec<String> = (0..lines).map(line).collect();
        std::fs::write(&file, lines.join("\n") + "\n").expect("written");
    };
    write(0);
    let memory = HostMemory::open(&file).expect("a memory");
    let bench = Bench::with(Setup {
        memory: Some(Box::new(memory)),
        ..Setup::default()
    })
    .await;
    for (lines, is_complete) in [(1000, true), (1001, false)] {
        write(lines);
        let answer = bench.get("/api/memory?sessionId=session-a").await;
        assert_eq!(texts(&answer).len(), 1000);
        assert_eq!(answer.at("complete"), Json::Bool(is_complete));
    }
    bench.stop().await;
}
