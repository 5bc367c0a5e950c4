//! Runs the scenarios of a session: each step is sent, and its result is compared with the expected one.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::session::SessionRule;

use super::model::{Call, Scenario, Session, Step, What};
use super::sandbox::{SessionAnswer, SessionSandbox};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::StateId;
use crate::model::scenario::Runs;
use crate::prove::scenarios::{ScenarioReport, allowance, too_much_work};
use crate::semantics::{self, Allowance, CallKind, EventContext, Outcome, ShownToken};
use crate::source::Span;

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

/// Runs a scenario up to the first step with an unexpected result; returns whether all results are
/// as expected.
fn one(sandbox: &mut SessionSandbox<'_>, scenario: &Scenario, sink: &mut Sink) -> bool {
    for (index, step) in scenario.steps.iter().enumerate() {
        sandbox.takes_steps(step.calls.len().max(1));
        let result = send(sandbox, step);
        if sandbox.allowance().is_exceeded() {
            let message = format!(
                "the scenario `{}` fails at step {}: {}",
                scenario.name,
                index + 1,
                too_much_work("session", sandbox.allowance())
            );
            sink.push(Diagnostic::new(Code::PM0701, step.span, message));
            return false;
        }
        let differences = differences(sandbox, step, &result);
        for (span, what, expected, actual) in &differences {
            let message = format!(
                "the scenario `{}` fails at step {}: {what} differs",
                scenario.name,
                index + 1
            );
            let found = Diagnostic::new(Code::PM0701, *span, message);
            sink.push(found.label(format!("expected {expected}, found {actual}")));
        }
        if !differences.is_empty() {
            return false;
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
    reply: Option<Json>,
}

fn send(sandbox: &mut SessionSandbox<'_>, step: &Step) -> Happened {
    let around = EventContext {
        context: step.context.clone(),
        at: step.at,
    };
    // Timers that are due fire before the batch begins, so that the batch starts in the states that they lead to.
    sandbox.catch_up(step.at);
    let batch = sandbox.begin_batch();
    let mut happened = Happened::default();
    if let Some(period) = step.wait {
        sandbox.wait(period);
        return happened;
    }
    for call in &step.calls {
        (happened.denied, happened.reply) = (None, None);
        match &call.what {
            What::Line(line) => match sandbox.line(line, &call.with, &around) {
                Ok(answers) => answers
                    .into_iter()
                    .for_each(|(_, outcome)| happened.note(outcome)),
                Err(message) => happened.denied = Some((DenialKind::NotFound, vec![message])),
            },
            What::Event(at, event) => {
                let sent = event_call(call, *event);
                happened.note(sandbox.send(*at, &sent, &around));
            }
            What::Tool(tool) => {
                match sandbox.call(&batch, tool, call.class.as_deref(), &call.with, &around) {
                    SessionAnswer::Machine(_, outcome) => happened.note(outcome),
                    SessionAnswer::Run { .. } => happened.running.push(tool.clone()),
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
    sent
}

impl Happened {
    fn note(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Accepted(accepted) => self.reply = Some(accepted.reply),
            Outcome::Run { tool, .. } => self.running.push(tool),
            Outcome::Denied(denial) => self.denied = Some((denial.kind, denial.messages)),
        }
    }
}

/// A location, what differs there, the expected value and the actual one.
type Difference = (Span, &'static str, String, String);

fn differences(sandbox: &SessionSandbox<'_>, step: &Step, happened: &Happened) -> Vec<Difference> {
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
        found.push((
            span,
            "the decision",
            name(wanted.map(|kind| kind.node)),
            actual,
        ));
    }
    for (at, state) in &expect.then {
        let machine = session.machine(*at);
        let actual = sandbox.held(*at);
        let live = actual.records.iter().map(crate::semantics::Record::leaf);
        let is_there = if machine.is_many() {
            let mut live = live.filter(|leaf| !machine.is_final(*leaf));
            match state.node {
                StateId::NONE => live.next().is_none(),
                state => live.any(|leaf| machine.is_within(leaf, state)),
            }
        } else {
            machine.is_within(actual.leaf(), state.node)
        };
        if !is_there {
            let name = |id: StateId| machine.state(id).name.clone();
            let actual = name(actual.leaf());
            found.push((state.span, "the state", name(state.node), actual));
        }
    }
    if let Some(wanted) = &expect.reply
        && !wanted.node.matches(happened.reply.as_ref())
    {
        let actual = happened.reply.as_ref();
        let actual = actual.map_or("no reply".to_owned(), ToString::to_string);
        found.push((wanted.span, "the reply", wanted.node.shown(), actual));
    }
    if let Some(wanted) = &expect.advertises {
        let actual = sandbox.advertised();
        if wanted.node != actual {
            let shown = format!("[{}]", wanted.node.join(", "));
            let actual = format!("[{}]", actual.join(", "));
            found.push((wanted.span, "the list of advertised tools", shown, actual));
        }
    }
    if let Some(wanted) = &expect.messages {
        let actual = denied.map_or(&[][..], |(_, messages)| messages);
        if wanted.node != actual {
            let (shown, actual) = (wanted.node.join("; "), actual.join("; "));
            found.push((wanted.span, "the denial's message", shown, actual));
        }
    }
    found.extend(running(step, happened));
    found
}

fn running(step: &Step, happened: &Happened) -> Option<Difference> {
    let wanted = step.expect.runs.as_ref()?;
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
    (!same).then_some((wanted.span, "the value of `runs`", expected, actual))
}

#[cfg(test)]
mod tests {
    use super::super::compile::read_compiled_session;
    use super::super::load::{LoadedText, Loader};
    use super::*;
    use crate::source::SourceMap;

    struct Asked;

    impl Loader for Asked {
        fn load(&mut self, path: &str) -> Result<LoadedText, String> {
            let condition = vec!["plan.revision < 0"; 100].join(" or ");
            let text = format!(
                "machine: Asked{path}\ncommands: {{ go: /go{path}, stop: /stop{path} }}\n\
                 tools: {{ ask{path}: {{ doc: Ask. }} }}\n\
                 states:\n  none: {{ on: {{ go: A }} }}\n  A:\n    on:\n      \
                 ask{path}: {{ require: [{{ that: 'not ({condition})', else: no }}], reply: 'yes' }}\n      \
                 stop: {{ to: Z, next: none }}\n  Z: {{ final: true }}\n"
            );
            let name = path.to_owned();
            Ok(LoadedText { name, text })
        }
    }

    /// Runs a scenario that calls the tools of two machines in turn, 20 times each. Returns whether the scenario
    /// passes, and its errors.
    fn run_with(allowance: Allowance) -> (bool, Vec<String>) {
        let asks = "{ tool: ask0 }, { tool: ask1 }, ".repeat(20);
        let text = format!(
            "session: Two\nmachines: {{ m0: '0', m1: '1' }}\nscenarios:\n  \
             s: [{{ do: /go0 }}, {{ do: /go1 }}, {asks} {{ do: /stop0 }}]\n"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("two.yaml", text);
        let session = read_compiled_session(&mut sources, file, &mut Asked).expect("a session");
        let mut sink = Sink::default();
        let reports = run_within(allowance, &session, SessionRule::GATE, &mut sink);
        let errors = sink.into_sorted().into_iter();
        (
            reports[0].passed,
            errors.map(|found| found.message).collect(),
        )
    }

    #[test]
    fn machines_share_what_the_scenarios_may_evaluate() {
        assert_eq!(run_with(allowance()), (true, Vec::new()));
        // Each question evaluates about 400 parts, so each machine alone stays below this limit.
        let (passed, errors) = run_with(Allowance::of(1_000_000, 10_000));
        assert!(!passed);
        let message = "the scenarios of this session evaluate more than";
        assert!(errors[0].contains(message), "{errors:?}");
    }
}
