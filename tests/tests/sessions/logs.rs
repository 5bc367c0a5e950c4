//! Logs and metrics report denied calls just like accepted ones.

use std::env;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex};

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use plan_machine::gate::{EventContext, Gate, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::{Json, Object};
use plan_machine_sessions::Sessions;
use tracing::{Instrument as _, Level, info_span};
use tracing_subscriber::fmt::MakeWriter;

use super::{draft, identity, in_memory};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("the lock is not poisoned")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Starts a plan, drafts it, reads it, calls a tool that does not exist, and closes the plan.
async fn a_turn() {
    let around = EventContext::default().by("ann");
    let session = in_memory().session(&identity("seen-in-logs"));
    session
        .command("/plan on", &around)
        .await
        .expect("the plan is started");
    let nonsense = ToolCall::new("nonsense", Object::new());
    let read = ToolCall::new("plan_get", Object::new()).once("call-1");
    let batch = [draft("# v1"), read, nonsense];
    session
        .decide(&batch, &around)
        .await
        .expect("the calls are decided");
    session
        .command("/plan done", &around)
        .await
        .expect("the plan is closed");
}

/// Returns whether a test is alone in its process; if it is not, runs it alone in another process.
/// `tracing` stores, once for all threads, whether an event has a subscriber. If a test on another
/// thread sends an event for the first time while this test is subscribing, the event can be turned
/// off.
fn is_alone(test: &str) -> bool {
    const ALONE: &str = "PLAN_MACHINE_TEST_IS_ALONE";
    if env::var_os(ALONE).is_some() {
        return true;
    }
    let tests = env::current_exe().expect("the path of the tests");
    let mut alone = Command::new(tests);
    let ended = alone.args(["--exact", test]).env(ALONE, "1").output();
    let ended = ended.expect("the tests start");
    let said = String::from_utf8_lossy(&ended.stdout);
    // If no test has the name, no test runs, and the process succeeds.
    let passed = ended.status.success() && said.contains(" 1 passed");
    assert!(passed, "{said}{}", String::from_utf8_lossy(&ended.stderr));
    false
}

#[tokio::test]
async fn every_event_is_logged_with_the_fields_that_identify_its_source() {
    if !is_alone("logs::every_event_is_logged_with_the_fields_that_identify_its_source") {
        return;
    }
    let lines = logged(Level::INFO, async {
        let of_the_host = info_span!("run", run_id = "run-1");
        a_turn().instrument(of_the_host).await;
    });
    let lines = lines.await;
    insta::assert_snapshot!(lines.join("\n"));
}

/// Runs a future, and returns what was logged in the meantime: the spans and the fields of each line.
async fn logged(level: Level, happens: impl Future<Output = ()>) -> Vec<String> {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .without_time()
        .with_max_level(level)
        .with_writer(lines.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    happens.await;
    drop(guard);
    let text = String::from_utf8(lines.0.lock().expect("the lock is not poisoned").clone())
        .expect("valid UTF-8");
    let of = |line: &Object, key: &str| line.get(key).cloned().expect("a field of the log line");
    let lines = text.lines().map(|line| {
        let line = Json::parse(line).expect("valid JSON");
        let line = line.as_object().expect("an object");
        format!("{} {}", of(line, "spans"), of(line, "fields"))
    });
    lines.collect()
}

#[tokio::test]
async fn every_decided_call_has_a_span_with_the_names_of_open_telemetry() {
    if !is_alone("logs::every_decided_call_has_a_span_with_the_names_of_open_telemetry") {
        return;
    }
    let lines = logged(Level::DEBUG, a_turn()).await;
    let decided = lines.iter().filter(|line| line.contains("decided"));
    insta::assert_snapshot!(decided.cloned().collect::<Vec<_>>().join("\n"));
}

/// Runs a future, and returns the metrics that were counted in the meantime.
fn counted(happens: impl Future<Output = ()>) -> Vec<String> {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    metrics::with_local_recorder(&recorder, || runtime.block_on(happens));
    let mut counted: Vec<String> = snapshotter
        .snapshot()
        .into_vec()
        .into_iter()
        .map(|(key, _, _, value)| {
            let labels: Vec<String> = key
                .key()
                .labels()
                .map(|label| format!("{}={}", label.key(), label.value()))
                .collect();
            let value = match value {
                DebugValue::Counter(count) => count.to_string(),
                DebugValue::Gauge(gauge) => gauge.to_string(),
                DebugValue::Histogram(_) => "histogram".to_owned(),
            };
            format!("{} {{{}}} {value}", key.key().name(), labels.join(", "))
        })
        .collect();
    counted.sort();
    counted
}

#[test]
fn every_event_is_counted_by_its_result() {
    insta::assert_snapshot!(counted(a_turn()).join("\n"));
}

/// Lets a person type wrong tokens, and a model call tools that do not exist.
async fn many_mistakes() {
    let around = EventContext::default().by("ann");
    let session = in_memory().session(&identity("mistyped"));
    session
        .command("/plan on", &around)
        .await
        .expect("the plan is started");
    let drafted = session.decide(&[draft("# v1")], &around).await;
    drafted.expect("the calls are decided");
    for number in 1..=3 {
        let line = format!("/plan approve {number}-00000001");
        session
            .command(&line, &around)
            .await
            .expect("the event is answered");
        let made_up = ToolCall::new(format!("made-up-{number}"), Object::new());
        session
            .decide(&[made_up], &around)
            .await
            .expect("the event is answered");
    }
}

#[test]
fn typed_or_invented_text_is_never_the_label_of_a_metric() {
    let all = counted(many_mistakes());
    let denied = all.iter().filter(|line| line.contains("outcome=denied"));
    assert_eq!(
        denied.collect::<Vec<_>>(),
        [
            "plan.event.count {machine=, event=unknown, outcome=denied} 3",
            "plan.event.count {machine=WorkByPlan, event=approve, outcome=denied} 3",
        ]
    );
}

/// Restarts a session that cannot be read, although its machine declares an event named `restart`.
async fn a_correction() {
    let spec = "
machine: Note
commands: { restart: /note }
states:
  none: { on: { restart: OPEN } }
  OPEN: { on: { restart: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";
    let note = InterpretedMachine::read("note.yaml", spec).expect("a valid spec");
    let machines = Gate::builder()
        .with(note)
        .join()
        .expect("a valid set of machines");
    let around = EventContext::default().by("ann");
    let session = in_memory().session(&identity("corrected"));
    session
        .command("/plan on", &around)
        .await
        .expect("the plan is started");
    // A program with other machines cannot read the session.
    let session = Sessions::new(Arc::clone(session.store()), machines).session(session.identity());
    session
        .restart("another machine", &around)
        .await
        .expect("the session is restarted");
    session
        .command("/note", &around)
        .await
        .expect("the event is answered");
}

#[test]
fn a_correction_is_not_counted_as_an_event_that_a_machine_declares() {
    let all = counted(a_correction());
    let events = all
        .iter()
        .filter(|line| line.contains("event=") && !line.contains("WorkByPlan"));
    assert_eq!(
        events.collect::<Vec<_>>(),
        [
            "plan.event.count {machine=, event=unknown, outcome=accepted} 1",
            "plan.event.count {machine=Note, event=restart, outcome=accepted} 1",
        ]
    );
}
