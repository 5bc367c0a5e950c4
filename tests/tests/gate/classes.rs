//! Classes of calls: a machine decides on a call by its tool and by its class, and calls of the
//! guard are denied everywhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plan_machine::calls::{Class, Classification, Classify, Document, Project};
use plan_machine::gate::{
    Decision, EventContext, Gate, GateBuilder, StartedCall, ToolCall, TurnId,
};
use plan_machine::machine::{Call, CallKind, Outcome};
use plan_machine::{Address, DenialKind, HostTool, Json, Object};

use super::{advertised, conflict, denied, interpreted};

plan_machine::calls!("corpus/session/calls/agent.yaml");
plan_machine::machine!("corpus/session/machines/planning.yaml");

/// Reads run while a plan is being made; commands are denied while it is being carried out.
const PLANNING: &str = include_str!("../../corpus/session/machines/planning.yaml");

/// Records every write as a step of a plan.
const RECORDER: &str = "
machine: Recorder
types:
  Step: { fields: { tool: string, args: json, started: { type: bool, default: false } } }
data:
  steps: { type: [Step], max: 9 }
commands: { begin: /record, go: { text: /go } }
signals: { start: {} }
external_tools: [writes]
states:
  none: { on: { begin: RECORDING } }
  RECORDING:
    on:
      writes: { append: { steps: { tool: event.tool, args: event.args } } }
      go: RUNNING
  RUNNING:
    on:
      start: { update: { steps: { first: not item.started, set: { started: true } } } }
      go: { to: DONE, next: none }
  DONE: { final: true }
";

fn project() -> Project {
    Project::new(env!("CARGO_MANIFEST_DIR"))
}

fn classes(gate: GateBuilder) -> Gate {
    let gate = gate.calls(agent::classifier(project()));
    gate.any_host_tool().open().expect("no conflicts")
}

fn in_planning() -> Gate {
    let mut gate = classes(Gate::builder().with(interpreted(PLANNING)));
    say(&mut gate, "/plan");
    gate
}

fn say(gate: &mut Gate, line: &str) {
    let answers = gate.command(line, &EventContext::default());
    assert!(
        answers.is_ok_and(|answers| answers[0].outcome.is_accepted()),
        "{line}"
    );
}

fn bash(command: &str) -> ToolCall {
    ToolCall::new("Bash", Object::from_iter([("command", command)]))
}

fn write(path: &str) -> ToolCall {
    ToolCall::new("Write", Object::from_iter([("path", path)]))
}

fn decide(gate: &mut Gate, call: ToolCall) -> Decision {
    gate.decide(&[call], &EventContext::default()).remove(0)
}

fn runs(gate: &mut Gate, call: ToolCall) -> bool {
    matches!(decide(gate, call), Decision::Run(_))
}

#[test]
fn a_command_is_decided_by_what_it_does() {
    let mut gate = in_planning();
    assert!(runs(&mut gate, bash("git status")));
    for command in [
        "git status && rm -rf src",
        "git diff --output=src/main.rs",
        "git status > src/main.rs",
        "make",
    ] {
        let decision = decide(&mut gate, bash(command));
        assert_eq!(denied(&decision), Some(DenialKind::NotAllowed), "{command}");
    }
    assert!(runs(&mut gate, write("plans/a.md")));
    assert!(!runs(&mut gate, write("plans/../src/main.rs")));
    assert!(!runs(&mut gate, ToolCall::new("deploy", Object::new())));
}

#[test]
fn the_stricter_of_two_entries_decides() {
    let mut gate = in_planning();
    // PLANNING: the entry for `Bash` is `run`, and the entry for `writes` is `deny`.
    assert!(!runs(&mut gate, bash("make")));
    say(&mut gate, "/approve");
    // WORKING: the entry for `Bash` is `deny`, and `reads` has no entry.
    assert!(!runs(&mut gate, bash("git status")));
    assert!(runs(&mut gate, write("src/main.rs")));
}

#[test]
fn a_denial_says_what_kept_a_call_out_of_a_class() {
    let mut gate = in_planning();
    let answer = decide(&mut gate, bash("git status && rm -rf src")).answer();
    let answer = answer.expect("a denied call is answered");
    assert!(
        answer.contains("the call has the class `writes`"),
        "{answer}"
    );
    assert!(
        answer.contains("rule 3 (`reads`)") && answer.contains("`rm`"),
        "{answer}"
    );
}

