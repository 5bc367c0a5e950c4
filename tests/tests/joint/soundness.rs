//! If an invariant of a session is proved, it holds in every run of the real gate; if it is
//! reported as broken, a run of the real gate breaks it.
//!
//! This file evaluates the invariants with separate code, which reads only what the gate itself
//! shows.

use plan_machine::description::Handling;
use plan_machine::gate::{EventContext, Gate, Shape, ToolCall};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine_compiler::Verdict;
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_tests::dice::Dice;

use super::made::{Made, STATES, gate};

/// The numbers of generated sessions, of runs of each session, and of events of each run.
const SESSIONS: u64 = 150;
const RUNS: u64 = 12;
const EVENTS: usize = 60;

/// A part of a condition.
#[derive(Clone, Debug)]
enum Part {
    State(usize, String),
    Runs(String),
}

/// `never (a and b)`, with parts that may be negated.
#[derive(Clone, Debug)]
struct Claim(Vec<(Part, bool)>);

impl Claim {
    fn random(dice: &mut Dice, machines: usize) -> Self {
        let parts = (0..2 + dice.below(2)).map(|_| {
            let part = if dice.below(3) == 0 {
                let tools = ["shell", "other_tools", "t0", "t1", "t2"];
                Part::Runs((*dice.pick(&tools[..2 + machines])).to_owned())
            } else {
                let states = [STATES[0], STATES[1], STATES[2], "none"];
                let state = (*dice.pick(&states)).to_owned();
                Part::State(dice.below(machines), state)
            };
            (part, dice.below(4) == 0)
        });
        Self(parts.collect())
    }

    fn text(&self) -> String {
        let parts = self.0.iter().map(|(part, negated)| {
            let part = match part {
                Part::State(machine, state) => format!("m{machine}.{state}"),
                Part::Runs(tool) => format!("runs {tool}"),
            };
            if *negated {
                format!("not {part}")
            } else {
                part
            }
        });
        format!("never ({})", parts.collect::<Vec<_>>().join(" and "))
    }

    /// Returns whether all parts are true, according to what the gate itself shows.
    fn is_true(&self, gate: &Gate) -> bool {
        self.0.iter().all(|(part, negated)| {
            let truth = match part {
                Part::State(machine, state) => is_in(gate, *machine, state),
                Part::Runs(tool) => runs(gate, tool),
            };
            truth != *negated
        })
    }
}

fn is_in(gate: &Gate, machine: usize, state: &str) -> bool {
    let running = &gate.machines()[machine];
    let tables = running.description();
    if tables.is_many() {
        let plans = running.plans();
        let mut live = plans.iter().filter(|plan| &*plan.state != "END");
        return match state {
            "none" => live.next().is_none(),
            _ => live.any(|plan| &*plan.state == state),
        };
    }
    tables.state(running.batch_start().place()).name == state
}

fn runs(gate: &Gate, tool: &str) -> bool {
    if !tool.starts_with('t') {
        let tool = if tool == "other_tools" { "make" } else { tool };
        return gate.handling_of(tool) == Handling::Runs;
    }
    let advertised = gate.advertised(Shape::Mcp);
    let tools = advertised.as_list().unwrap_or_default().iter();
    let mut names = tools.filter_map(|tool| tool.as_object()?.get("name")?.as_text());
    names.any(|name| name == tool)
}

/// Sends a random event.
fn send(gate: &mut Gate, dice: &mut Dice, machines: usize) {
    let around = EventContext::default();
    let machine = dice.below(machines);
    if dice.below(4) == 0 {
        let tools = ["shell".to_owned(), "make".to_owned(), format!("t{machine}")];
        let call = ToolCall::new(dice.pick(&tools), Object::new());
        gate.decide(&[call], &around);
    } else {
        let mut call = Call::new(CallKind::Event(format!("c{}", dice.below(3)).into()));
        let plans = gate.machines()[machine].plans();
        if gate.machines()[machine].description().is_many() && !plans.is_empty() {
            call.plan_id = (dice.below(3) > 0).then(|| dice.pick(&plans).id.to_string());
        }
        let name = gate.machines()[machine].description().name;
        gate.send(name, &call, &around).expect("a known event");
    }
}

/// Sends a step of a trace.
fn replay(gate: &mut Gate, step: &Json) {
    let step = step.as_object().expect("a step");
    let around = EventContext::default();
    let with = step.get("with").and_then(Json::as_object);
    let mut with = with.cloned().unwrap_or_default();
    let plan_id = step.get("plan_id").and_then(Json::as_text);
    if let Some(tool) = step.get("tool").and_then(Json::as_text) {
        if let Some(id) = plan_id {
            with.insert("plan_id", id);
        }
        gate.decide(&[ToolCall::new(tool, with)], &around);
        return;
    }
    let name = step.get("do").and_then(Json::as_text).expect("an event");
    let (machine, event) = name.split_once('.').expect("an event of a machine");
    let mut call = Call::new(CallKind::Event(event.to_owned().into()));
    call.with = with;
    call.plan_id = plan_id.map(str::to_owned);
    call.token = ShownToken::Current;
    let machine = machine.replace('m', "M");
    gate.send(&machine, &call, &around).expect("a known event");
}

#[test]
fn verdicts_on_generated_sessions_are_true_of_the_real_gate() {
    let mut verdicts = [0_usize; 3];
    for seed in 0..SESSIONS {
        let mut dice = Dice::new(seed);
        let machines = 2 + dice.below(2);
        let mut made = Made::machines(&mut dice, machines);
        let claims: Vec<Claim> = (0..6).map(|_| Claim::random(&mut dice, machines)).collect();
        let texts: Vec<String> = claims.iter().map(Claim::text).collect();
        let mut sources = SourceMap::default();
        let file = sources.add("made.yaml", made.document(&texts));
        let compilation = compile_session(&mut sources, file, &mut made);
        let all = &compilation.diagnostics;
        let session = compilation.session.as_ref();
        let session = session.unwrap_or_else(|| panic!("seed {seed}: {all:?}"));
        let reports = &compilation.report.invariants;
        assert_eq!(reports.len(), claims.len(), "seed {seed}: {all:?}");
        for (report, claim) in reports.iter().zip(&claims) {
            let told = format!("seed {seed}: {}", claim.text());
            match report.verdict {
                Verdict::Proved => {
                    verdicts[0] += 1;
                    for run in 0..RUNS {
                        let mut gate = gate(session);
                        let mut dice = Dice::new(seed * 1_000 + run);
                        for _ in 0..EVENTS {
                            assert!(!claim.is_true(&gate), "{told} was proved");
                            send(&mut gate, &mut dice, machines);
                        }
                    }
                }
                Verdict::Broken => {
                    verdicts[1] += 1;
                    let message = format!("the invariant `{}` is broken", report.name);
                    let found = all.iter().find(|found| found.message == message);
                    let mut gate = gate(session);
                    for step in &found.expect("a counterexample").trace {
                        replay(&mut gate, step);
                    }
                    assert!(claim.is_true(&gate), "{told} was reported as broken");
                }
                Verdict::Unknown => verdicts[2] += 1,
            }
        }
    }
    let [proved, broken, unknown] = verdicts;
    assert!(proved > 100 && broken > 100, "{verdicts:?}");
    assert!(unknown * 20 < proved + broken, "{verdicts:?}");
}
