//! The interpreter of a session and the real gate give the same answers.

use std::collections::BTreeSet;

use plan_machine::calls::{Class, Classifier, FlagsTable, Project};
use plan_machine::gate::{Decision, EventContext, Gate, GateBuilder, ToolCall, TurnId};
use plan_machine::machine::{Call, CallKind, Outcome, ShownToken};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::model::machine::{Event, EventKind};
use plan_machine_compiler::semantics;
use plan_machine_compiler::session::{
    Files, Session, SessionAnswer, SessionSandbox, compile_session,
};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Period;
use plan_machine_tests::dice::Dice;
use plan_machine_tests::{root, specs};

use super::made::{Made, gate};
use super::stated::stated_class;
use super::{compiled, folder};

/// The number of random events for each session.
const EVENTS: usize = 10_000;
const EVENTS_OF_A_SESSION: usize = 200;

/// Answers in a form that both sides can give: what happened, and the texts.
type Told = Vec<(String, Vec<String>)>;

fn by_gate(outcome: &Outcome) -> (String, Vec<String>) {
    match outcome {
        Outcome::Accepted(taken) => ("accepted".to_owned(), vec![taken.reply.to_string()]),
        Outcome::Run { .. } => ("runs".to_owned(), Vec::new()),
        Outcome::Denied(denial) => (denial.kind.to_string(), denial.messages.clone()),
    }
}

fn by_sandbox(outcome: &semantics::Outcome) -> (String, Vec<String>) {
    match outcome {
        semantics::Outcome::Accepted(taken) => {
            ("accepted".to_owned(), vec![taken.reply.to_string()])
        }
        semantics::Outcome::Run { .. } => ("runs".to_owned(), Vec::new()),
        semantics::Outcome::Denied(denial) => (denial.kind.to_string(), denial.messages.clone()),
    }
}

fn decided(decision: Decision) -> (String, Vec<String>) {
    match decision {
        Decision::Applied { taken, .. } | Decision::Recorded { taken, .. } => {
            ("accepted".to_owned(), vec![taken.reply.to_string()])
        }
        Decision::Run(_) => ("runs".to_owned(), Vec::new()),
        Decision::Denied(denial) => (denial.kind.to_string(), denial.messages),
        Decision::Repeated(_) => ("repeated".to_owned(), Vec::new()),
    }
}

fn answered(answer: &SessionAnswer) -> (String, Vec<String>) {
    match answer {
        SessionAnswer::Machine(_, outcome) => by_sandbox(outcome),
        SessionAnswer::Run { .. } => ("runs".to_owned(), Vec::new()),
        SessionAnswer::Unknown(message) => ("unknown_tool".to_owned(), vec![message.clone()]),
    }
}

/// The words from which random events are made.
struct Vocabulary {
    /// Host tools that the model calls besides the machines' own tools.
    tools: &'static [&'static str],
    payloads: &'static [&'static str],
    /// Payloads of which an event gets only the fields that it declares.
    fields: &'static [&'static str],
    /// What follows the words of a command.
    words: &'static [&'static str],
}

/// Words for any session. Their classes are stated in the payload.
const ANY: Vocabulary = Vocabulary {
    tools: &[
        "Bash",
        "Read",
        "Write",
        "deploy",
        "make",
        "Shell",
        "shell",
        "export_plan",
        "t0",
        "plan_finalize",
    ],
    payloads: &[
        "{}",
        "{}",
        r#"{"title":"a"}"#,
        r#"{"task_title":"Port it","force_new":true}"#,
        r#"{"step":0}"#,
        r#"{"which":"findings","section":"Results","content":"x"}"#,
        r#"{"error":"boom"}"#,
        r#"{"confirm":true}"#,
        r#"{"plan_id":"plan-1"}"#,
        r#"{"class":0}"#,
        r#"{"class":1}"#,
        r#"{"class":2}"#,
        r#"{"unknown":1}"#,
    ],
    fields: &[],
    words: &["", " on", " plan-1", " a title"],
};

/// Words for the plan modes for coding agents: their tools' payloads, and calls of every class.
const PLAN_MODE: Vocabulary = Vocabulary {
    tools: &["Bash", "Bash", "Write", "Read", "deploy"],
    payloads: &[
        "{}",
        r#"{"command":"make"}"#,
        r#"{"command":"make"}"#,
        r#"{"command":"ls"}"#,
        r#"{"file_path":"a","content":"x"}"#,
        r#"{"unknown":1}"#,
    ],
    fields: &[
        r##"{"markdown":"# v1","summary":"Make it.","step":1,"tool":"Bash","args":{"command":"make"}}"##,
        r##"{"markdown":"# v2","step":2,"tool":"Bash","args":{"command":"make"},"failed":true}"##,
    ],
    words: &["", "", " 1", " 2"],
};

