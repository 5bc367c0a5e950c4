//! Runs scenarios: each step is sent, and its result is compared with the expected result.

use std::collections::BTreeSet;

use super::expect::{Happened, Mismatch, judge};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::model::scenario::{Call, Scenario, Step, What};
use crate::model::{Checked, TransitionId};
use crate::semantics::{self, Allowance, EventContext, Outcome, Sandbox, ShownToken, call_of_line};
use crate::source::Span;

/// Expected and actual values up to this length are shown side by side after the underline; longer values are shown one
/// below the other.
const SHORT: usize = 30;

/// The maximum work for all scenarios of a document: each step, and each timer that fires, counts once (in a session,
/// once for each machine), and once more for each plan.
const MOST_WORK: usize = 1_000_000;

/// The maximum number of parts of expressions that all scenarios of a document may evaluate, which takes a few seconds.
const MOST_EVALUATIONS: usize = 100_000_000;

/// The maximum number of bytes that all scenarios of a spec may build.
const MOST_BYTES: usize = 512 << 20;

/// The result of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioReport {
    /// The name of the scenario.
    pub name: String,
    /// Whether every result was as expected.
    pub passed: bool,
}

/// Runs every scenario; reports differences and, if all scenarios pass, the transitions that none of them takes.
pub fn run(machine: &Checked<Machine>, sink: &mut Sink) -> Vec<ScenarioReport> {
    run_within(allowance(), machine, sink)
}

fn run_within(
    allowance: Allowance,
    machine: &Checked<Machine>,
    sink: &mut Sink,
) -> Vec<ScenarioReport> {
    let mut runs = Runs {
        machine,
        taken: BTreeSet::new(),
        allowance,
        budget: MOST_BYTES,
    };
    let mut reports: Vec<ScenarioReport> = Vec::new();
    for scenario in &machine.scenarios {
        reports.push(ScenarioReport {
            name: scenario.name.clone(),
            passed: runs.one(scenario, sink),
        });
    }
    let taken = runs.taken;
    // A scenario that stops early does not show which further transitions it would have taken.
    if reports.iter().all(|report| report.passed) {
        report_coverage(machine, &taken, sink);
    }
    reports
}

/// The scenarios of one machine while they are being run.
struct Runs<'m> {
    machine: &'m Checked<Machine>,
    /// The transitions that the scenarios have taken.
    taken: BTreeSet<TransitionId>,
    /// The remaining work, which all scenarios share.
    allowance: Allowance,
    /// The remaining bytes, which all scenarios share.
    budget: usize,
}