#[test]
fn a_class_counts_its_calls() {
    let mut gate = in_planning();
    for note in ["plans/a.md", "plans/b.md", "plans/c.md"] {
        assert!(runs(&mut gate, write(note)), "{note}");
    }
    assert!(!runs(&mut gate, write("plans/d.md")));
}

#[test]
fn a_response_cannot_end_planning_and_write() {
    let mut gate = in_planning();
    let calls = [ToolCall::new("finish", Object::new()), write("src/main.rs")];
    let decisions = gate.decide(&calls, &EventContext::default());
    assert!(matches!(decisions[0], Decision::Applied { .. }));
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    // The next response is a separate batch.
    assert!(runs(&mut gate, write("src/main.rs")));
}

#[test]
fn a_turn_cannot_open_a_class() {
    let around = EventContext::default();
    let mut gate = in_planning();
    let begun = gate.begin_turn(&TurnId::new("m1"), &around);
    assert_eq!(begun, Ok(true));
    decide(&mut gate, ToolCall::new("finish", Object::new()));
    assert!(runs(&mut gate, bash("git status")));
    assert!(!runs(&mut gate, write("src/main.rs")));
    let begun = gate.begin_turn(&TurnId::new("m2"), &around);
    assert_eq!(begun, Ok(true));
    assert!(runs(&mut gate, write("src/main.rs")));
}

#[test]
fn the_guard_is_denied_everywhere() {
    let call = || write(".plan-machine/trusted.json");
    let mut gate = in_planning();
    assert!(!runs(&mut gate, call()));
    say(&mut gate, "/approve");
    assert!(!runs(&mut gate, call()));
    let mut without_a_plan = classes(Gate::builder().with(interpreted(PLANNING)));
    let answer = decide(&mut without_a_plan, call()).answer();
    let answer = answer.expect("a denied call is answered");
    assert!(answer.contains("is denied in every state"), "{answer}");
    let event = Call {
        with: call().args,
        ..Call::new(CallKind::HostTool("Write".into()))
    };
    let sent = without_a_plan.send("Planning", &event, &EventContext::default());
    assert!(sent.is_ok_and(|outcome| !outcome.is_accepted() && outcome.runs().is_none()));
}

#[test]
fn the_guard_is_not_recorded_and_a_recorded_call_is_classified_when_it_starts() {
    let guarded = Arc::new(AtomicUsize::new(0));
    let calls = Switching {
        document: agent::document(),
        class: Arc::clone(&guarded),
    };
    let gate = Gate::builder().with(interpreted(RECORDER)).calls(calls);
    let mut gate = gate.any_host_tool().open().expect("no conflicts");
    say(&mut gate, "/record");
    guarded.store(WRITES, Ordering::Relaxed);
    let recorded = decide(&mut gate, write("a"));
    assert!(
        matches!(recorded, Decision::Recorded { .. }),
        "{recorded:?}"
    );
    guarded.store(GUARD, Ordering::Relaxed);
    let decision = decide(&mut gate, write("b"));
    assert_eq!(denied(&decision), Some(DenialKind::NotAllowed));
    say(&mut gate, "/go");
    let start = |gate: &mut Gate| {
        let event = Call::new(CallKind::Event("start".into()));
        let call = HostTool::new("Write", write("a").args);
        let around = EventContext::default();
        gate.start_recorded("Recorder", &event, call, &around)
            .expect("a known event")
    };
    assert!(matches!(start(&mut gate), StartedCall::Denied(_)));
    guarded.store(WRITES, Ordering::Relaxed);
    assert!(matches!(start(&mut gate), StartedCall::Run(_)));
}