/// Returns the class of a call, as the calls document of the session says.
type Classes<'s> = &'s dyn Fn(&str, &Object) -> Option<&'s str>;

/// One session on both sides.
struct Pair<'s> {
    session: &'s Session,
    classes: Classes<'s>,
    vocabulary: &'s Vocabulary,
    sandbox: SessionSandbox<'s>,
    gate: Gate,
    now: Instant,
}

impl Pair<'_> {
    /// Lets time pass on both sides, and returns how many timers have fired.
    fn wait(&mut self, period: Period) -> (String, Told, Told) {
        self.now = period.after(self.now);
        let told = |fired: usize| vec![("waited".to_owned(), vec![fired.to_string()])];
        let (one, other) = (self.sandbox.wait(period), self.gate.catch_up(self.now));
        (format!("wait {period}"), told(one.len()), told(other))
    }

    /// Begins a turn on both sides, and returns whether it is a new one.
    fn turn(&mut self, dice: &mut Dice) -> (String, Told, Told) {
        let id = format!("turn-{}", dice.below(3));
        let told = |began: bool| vec![("turn".to_owned(), vec![began.to_string()])];
        let ours = self.sandbox.begin_turn(&id, None);
        let theirs = self
            .gate
            .begin_turn(&TurnId::new(&id), &EventContext::default());
        let theirs = theirs.expect("a short id");
        (id, told(ours), told(theirs))
    }

    /// Sends a random event to both sides, or begins a turn, and returns both answers.
    fn event(&mut self, dice: &mut Dice) -> (String, Told, Told) {
        if dice.below(12) == 0 {
            return self.turn(dice);
        }
        let at = dice.below(self.session.members.len());
        let machine = self.session.machine(at);
        let event = dice.below(machine.events.len() - 1);
        let event = machine.event_ids().nth(event).expect("an event");
        let declared = machine.event(event);
        let with = self.payload(dice, declared);
        match &declared.kind {
            EventKind::Tool { .. } | EventKind::External | EventKind::Other => {
                let mut calls = vec![(declared.name.clone(), with)];
                if dice.below(3) == 0 {
                    let tool = dice.pick(self.vocabulary.tools);
                    let payload = dice.pick(self.vocabulary.payloads);
                    // Sometimes more calls than a budget allows.
                    let times = if dice.below(4) == 0 { 11 } else { 1 };
                    let call = ((*tool).to_owned(), object(payload));
                    calls.extend(std::iter::repeat_n(call, times));
                }
                self.batch(&calls)
            }
            EventKind::Command(command) if !command.reviewed => {
                let prefix = self.session.prefix.as_char();
                let text = command.pattern.text();
                let line = text.split('{').next().unwrap_or(text).trim();
                let word = dice.pick(self.vocabulary.words);
                let line = format!("{prefix}{}{word}", &line[1..]);
                self.line(&line)
            }
            EventKind::Timer(timer) => self.wait(timer.period),
            EventKind::Command(_) | EventKind::Signal => {
                let mut call = semantics::Call::new(semantics::CallKind::Event(event));
                call.with = with.clone();
                call.token = ShownToken::Current;
                let ours = self
                    .sandbox
                    .send(at, &call, &semantics::EventContext::default());
                let mut call = Call::new(CallKind::Event(declared.name.clone().into()));
                call.with = with;
                call.token = ShownToken::Current;
                let theirs = self
                    .gate
                    .send(&machine.name, &call, &EventContext::default());
                let theirs = theirs.expect("a known event");
                let sent = format!("{}.{}", machine.name, declared.name);
                (sent, vec![by_sandbox(&ours)], vec![by_gate(&theirs)])
            }
        }
    }

    fn payload(&self, dice: &mut Dice, event: &Event) -> Object {
        let fields = self.vocabulary.fields;
        if fields.is_empty() || dice.below(4) == 0 {
            let payload = dice.pick(self.vocabulary.payloads);
            return object(payload);
        }
        let declared = |name: &str| event.input.iter().any(|field| field.name == name);
        let whole = dice.pick(fields);
        let whole = object(whole).into_iter();
        whole.filter(|(name, _)| declared(name.as_ref())).collect()
    }

    fn batch(&mut self, calls: &[(String, Object)]) -> (String, Told, Told) {
        let batch = self.sandbox.begin_batch();
        let around = semantics::EventContext::default();
        let ours = calls.iter().map(|(name, args)| {
            let class = (self.classes)(name, args);
            let answer = self.sandbox.call(&batch, name, class, args, &around);
            answered(&answer)
        });
        let ours: Told = ours.collect();
        let sent = calls
            .iter()
            .map(|(name, args)| ToolCall::new(name, args.clone()));
        let sent: Vec<ToolCall> = sent.collect();
        let theirs = self.gate.decide(&sent, &EventContext::default());
        let theirs = theirs.into_iter().map(decided).collect();
        (format!("{calls:?}"), ours, theirs)
    }

    fn line(&mut self, line: &str) -> (String, Told, Told) {
        let around = semantics::EventContext::default();
        let ours = self.sandbox.line(line, &Object::new(), &around);
        let theirs = self.gate.command(line, &EventContext::default());
        let refused = || vec![("no command".to_owned(), Vec::new())];
        let ours = ours.map_or_else(
            |_| refused(),
            |answers| {
                answers
                    .iter()
                    .map(|(_, outcome)| by_sandbox(outcome))
                    .collect()
            },
        );
        let theirs = theirs.map_or_else(
            |_| refused(),
            |answers| {
                answers
                    .iter()
                    .map(|answer| by_gate(&answer.outcome))
                    .collect()
            },
        );
        (line.to_owned(), ours, theirs)
    }

    /// Sends one event, and compares the answers and the states.
    fn compare(&mut self, dice: &mut Dice, at: &str) {
        let (sent, ours, theirs) = self.event(dice);
        // The gate shows commands as people type them, and explains classes; the sandbox does neither.
        let same = if self.session.prefix.is_default() && self.session.calls.is_none() {
            ours == theirs
        } else {
            let kinds = |told: &Told| -> Vec<String> {
                told.iter().map(|(kind, _)| kind.clone()).collect()
            };
            kinds(&ours) == kinds(&theirs)
        };
        assert!(same, "{at}, {sent}:\n{ours:?}\n{theirs:?}");
        let (ours, theirs) = self.states();
        assert_eq!(ours, theirs, "{at}, {sent}");
    }

    /// Returns the states of all plans on both sides.
    fn states(&self) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let machines = 0..self.session.members.len();
        let ours = machines.map(|at| {
            let machine = self.session.machine(at);
            let records = self.sandbox.held(at).records.iter();
            let names = records.map(|record| machine.state(record.leaf()).name.clone());
            names.collect()
        });
        let theirs = self.gate.machines().iter().map(|machine| {
            let plans = machine.plans().into_iter();
            plans.map(|plan| plan.state.to_string()).collect()
        });
        (ours.collect(), theirs.collect())
    }
}

