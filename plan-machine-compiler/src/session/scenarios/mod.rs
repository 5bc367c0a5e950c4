//! Runs the scenarios of a session: each step is sent, and its result is compared with the expected result.

use std::collections::BTreeMap;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::session::SessionRule;

use super::model::{Call, Expect, Scenario, Session, Step, What};
use super::sandbox::{SessionAnswer, SessionSandbox};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::scenario::Runs;
use crate::model::{Machine, StateId};
use crate::prove::expect::{self, Mismatch, judge_member};
use crate::prove::scenarios::{ScenarioReport, allowance, differing_given, too_much_work};
use crate::semantics::{
    self, Allowance, CallKind, EventContext, HeldRecords, Outcome, Record, ShownToken,
};

/// The maximum number of bytes that the steps of one scenario may build in each machine.
const MAX_BYTES: usize = 64 << 20;

/// Runs every scenario, and reports differences.
pub(super) fn run(session: &Session, rule: SessionRule, sink: &mut Sink) -> Vec<ScenarioReport> {
    run_within(allowance(), session, rule, sink)
}

fn run_within(
    mut left: Allowance,
    session: &Session,
    rule: SessionRule,
    sink: &mut Sink,
) -> Vec<ScenarioReport> {
    let scenarios = session.scenarios.iter();
    let reports = scenarios.map(|scenario| {
        let sandbox = SessionSandbox::with_rule(session, rule).with_budget(MAX_BYTES);
        let mut sandbox = sandbox.with_allowance(left);
        let passed = one(&mut sandbox, scenario, sink);
        left = sandbox.allowance();
        ScenarioReport {
            name: scenario.name.clone(),
            passed,
        }
    });
    reports.collect()
}

/// Runs a scenario, after its given scenarios; returns whether all results are as expected.
fn one(sandbox: &mut SessionSandbox<'_>, scenario: &Scenario, sink: &mut Sink) -> bool {
    if let Some(first) = &scenario.given {
        for (given, own) in &first.scenarios {
            let mut differs = None;
            let passed = steps(sandbox, given, own, &mut |found| {
                differs.get_or_insert(found);
            });
            if !passed {
                let names = (scenario.name.as_str(), given.as_str());
                sink.push(differing_given(names, first.span, differs));
                return false;
            }
        }
    }
    steps(sandbox, &scenario.name, &scenario.steps, &mut |found| {
        sink.push(found);
    })
}

/// Sends steps up to the first step with an unexpected result, and reports the differences. Returns whether all results
/// are as expected.
fn steps(
    sandbox: &mut SessionSandbox<'_>,
    scenario: &str,
    steps: &[Step],
    report: &mut dyn FnMut(Diagnostic),
) -> bool {
    for (index, step) in steps.iter().enumerate() {
        let failed = |what: &str| {
            let number = index + 1;
            format!("the scenario `{scenario}` fails at step {number}: {what}")
        };
        for _ in 0..step.repeat {
            sandbox.takes_steps(step.calls.len().max(1));
            let result = send(sandbox, step);
            if sandbox.allowance().is_exceeded() {
                let counts = "once for each machine";
                let message = failed(&too_much_work("session", counts, sandbox.allowance()));
                report(Diagnostic::new(Code::PM0701, step.span, message));
                return false;
            }
            let differences = differences(sandbox, step, &result);
            for difference in &differences {
                let Mismatch {
                    what,
                    span,
                    expected,
                    actual,
                } = difference;
                let found =
                    Diagnostic::new(Code::PM0701, *span, failed(&format!("{what} differs")));
                report(found.label(format!("expected {expected}, found {actual}")));
            }
            if !differences.is_empty() {
                return false;
            }
        }
    }
    true
}

/// The result of a step.
#[derive(Default)]
struct Happened {
    /// The tools that run.
    running: Vec<String>,
    /// The kind and messages of the denial, if the last call was denied.
    denied: Option<(DenialKind, Vec<String>)>,
    /// The machine that answered the last call, if a machine did.
    answered: Option<usize>,
    /// The outcomes of each machine: for the last call, or for the timers that fired.
    outcomes: BTreeMap<usize, Vec<Outcome>>,
}