#[test]
fn a_call_whose_class_has_changed_is_withdrawn() {
    let class = Arc::new(AtomicUsize::new(READS));
    let calls = Switching {
        document: agent::document(),
        class: Arc::clone(&class),
    };
    let gate = Gate::builder().with(interpreted(PLANNING)).calls(calls);
    let mut gate = gate.any_host_tool().open().expect("no conflicts");
    for changed in [WRITES, GUARD] {
        class.store(READS, Ordering::Relaxed);
        let Decision::Run(allowed) = decide(&mut gate, write("a")) else {
            panic!("the call should be allowed");
        };
        assert_eq!(allowed.class(), Some("reads"));
        class.store(changed, Ordering::Relaxed);
        let denial = gate.confirm(allowed).expect_err("another class");
        assert_eq!(denial.kind, DenialKind::NotAllowed);
    }
    class.store(READS, Ordering::Relaxed);
    let Decision::Run(allowed) = decide(&mut gate, write("a")) else {
        panic!("the call should be allowed");
    };
    assert!(gate.confirm(allowed).is_ok());
}

#[test]
fn no_tool_has_the_name_of_a_class() {
    let mut gate = in_planning();
    for name in ["reads", "writes", "guard"] {
        let decision = decide(&mut gate, ToolCall::new(name, Object::new()));
        assert_eq!(denied(&decision), Some(DenialKind::UnknownTool), "{name}");
    }
    for (name, class) in [
        ("reads", "a class of the calls document Agent"),
        ("guard", "a built-in class"),
    ] {
        let host = Gate::builder().host_tool(name, "A tool.", Object::new());
        let found = conflict(host.calls(agent::classifier(project())));
        assert_eq!(
            found.problems,
            [format!(
                "the host has a tool `{name}`, but `{name}` is {class}"
            )]
        );
    }
}

#[test]
fn two_entries_are_a_conflict_if_neither_is_stricter() {
    let spec = "
machine: Both
data: { n: { type: int, default: 0 } }
commands: { begin: /both, end: /end }
external_tools: [Bash, reads]
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      Bash: [{ when: n < 3, set: { n: n + 1 }, run: true }, deny]
      reads: [{ when: n < 2, set: { n: n + 1 }, run: true }, deny]
      end: { to: ENDED, next: none }
  ENDED: { final: true }
";
    let gate = Gate::builder().with(interpreted(spec)).any_host_tool();
    let found = conflict(gate.calls(agent::classifier(project())));
    let [problem] = &found.problems[..] else {
        panic!("{found}");
    };
    assert!(
        problem.starts_with("Both: in OPEN, the entries for the tool `Bash`"),
        "{problem}"
    );
}

#[test]
fn a_tool_is_advertised_if_some_class_of_its_calls_may_run() {
    let parts = Gate::builder()
        .with(interpreted(PLANNING))
        .calls(agent::classifier(project()))
        .host_tool("Bash", "Runs a command.", Object::new())
        .host_tool("Write", "Writes a file.", Object::new())
        .host_tool("Deploy", "Deploys.", Object::new());
    let mut gate = parts.open().expect("classes are not host tools");
    say(&mut gate, "/plan");
    let shown = advertised(&gate);
    assert!(
        shown.contains("Bash") && shown.contains("Write"),
        "{shown:?}"
    );
    assert!(!shown.contains("Deploy"), "{shown:?}");
    say(&mut gate, "/approve");
    let shown = advertised(&gate);
    assert!(
        !shown.contains("Bash") && shown.contains("Deploy"),
        "{shown:?}"
    );
}

#[test]
fn generated_code_also_decides_by_the_class() {
    let mut gate = classes(Gate::builder().with(planning::Machine));
    say(&mut gate, "/plan");
    for note in ["plans/a.md", "plans/b.md", "plans/c.md"] {
        assert!(runs(&mut gate, write(note)), "{note}");
    }
    assert!(!runs(&mut gate, write("plans/d.md")));
    assert!(!runs(&mut gate, write("src/main.rs")));
}

#[test]
fn a_named_tool_that_is_sent_as_an_event_is_also_classified() {
    let mut gate = in_planning();
    let sent = gate.signal_by_name(
        "Planning",
        "Bash",
        Address::ANY,
        bash("rm -rf src").args,
        &EventContext::default(),
    );
    assert!(sent.is_ok_and(|outcome| matches!(outcome, Outcome::Denied(_))));
    let sent = gate.signal_by_name(
        "Planning",
        "Bash",
        Address::ANY,
        bash("git status").args,
        &EventContext::default(),
    );
    assert!(sent.is_ok_and(|outcome| matches!(outcome, Outcome::Run { .. })));
}