fn object(text: &str) -> Object {
    let json = Json::parse(text).expect("JSON");
    json.as_object().cloned().unwrap_or_default()
}

/// A session with the gate that its interpreter is compared with.
struct Compared<'s> {
    name: &'s str,
    session: &'s Checked<Session>,
    gate: &'s dyn Fn() -> Gate,
    classes: Classes<'s>,
    vocabulary: &'s Vocabulary,
}

impl<'s> Compared<'s> {
    fn any(name: &'s str, session: &'s Checked<Session>, gate: &'s dyn Fn() -> Gate) -> Self {
        Self {
            name,
            session,
            gate,
            classes: &|_, _| None,
            vocabulary: &ANY,
        }
    }

    /// Sends random events to both sides, and returns the states in which plans were. A new session starts from time to
    /// time, so that plans do not pile up.
    fn agrees(&self, events: usize) -> BTreeSet<String> {
        let mut dice = Dice::new(20_260_101);
        let mut seen = BTreeSet::new();
        for from in (0..events).step_by(EVENTS_OF_A_SESSION) {
            let mut pair = Pair {
                session: self.session,
                classes: self.classes,
                vocabulary: self.vocabulary,
                sandbox: SessionSandbox::new(self.session),
                gate: (self.gate)(),
                now: START_OF_TIME,
            };
            for number in from..events.min(from + EVENTS_OF_A_SESSION) {
                pair.compare(&mut dice, &format!("{}, event {number}", self.name));
                seen.extend(pair.states().0.into_iter().flatten());
            }
        }
        seen
    }
}