fn send(sandbox: &mut SessionSandbox<'_>, step: &Step) -> Happened {
    let around = EventContext {
        context: step.context.clone(),
        at: step.at,
    };
    // Timers that are due fire before the batch begins, so that the batch starts in the states that they lead to.
    sandbox.catch_up(step.at);
    let mut happened = Happened::default();
    if let Some(turn) = &step.turn {
        sandbox.begin_turn(turn, step.at);
        return happened;
    }
    let batch = sandbox.begin_batch();
    if let Some(period) = step.wait {
        for (at, outcome) in sandbox.wait(period) {
            happened.outcomes.entry(at).or_default().push(outcome);
        }
        return happened;
    }
    for call in &step.calls {
        happened = Happened {
            running: happened.running,
            ..Happened::default()
        };
        match &call.what {
            What::Line(line) => {
                match sandbox.line_for(call.expect_revision, line, &call.with, &around) {
                    Ok(answers) => answers
                        .into_iter()
                        .for_each(|(at, outcome)| happened.note(at, outcome)),
                    Err(message) => happened.denied = Some((DenialKind::NotFound, vec![message])),
                }
            }
            What::Event(at, event) => {
                let sent = event_call(call, *event);
                happened.note(*at, sandbox.send(*at, &sent, &around));
            }
            What::Tool(tool) => {
                match sandbox.call(&batch, tool, call.class.as_deref(), &call.with, &around) {
                    SessionAnswer::Machine(at, outcome) => happened.note(at, outcome),
                    SessionAnswer::Run { counted } => {
                        happened.running.push(tool.clone());
                        let counted = counted.into_iter();
                        let counted = counted.map(|(at, outcome)| (at, vec![outcome]));
                        happened.outcomes = counted.collect();
                    }
                    SessionAnswer::Guarded(message) => {
                        happened.denied = Some((DenialKind::NotAllowed, vec![message]));
                    }
                    SessionAnswer::Unknown(message) => {
                        happened.denied = Some((DenialKind::UnknownTool, vec![message]));
                    }
                }
            }
        }
    }
    happened
}

fn event_call(call: &Call, event: crate::model::EventId) -> semantics::Call {
    let mut sent = semantics::Call::new(CallKind::Event(event));
    sent.token = ShownToken::Current;
    sent.take_payload(&call.with);
    sent.plan_id.clone_from(&call.plan_id);
    sent.expect_revision = call.expect_revision;
    sent
}

impl Happened {
    /// Records the answer of a machine.
    fn note(&mut self, at: usize, outcome: Outcome) {
        match &outcome {
            Outcome::Accepted(_) => {}
            Outcome::Run { tool, .. } => self.running.push(tool.clone()),
            Outcome::Denied(denial) => self.denied = Some((denial.kind, denial.messages.clone())),
        }
        self.answered = Some(at);
        self.outcomes.insert(at, vec![outcome]);
    }

    fn reply(&self) -> Option<&Json> {
        match self.of_machine(self.answered?).last()? {
            Outcome::Accepted(accepted) => Some(&accepted.reply),
            _ => None,
        }
    }

    fn of_machine(&self, at: usize) -> &[Outcome] {
        self.outcomes.get(&at).map_or(&[], Vec::as_slice)
    }
}