impl Runs<'_> {
    /// Runs a scenario up to the first step whose result differs from the expected result; returns whether all results
    /// are as expected.
    fn one(&mut self, scenario: &Scenario, sink: &mut Sink) -> bool {
        let sandbox = Sandbox::new(self.machine).with_budget(self.budget);
        let mut sandbox = sandbox.with_allowance(self.allowance);
        let passed = self.given(&mut sandbox, scenario, sink)
            && self.steps(
                &mut sandbox,
                &scenario.name,
                &scenario.steps,
                &mut |found| {
                    sink.push(found);
                },
            );
        self.budget = sandbox.budget();
        self.allowance = sandbox.allowance();
        passed
    }

    /// Sends the steps of the scenarios that a scenario names in `given`; returns whether all results are as expected.
    fn given(&mut self, sandbox: &mut Sandbox<'_>, scenario: &Scenario, sink: &mut Sink) -> bool {
        let Some(first) = &scenario.given else {
            return true;
        };
        for given in &first.scenarios {
            let mut differs = None;
            let passed = self.steps(sandbox, &given.name, &given.steps, &mut |found| {
                differs.get_or_insert(found);
            });
            if !passed {
                let names = (scenario.name.as_str(), given.name.as_str());
                sink.push(differing_given(names, first.span, differs));
                return false;
            }
        }
        true
    }

    /// Sends steps up to the first step whose result differs from the expected result, and reports the differences.
    /// Returns whether all results are as expected.
    fn steps(
        &mut self,
        sandbox: &mut Sandbox<'_>,
        scenario: &str,
        steps: &[Step],
        report: &mut dyn FnMut(Diagnostic),
    ) -> bool {
        let machine = sandbox.machine();
        for (index, step) in steps.iter().enumerate() {
            for _ in 0..step.repeat {
                let outcomes = match self.send(sandbox, step) {
                    Ok(outcomes) => outcomes,
                    Err(message) => {
                        let message = format!(
                            "the scenario `{scenario}` fails at step {}: {message}",
                            index + 1
                        );
                        report(Diagnostic::new(Code::PM0701, step.span, message));
                        return false;
                    }
                };
                let happened = Happened {
                    machine,
                    held: sandbox.held(),
                    outcomes: &outcomes,
                    waited: step.wait.is_some(),
                };
                let differences = judge(&happened, step);
                if !differences.is_empty() {
                    for difference in differences {
                        report(difference_of(scenario, index, step, &difference));
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Sends a step, unless that would exceed the limits that all scenarios share.
    fn send(&mut self, sandbox: &mut Sandbox<'_>, step: &Step) -> Result<Vec<Outcome>, String> {
        if !sandbox.takes_steps(step.calls.len().max(1)) {
            return Err(too_much_work("spec", "once", sandbox.allowance()));
        }
        let outcomes = match step.wait {
            Some(period) => sandbox.wait(period),
            None => send(sandbox, step)?,
        };
        if sandbox.allowance().is_exceeded() {
            return Err(too_much_work("spec", "once", sandbox.allowance()));
        }
        for outcome in &outcomes {
            if let Outcome::Accepted(accepted) = outcome {
                self.taken.extend(&accepted.transitions);
            }
        }
        Ok(outcomes)
    }
}

/// Returns the allowance that all scenarios of a document share.
pub(crate) fn allowance() -> Allowance {
    Allowance::of(MOST_WORK, MOST_EVALUATIONS)
}

/// Describes the failure of a scenario that exceeds the allowance. `counts` says how a step counts if there are no
/// plans.
pub(crate) fn too_much_work(document: &str, counts: &str, left: Allowance) -> String {
    if left.has_no_evaluations() {
        return format!(
            "the scenarios of this {document} evaluate more than {MOST_EVALUATIONS} parts of expressions"
        );
    }
    format!(
        "the scenarios of this {document} take more than {MOST_WORK} steps, where a step counts {counts}, and once more for \
         each plan"
    )
}

/// Reports, at the location of `given`, that the scenario named there fails. The steps of `scenario` itself do not run.
pub(crate) fn differing_given(
    (scenario, given): (&str, &str),
    span: Span,
    differs: Option<Diagnostic>,
) -> Diagnostic {
    let message =
        format!("the scenario `{scenario}` cannot start: its given scenario `{given}` fails");
    let found = Diagnostic::new(Code::PM0701, span, message);
    match differs {
        Some(differs) => found.also(differs.primary.span, differs.message),
        None => found,
    }
}

fn difference_of(scenario: &str, index: usize, step: &Step, found: &Mismatch) -> Diagnostic {
    let message = format!(
        "the scenario `{scenario}` fails at step {}: {} differs",
        index + 1,
        found.what
    );
    let place = step.calls.first().map_or(step.span, |call| call.span);
    let short = found.expected.len() <= SHORT && found.actual.len() <= SHORT;
    let diagnostic = Diagnostic::new(Code::PM0701, found.span, message);
    let mut diagnostic = if short {
        diagnostic.label(format!(
            "expected {}, found {}",
            found.expected, found.actual
        ))
    } else {
        diagnostic
            .label("expected here")
            .help(format!("expected: {}", found.expected))
            .help(format!("actual:   {}", found.actual))
    };
    // If the expectation belongs to the call itself, there is no second location to show.
    if found.span.order() != place.order() {
        diagnostic = diagnostic.also(place, "in this step");
    }
    diagnostic
}

/// Sends the calls of a step; returns an error if a typed line matches no command.
fn send(sandbox: &mut Sandbox<'_>, step: &Step) -> Result<Vec<Outcome>, String> {
    let around = EventContext {
        context: step.context.clone(),
        at: step.at,
    };
    let start = sandbox.batch_start();
    let mut outcomes = Vec::new();
    for written in &step.calls {
        let mut call = call_of(sandbox, written)?;
        call.batch = step.batch.then_some(start);
        outcomes.push(sandbox.step(&call, &around));
    }
    Ok(outcomes)
}

fn call_of(sandbox: &Sandbox<'_>, written: &Call) -> Result<semantics::Call, String> {
    let mut call = match &written.what {
        What::Event(event) => semantics::Call::new(semantics::CallKind::Event(*event)),
        What::Tool(name) => {
            semantics::Call::new(semantics::CallKind::HostTool(name.clone().into()))
        }
        What::Line(line) => call_of_line(sandbox.machine(), sandbox.held(), line)?,
    };
    // Scenarios assume that the plan has just been shown, so their calls carry the current token.
    if call.token == ShownToken::Missing {
        call.token = ShownToken::Current;
    }
    if matches!(written.what, What::Tool(_)) {
        call.with = written.with.clone();
    } else {
        call.take_payload(&written.with);
    }
    if let Some(id) = &written.plan_id {
        call.plan_id = Some(id.clone());
    }
    call.expect_revision = written.expect_revision;
    Ok(call)
}

/// Reports the transitions that no scenario takes.
fn report_coverage(machine: &Machine, taken: &BTreeSet<TransitionId>, sink: &mut Sink) {
    if machine.scenarios.is_empty() {
        let message = "this spec has no scenarios, so nothing shows that it works as intended";
        sink.push(Diagnostic::new(Code::PM0702, machine.span, message));
        return;
    }
    for id in machine.transition_ids().filter(|id| !taken.contains(id)) {
        let transition = machine.transition(id);
        if transition.fate.is_word() {
            continue;
        }
        let handler = machine.handler(transition.handler);
        let message = format!(
            "no scenario takes this transition of `{}` in {}",
            machine.event(handler.event).name,
            machine.state(handler.state).name
        );
        sink.push(Diagnostic::new(Code::PM0702, transition.span, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    /// Runs a scenario that asks 100 times whether 20 conditions hold for none of 100 items, and that may evaluate this
    /// many parts of expressions. Returns whether it passes, and the messages of the errors.
    fn run_with(evaluations: usize) -> (bool, Vec<String>) {
        let condition = vec!["index < 0"; 20].join(" or ");
        let items = vec!["1"; 100].join(", ");
        let text = format!(
            "machine: M\ndata: {{ xs: {{ type: '[int]', default: [] }} }}\n\
             commands: {{ go: /go, stop: /stop }}\n\
             tools:\n  put: {{ doc: Put., input: {{ xs: '[int]' }} }}\n  ask: {{ doc: Ask. }}\n\
             states:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      \
             put: {{ set: {{ xs: event.xs }} }}\n      \
             ask: {{ require: [{{ that: 'no xs where {condition}', else: no }}], reply: 'yes' }}\n      \
             stop: {{ to: Z, next: none }}\n  Z: {{ final: true }}\n\
             scenarios:\n  s: [{{ do: /go }}, {{ do: put, with: {{ xs: [{items}] }} }}, {{ do: ask, repeat: 100 }}]\n"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", text);
        let machine = crate::compile(&sources, file).machine.expect("a machine");
        let mut sink = Sink::default();
        let allowance = Allowance::of(MOST_WORK, evaluations);
        let reports = run_within(allowance, &machine, &mut sink);
        let errors = sink.into_sorted().into_iter();
        let errors = errors.filter(|found| found.code == Code::PM0701);
        (
            reports[0].passed,
            errors.map(|found| found.message).collect(),
        )
    }

    #[test]
    fn conditions_that_read_no_data_count_as_work_of_scenarios() {
        assert_eq!(run_with(MOST_EVALUATIONS), (true, Vec::new()));
        let message = format!(
            "the scenario `s` fails at step 3: the scenarios of this spec evaluate more than {MOST_EVALUATIONS} parts of \
             expressions"
        );
        // Each of the 100 questions evaluates, for each of 100 items, 20 comparisons with 2 operands each, and 19 `or`.
        assert_eq!(run_with(100 * 7_000), (false, vec![message]));
    }
}