/// Compiles a shipped session.
fn shipped(name: &str) -> Checked<Session> {
    let path = root().join("specs/sessions").join(name);
    let text = std::fs::read_to_string(&path).expect("the shipped session");
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let mut files = Files::new(root().join("specs/sessions"));
    let compilation = compile_session(&mut sources, file, &mut files);
    compilation.session.expect("a valid session")
}

#[test]
fn the_interpreter_and_the_gate_agree_on_every_document() {
    for spec in specs("session/valid") {
        let joint = compiled(&folder("valid"), &spec.name, &spec.text);
        let session = joint.compilation.session.expect("a valid session");
        let classes = |tool: &str, args: &Object| stated_class(&session, tool, args);
        let gate = || gate(&session);
        let compared = Compared {
            classes: &classes,
            ..Compared::any(&spec.name, &session, &gate)
        };
        compared.agrees(EVENTS);
    }
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_the_shipped_session() {
    let session = shipped("coding.yaml");
    let gate = || {
        let gate = plan_specs::coding::gate().any_host_tool().open();
        gate.expect("machines without conflicts")
    };
    Compared::any("coding.yaml", &session, &gate).agrees(EVENTS);
}

/// Compares the interpreter of a plan mode with the gate of its generated code. Both classify calls by the same document,
/// so this also shows that the generated document is the one that the compiler has read. The random events must reach
/// these states.
fn plan_mode_agrees(name: &str, generated: fn(Project) -> GateBuilder, reached: &[&str]) {
    let session = shipped(name);
    let document = &session
        .calls
        .as_ref()
        .expect("a calls document")
        .calls
        .document;
    let project = || Project::new("/project");
    let classifier = Classifier::new(document.clone(), FlagsTable::built_in(), project());
    let classes =
        |tool: &str, args: &Object| match classifier.classify(tool, &args.clone().into()).class {
            Class::Declared(class) => Some(document.class(class)),
            Class::Guard => None,
        };
    let gate = || {
        let gate = generated(project()).any_host_tool().open();
        gate.expect("machines without conflicts")
    };
    let compared = Compared {
        classes: &classes,
        vocabulary: &PLAN_MODE,
        ..Compared::any(name, &session, &gate)
    };
    let seen = compared.agrees(EVENTS);
    let missed = reached.iter().filter(|state| !seen.contains(**state));
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&&str>::new(), "{seen:?}");
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_look_then_act() {
    let gate = plan_specs::agents::look_then_act::gate;
    let reached = ["REJECTED", "EXECUTING", "STOPPED", "COMPLETED", "OFF"];
    plan_mode_agrees("look_then_act.yaml", gate, &reached);
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_budgeted() {
    let gate = plan_specs::agents::budgeted::gate;
    let reached = [
        "REJECTED",
        "EXECUTING",
        "SPENT",
        "STOPPED",
        "COMPLETED",
        "OFF",
    ];
    plan_mode_agrees("budgeted.yaml", gate, &reached);
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_record_then_replay() {
    let gate = plan_specs::agents::record_then_replay::gate;
    let reached = ["READY", "NEXT_STEP", "STOPPED", "OFF"];
    plan_mode_agrees("record_then_replay.yaml", gate, &reached);
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_work_by_plan() {
    let gate = plan_specs::agents::work_by_plan::gate;
    let reached = ["REJECTED", "EXECUTING", "STOPPED", "SUPERSEDED", "OFF"];
    plan_mode_agrees("work_by_plan.yaml", gate, &reached);
}

#[test]
fn the_interpreter_and_the_gate_agree_on_generated_machines() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let mut made = Made::machines(&mut dice, 3);
        let mut sources = SourceMap::default();
        let file = sources.add("made.yaml", made.document(&[]));
        let compilation = compile_session(&mut sources, file, &mut made);
        let session = compilation.session.expect("a valid session");
        let name = format!("seed {seed}");
        Compared::any(&name, &session, &|| gate(&session)).agrees(200);
    }
}

#[test]
fn the_interpreter_and_the_gate_agree_on_machines_that_count_calls() {
    let mut compared = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let mut made = Made::counting(&mut dice, 3);
        let mut sources = SourceMap::default();
        let file = sources.add("made.yaml", made.document(&[]));
        let compilation = compile_session(&mut sources, file, &mut made);
        // A generated machine may have an alternative that is never taken, which is an error.
        if let Some(session) = compilation.session {
            let name = format!("seed {seed}");
            Compared::any(&name, &session, &|| gate(&session)).agrees(200);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}