fn differences(sandbox: &SessionSandbox<'_>, step: &Step, happened: &Happened) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let expect = &step.expect;
    let session = sandbox.session();
    let denied = happened.denied.as_ref();
    let wanted = expect.denied.as_ref();
    let expects_running = matches!(&expect.runs, Some(runs) if runs.node == Runs::One(false));
    let batch_runs = matches!(&expect.runs, Some(runs) if matches!(runs.node, Runs::Tools(_)));
    if denied.map(|(kind, _)| *kind) != wanted.map(|kind| kind.node)
        && !(wanted.is_none() && (expects_running || batch_runs))
    {
        let name =
            |kind: Option<DenialKind>| kind.map_or("accepted", DenialKind::as_str).to_owned();
        let span = wanted.map_or(step.span, |kind| kind.span);
        let actual = match denied {
            Some((kind, messages)) => format!("{kind}: {}", messages.join("; ")),
            None => name(None),
        };
        found.push(Mismatch {
            what: "the decision",
            span,
            expected: name(wanted.map(|kind| kind.node)),
            actual,
        });
    }
    let states = expect.then.iter();
    found.extend(states.filter_map(|(at, state)| {
        let actual = other_states(session.machine(*at), sandbox.held(*at), state.node)?;
        Some(Mismatch {
            what: "the state",
            span: state.span,
            expected: session.machine(*at).state(state.node).name.clone(),
            actual,
        })
    }));
    for (at, part) in &expect.machines {
        let happened = expect::Happened {
            machine: session.machine(*at),
            held: sandbox.held(*at),
            outcomes: happened.of_machine(*at),
            waited: step.wait.is_some() || step.turn.is_some(),
        };
        found.extend(judge_member(&happened, part));
    }
    found.extend(answers(sandbox, expect, happened));
    found.extend(running(expect, happened));
    found
}

/// Returns the states of a machine's plans if none of them is in the expected state. In a machine with many plans, the
/// expected state `none` means that no plan is live.
fn other_states(machine: &Machine, held: &HeldRecords, expected: StateId) -> Option<String> {
    let name = |leaf: StateId| machine.state(leaf).name.as_str();
    if !machine.is_many() {
        let leaf = held.leaf();
        let is_there = machine.is_within(leaf, expected);
        return (!is_there).then(|| name(leaf).to_owned());
    }
    let leaves = held.records.iter().map(Record::leaf);
    let live: Vec<StateId> = leaves.filter(|leaf| !machine.is_final(*leaf)).collect();
    let mut places = live.iter();
    let is_there = match expected {
        StateId::NONE => live.is_empty(),
        state => places.any(|leaf| machine.is_within(*leaf, state)),
    };
    let states: Vec<&str> = match live[..] {
        [] => vec![name(StateId::NONE)],
        _ => live.iter().map(|leaf| name(*leaf)).collect(),
    };
    (!is_there).then(|| states.join(", "))
}

/// Compares the answer to the last call and the list of advertised tools with the expected values, and returns the
/// differences.
fn answers(sandbox: &SessionSandbox<'_>, expect: &Expect, happened: &Happened) -> Vec<Mismatch> {
    let mut found = Vec::new();
    if let Some(wanted) = &expect.reply
        && !wanted.node.matches(happened.reply())
    {
        let actual = happened.reply();
        found.push(Mismatch {
            what: "the reply",
            span: wanted.span,
            expected: wanted.node.shown(),
            actual: actual.map_or("no reply".to_owned(), ToString::to_string),
        });
    }
    if let Some(wanted) = &expect.advertises {
        let actual = sandbox.advertised();
        if wanted.node != actual {
            found.push(Mismatch {
                what: "the list of advertised tools",
                span: wanted.span,
                expected: format!("[{}]", wanted.node.join(", ")),
                actual: format!("[{}]", actual.join(", ")),
            });
        }
    }
    if let Some(wanted) = &expect.messages {
        let denied = happened.denied.as_ref();
        let actual = denied.map_or(&[][..], |(_, messages)| messages);
        if wanted.node != actual {
            found.push(Mismatch {
                what: "the denial's message",
                span: wanted.span,
                expected: wanted.node.join("; "),
                actual: actual.join("; "),
            });
        }
    }
    found
}

fn running(expect: &Expect, happened: &Happened) -> Option<Mismatch> {
    let wanted = expect.runs.as_ref()?;
    let actual = &happened.running;
    let (same, expected, actual) = match &wanted.node {
        Runs::One(runs) => {
            let is_running = !actual.is_empty();
            (
                *runs == is_running,
                runs.to_string(),
                is_running.to_string(),
            )
        }
        Runs::Tools(tools) => (
            tools == actual,
            format!("[{}]", tools.join(", ")),
            format!("[{}]", actual.join(", ")),
        ),
    };
    (!same).then_some(Mismatch {
        what: "the value of `runs`",
        span: wanted.span,
        expected,
        actual,
    })
}

#[cfg(test)]
mod tests;