#[test]
fn a_call_that_the_host_sends_obeys_the_floor_of_its_class() {
    let around = EventContext::default();
    let mut gate = in_planning();
    assert_eq!(gate.begin_turn(&TurnId::new("m1"), &around), Ok(true));
    decide(&mut gate, ToolCall::new("finish", Object::new()));
    let event = Call {
        with: bash("make").args,
        ..Call::new(CallKind::HostTool("Bash".into()))
    };
    let sent = gate
        .send("Planning", &event, &around)
        .expect("a known event");
    assert!(matches!(sent, Outcome::Denied(_)), "{sent:?}");
}

#[test]
fn a_batch_is_decided_by_the_data_at_its_start_in_every_state() {
    let spec = "
machine: Counter
data: { calls: { type: int, default: 0 } }
commands: { begin: /count, end: /end }
tools: { free: { doc: Leave the budget. } }
states:
  none: { on: { begin: WORKING } }
  WORKING:
    other_tools: [{ when: calls < 1, set: { calls: calls + 1 }, run: true }, deny]
    on: { free: FREE, end: { to: ENDED, next: none } }
  FREE: { on: { end: { to: ENDED, next: none } } }
  ENDED: { final: true }
";
    let gate = Gate::builder().with(interpreted(spec)).any_host_tool();
    let mut gate = gate.open().expect("no conflicts");
    say(&mut gate, "/count");
    let shell = || ToolCall::new("shell", Object::new());
    assert!(runs(&mut gate, shell()));
    assert!(!runs(&mut gate, shell()));
    let calls = [ToolCall::new("free", Object::new()), shell()];
    let decisions = gate.decide(&calls, &EventContext::default());
    assert_eq!(denied(&decisions[1]), Some(DenialKind::NotAllowed));
    assert!(runs(&mut gate, shell()));
}

#[test]
fn a_recorded_call_of_another_class_does_not_start() {
    let class = Arc::new(AtomicUsize::new(WRITES));
    let calls = Switching {
        document: agent::document(),
        class: Arc::clone(&class),
    };
    let gate = Gate::builder().with(interpreted(RECORDER)).calls(calls);
    let mut gate = gate.any_host_tool().open().expect("no conflicts");
    say(&mut gate, "/record");
    assert!(matches!(
        decide(&mut gate, write("a")),
        Decision::Recorded { .. }
    ));
    say(&mut gate, "/go");
    class.store(READS, Ordering::Relaxed);
    let event = Call::new(CallKind::Event("start".into()));
    let call = HostTool::new("Write", write("a").args);
    let started = gate.start_recorded("Recorder", &event, call, &EventContext::default());
    let started = started.expect("a known event");
    assert!(matches!(started, StartedCall::Denied(_)), "{started:?}");
}

#[test]
fn two_machines_that_record_one_call_by_its_tool_and_by_its_class_are_a_conflict() {
    let by_tool = "
machine: ByTool
data: { n: { type: int, default: 0 } }
commands: { start: /tool }
external_tools: [Bash]
states:
  none: { on: { start: OPEN } }
  OPEN: { on: { Bash: { set: { n: n + 1 } }, start: { to: ENDED, next: none } } }
  ENDED: { final: true }
";
    let gate = Gate::builder()
        .with(interpreted(RECORDER))
        .with(interpreted(by_tool));
    let found = conflict(gate.any_host_tool().calls(agent::classifier(project())));
    assert_eq!(
        found.problems,
        [
            "Recorder and ByTool would both record calls to `Bash`, but only one machine of a session may do so"
        ]
    );
}

const READS: usize = 0;
const WRITES: usize = 2;
const GUARD: usize = 3;

/// Gives every call the class that a test has set, as if the project had changed.
struct Switching {
    document: Document,
    class: Arc<AtomicUsize>,
}

impl Classify for Switching {
    fn document(&self) -> &Document {
        &self.document
    }

    fn classify(&self, _: &str, _: &Json) -> Classification {
        let class = match self.class.load(Ordering::Relaxed) {
            GUARD => Class::Guard,
            class => Class::Declared(class),
        };
        Classification {
            class,
            rule: None,
            why: None,
        }
    }
}
