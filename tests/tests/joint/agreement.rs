//! The interpreter of a session and the real gate give the same answers.

use std::collections::BTreeSet;

use plan_machine::calls::{Classifier, FlagsTable, Project};
use plan_machine::gate::{Decision, EventContext, Gate, GateBuilder, ToolCall};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::semantics;
use plan_machine_compiler::session::{
    Files, Session, SessionAnswer, SessionSandbox, compile_session,
};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::Object;
use plan_machine_tests::dice::Dice;
use plan_machine_tests::{root, specs};

use super::made::{Made, gate};
use super::pair::{ANY, Classes, PLAN_MODE, Pair, Vocabulary};
use super::stated::stated_class;
use super::{compiled, folder};

/// The number of random events for each session.
const EVENTS: usize = 10_000;
const EVENTS_OF_A_SESSION: usize = 200;

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
            let mut pair = Pair::new(
                self.session,
                SessionSandbox::new(self.session),
                (self.gate)(),
                self.classes,
                self.vocabulary,
            );
            for number in from..events.min(from + EVENTS_OF_A_SESSION) {
                seen.extend(pair.compare(&mut dice, &format!("{}, event {number}", self.name)));
            }
        }
        seen
    }

    /// Sends random events to both sides. The plans must reach every state that plans can be in, except these.
    fn agrees_except(&self, unreached: &[&str]) {
        let seen = self.agrees(EVENTS);
        let members = self.session.members.iter();
        let states = members.flat_map(|member| member.machine.states.iter());
        let leaves = states.filter(|state| state.is_leaf() && state.name != "none");
        let missed: BTreeSet<&str> = leaves
            .map(|state| &*state.name)
            .filter(|name| !seen.contains(*name))
            .collect();
        let unreached = unreached.iter().copied().collect();
        assert_eq!(missed, unreached, "{}", self.name);
    }
}

/// The states that random events do not reach, in the documents of the corpus that have such states.
const UNREACHED: [(&str, &[&str]); 1] = [("coding", &["COMPLETED"])];

fn unreached(document: &str) -> &'static [&'static str] {
    let mut listed = UNREACHED.iter().filter(|(name, _)| *name == document);
    listed.next().map_or(&[], |(_, states)| states)
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
        compared.agrees_except(unreached(&spec.name));
    }
}

/// The generated gates of the documents of the corpus.
mod generated {
    plan_machine::session!("corpus/session/valid/budget.yaml");
    plan_machine::session!("corpus/session/valid/classes.yaml");
    plan_machine::session!("corpus/session/valid/coding.yaml");
    plan_machine::session!("corpus/session/valid/desk.yaml");
    plan_machine::session!("corpus/session/valid/people.yaml");
}

/// Compares the interpreter of a document of the corpus with the gate of its generated code.
fn document_agrees(name: &str, generated: fn() -> GateBuilder) {
    let path = folder("valid").join(format!("{name}.yaml"));
    let text = std::fs::read_to_string(&path).expect("a document of the corpus");
    let joint = compiled(&folder("valid"), name, &text);
    let session = joint.compilation.session.expect("a valid session");
    let gate = || {
        let gate = generated().any_host_tool().open();
        gate.expect("machines without conflicts")
    };
    let classifier = classifier(&session);
    let classes = |tool: &str, args: &Object| Some(class_of(classifier.as_ref()?, tool, args));
    let compared = Compared {
        classes: &classes,
        ..Compared::any(name, &session, &gate)
    };
    compared.agrees_except(unreached(name));
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_every_document() {
    document_agrees("budget", generated::budgeted::gate);
    document_agrees("classes", || generated::classes::gate(project()));
    document_agrees("coding", generated::coding::gate);
    document_agrees("desk", generated::desk::gate);
    document_agrees("people", generated::people::gate);
    assert_eq!(specs("session/valid").len(), 5, "a document is not listed");
}

fn project() -> Project {
    Project::new("/project")
}

/// Returns the classifier of a session with a calls document.
fn classifier(session: &Session) -> Option<Classifier> {
    let document = session.calls.as_ref()?.calls.document.clone();
    Some(Classifier::new(document, FlagsTable::built_in(), project()))
}

fn class_of<'c>(classifier: &'c Classifier, tool: &str, args: &Object) -> &'c str {
    let found = classifier.classify(tool, &args.clone().into());
    classifier.name(found.class)
}

#[test]
fn the_interpreter_and_the_gate_deny_a_guarded_call_before_any_machine_decides() {
    let text = std::fs::read_to_string(folder("valid").join("classes.yaml"));
    let text = text.expect("a document of the corpus");
    let joint = compiled(&folder("valid"), "classes", &text);
    let session = joint.compilation.session.expect("a valid session");
    let classifier = classifier(&session).expect("a calls document");
    let mut sandbox = SessionSandbox::new(&session);
    let gate = generated::classes::gate(project()).any_host_tool().open();
    let mut gate = gate.expect("machines without conflicts");
    // A host tool, a tool of a machine, and the name of a class.
    for tool in ["Write", "open_ticket", "writes"] {
        let args: Object = [("path", ".claude/settings.json")].into_iter().collect();
        let class = class_of(&classifier, tool, &args);
        assert_eq!(class, "guard", "{tool}");
        let batch = sandbox.begin_batch();
        let around = semantics::EventContext::default();
        let ours = sandbox.call(&batch, tool, Some(class), &args, &around);
        assert!(matches!(ours, SessionAnswer::Guarded(_)), "{ours:?}");
        let theirs = gate.decide(&[ToolCall::new(tool, args)], &EventContext::default());
        let [Decision::Denied(denial)] = &theirs[..] else {
            panic!("{tool}: {theirs:?}");
        };
        assert_eq!(denial.kind.to_string(), "not_allowed");
        let message = format!("`{tool}` is denied in every state: ");
        assert!(denial.messages[0].starts_with(&message), "{denial:?}");
    }
}

#[test]
fn the_interpreter_and_the_generated_gate_agree_on_the_shipped_session() {
    let session = shipped("coding.yaml");
    let gate = || {
        let gate = plan_specs::coding::gate().any_host_tool().open();
        gate.expect("machines without conflicts")
    };
    Compared::any("coding.yaml", &session, &gate).agrees_except(unreached("coding"));
}

/// Compares the interpreter of a plan mode with the gate of its generated code. Both classify calls by the same
/// document, so this also shows that the generated document is the one that the compiler has read. The random events
/// must reach the states in `reached`.
fn plan_mode_agrees(name: &str, generated: fn(Project) -> GateBuilder, reached: &[&str]) {
    let session = shipped(name);
    let classifier = classifier(&session).expect("a calls document");
    let classes = |tool: &str, args: &Object| Some(class_of(&classifier, tool, args));
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
