//! Resolves the names in scenarios and reads payloads according to their types.

use std::str::FromStr;
use std::sync::Arc;

use plan_machine_kernel::command::{best_match, nearest_command};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::ACTOR_FIELD;
use plan_machine_kernel::time::Instant;

use super::Resolver;
use super::expected::expected;
use super::given::{Given, Scenarios};
use super::literal::typed_object;
use crate::diagnostic::{Code, Diagnostic, Loss};
use crate::model::EventId;
use crate::model::machine::EventKind;
use crate::model::scenario::{
    Call, Expect, GivenScenario, GivenScenarios, Runs, Scenario, Step, What,
};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, Action, Literal, LiteralKind, Name, Spec};

/// The maximum number of times a step may be sent.
const MAX_REPEAT: i64 = 1_000;

impl Resolver<'_> {
    pub(super) fn resolve_scenarios(&mut self, spec: &Spec) {
        let all = spec.scenarios.iter();
        let own = all.map(|written| self.own_steps(written)).collect();
        let names = spec.scenarios.iter();
        let names = names.map(|written| (&written.name, written.given.as_ref()));
        let scenarios = Scenarios::new(names, own, |step: &Step| step.repeat);
        for (at, written) in spec.scenarios.iter().enumerate() {
            let given = scenarios.given(at, self.sink);
            let (Some(steps), Some(given)) = (scenarios.steps(at), given) else {
                continue;
            };
            self.machine.scenarios.push(Scenario {
                name: written.name.node.clone(),
                span: written.name.span,
                given: given.map(given_scenarios),
                steps,
            });
        }
    }

    /// Returns the steps of a scenario; `None` if the scenario could not be read completely, because then it would fail
    /// for that reason alone.
    fn own_steps(&mut self, written: &ast::Scenario) -> Option<Arc<[Step]>> {
        let before = self.sink.count();
        let steps = written.steps.iter().filter_map(|step| self.step(step));
        let steps: Vec<Step> = steps.collect();
        let whole = !written.damaged && self.sink.count() == before;
        whole.then(|| steps.into())
    }

    fn step(&mut self, written: &ast::ScenarioStep) -> Option<Step> {
        let (written_calls, batch) = match &written.action {
            Action::Call(call) => (std::slice::from_ref(call), false),
            Action::Wait(_) => (&[][..], false),
            Action::Batch(span, calls) => {
                if calls.is_empty() {
                    let message = "this batch has no calls";
                    self.report(Diagnostic::new(Code::PM0107, *span, message));
                }
                (calls.as_slice(), true)
            }
        };
        let calls: Vec<Option<Call>> = written_calls
            .iter()
            .map(|call| self.call(call, batch))
            .collect();
        let expect = self.expect(&written.expect, batch);
        let at = written.at.as_ref().and_then(|at| self.instant(at));
        let mut context = match &written.context {
            Some(literal) => self.payload(literal, &self.machine.context.clone()),
            None => Object::new(),
        };
        if let Some(actor) = &written.actor {
            self.sent_by(actor, &mut context);
        }
        let repeat = times(written.repeat, |found| self.report(found));
        let wait = match written.action {
            Action::Wait(period) => Some(period.node),
            _ => None,
        };
        if wait.is_some() {
            self.check_wait(written);
        }
        Some(Step {
            span: written.span,
            wait,
            calls: calls.into_iter().collect::<Option<Vec<Call>>>()?,
            batch,
            repeat,
            context,
            at,
            expect,
        })
    }

    /// Reports the parts of a step that make no sense if nothing is sent.
    fn check_wait(&mut self, written: &ast::ScenarioStep) {
        let ast::Expect {
            reply,
            runs,
            denied,
            messages,
            ..
        } = &written.expect;
        let parts = [
            ("context", written.context.as_ref().map(|found| found.span)),
            ("actor", written.actor.as_ref().map(|found| found.span)),
            ("at", written.at.as_ref().map(|found| found.span)),
            ("reply", reply.as_ref().map(|found| found.span)),
            ("runs", runs.as_ref().map(|found| found.span)),
            ("denied", denied.as_ref().map(|found| found.span)),
            ("messages", messages.as_ref().map(|found| found.span)),
        ];
        report_unsent(WAITS, parts, |found| self.report(found));
    }

    /// Adds the sender to the context of a step.
    fn sent_by(&mut self, actor: &Name, context: &mut Object) {
        if self.knows_actor {
            context.insert(ACTOR_FIELD, actor.node.as_str());
        } else {
            self.report(unread_actor(actor));
        }
    }

    fn call(&mut self, written: &ast::ScenarioCall, batch: bool) -> Option<Call> {
        let what = self.what(written)?;
        let input = match &what {
            What::Event(event) => {
                let event = self.machine.event(*event);
                if batch && !matches!(event.kind, EventKind::Tool { .. }) {
                    self.not_a_tool_call(written);
                    return None;
                }
                event.input.clone()
            }
            What::Line(_) if batch => {
                self.not_a_tool_call(written);
                return None;
            }
            What::Line(_) | What::Tool(_) => Vec::new(),
        };
        let with = match &written.with {
            Some(literal) => self.payload(literal, &input),
            None => Object::new(),
        };
        Some(Call {
            span: written.what.span,
            what,
            with,
            plan_id: written.plan_id.as_ref().map(|id| id.node.clone()),
            expect_revision: written
                .expect_revision
                .map(|number| number.node.unsigned_abs()),
        })
    }

    fn not_a_tool_call(&mut self, written: &ast::ScenarioCall) {
        let message =
            "the batch contains an event that is not a tool call; send that event separately";
        self.report(Diagnostic::new(Code::PM0107, written.what.span, message));
    }

    /// Resolves the name of a call. A misspelled name must not silently become a host tool.
    fn what(&mut self, written: &ast::ScenarioCall) -> Option<What> {
        let name = &written.what;
        let event = self.machine.event_named(&name.node);
        let is_tool = |id: EventId| matches!(self.machine.event(id).kind, EventKind::Tool { .. });
        if written.tool {
            return Some(match event.filter(|id| is_tool(*id)) {
                Some(event) => What::Event(event),
                None => What::Tool(name.node.clone()),
            });
        }
        if name.node.trim_start().starts_with('/') {
            self.check_line(name)?;
            return Some(What::Line(name.node.clone()));
        }
        let kind = |id: &EventId| &self.machine.event(*id).kind;
        let event = event.filter(|id| !matches!(kind(id), EventKind::Timer(_)));
        if let Some(event) = event.filter(|id| !matches!(kind(id), EventKind::External)) {
            return Some(What::Event(event));
        }
        if event.is_some() {
            let message = format!("`{}` is a host tool", name.node);
            let help = format!("write `tool: {}`", name.node);
            self.report(Diagnostic::new(Code::PM0102, name.span, message).help(help));
            return None;
        }
        let declared = self.sendable().map(|event| event.name.clone());
        let declared: Vec<String> = declared.collect();
        self.unknown("event", name, declared.iter().map(String::as_str));
        None
    }

    fn check_line(&mut self, line: &Name) -> Option<()> {
        let commands = || {
            self.machine
                .events
                .iter()
                .filter_map(|event| match &event.kind {
                    EventKind::Command(command) => Some(&command.pattern),
                    _ => None,
                })
        };
        let matched = [true, false].into_iter().any(|taken| {
            best_match(
                commands().map(|pattern| ((), pattern)),
                &line.node,
                &|_, _| taken,
            )
            .is_some()
        });
        if matched {
            return Some(());
        }
        if self.sink.lacks(&[Loss::Text]) {
            // The text of a command may be one of the parts that could not be read.
            return None;
        }
        let message = format!("no command matches `{}`", line.node);
        let mut found = Diagnostic::new(Code::PM0102, line.span, message);
        if let Some(near) = nearest_command(&line.node, commands()) {
            found = found.help(format!("did you mean `{near}`?"));
        }
        self.report(found);
        None
    }

    fn payload(&mut self, literal: &Literal, fields: &[crate::model::types::Field]) -> Object {
        match &literal.kind {
            LiteralKind::Map(entries) => typed_object(&self.machine, entries, fields),
            LiteralKind::Scalar {
                text,
                quoted: false,
            } if text.is_empty() => Object::new(),
            _ => {
                let message = "this payload is not a map of fields";
                self.report(Diagnostic::new(Code::PM0107, literal.span, message));
                Object::new()
            }
        }
    }

    fn instant(&mut self, at: &Name) -> Option<Instant> {
        match Instant::parse(&at.node) {
            Ok(instant) => Some(instant),
            Err(reason) => {
                self.report(Diagnostic::new(Code::PM0107, at.span, reason));
                None
            }
        }
    }

    fn expect(&mut self, written: &ast::Expect, batch: bool) -> Expect {
        let state = |this: &mut Self, name: &Name| {
            let id = this.state(name)?;
            Some(Spanned::new(id, name.span))
        };
        Expect {
            then: written.then.as_ref().and_then(|name| state(self, name)),
            ended: written.ended.as_ref().and_then(|name| state(self, name)),
            data: written
                .data
                .as_ref()
                .map_or_else(Vec::new, |data| self.names().expected_data(data)),
            reply: written
                .reply
                .as_ref()
                .map(|literal| Spanned::new(expected(literal), literal.span)),
            emits: written
                .emits
                .as_ref()
                .map(|effects| self.names().expected_effects(effects)),
            advertises: written.advertises.as_ref().map(|names| {
                let mut tools: Vec<String> = names
                    .node
                    .iter()
                    .filter_map(|name| self.own_tool(name))
                    .collect();
                tools.sort();
                Spanned::new(tools, names.span)
            }),
            runs: written
                .runs
                .as_ref()
                .and_then(|runs| self.runs(runs, batch)),
            denied: written.denied.as_ref().and_then(|kind| self.denial(kind)),
            messages: written.messages.as_ref().map(|messages| {
                let texts = messages.node.iter().map(|text| text.node.clone());
                Spanned::new(texts.collect(), messages.span)
            }),
        }
    }

    fn own_tool(&mut self, name: &Name) -> Option<String> {
        let event = self.event(name)?;
        if matches!(self.machine.event(event).kind, EventKind::Tool { .. }) {
            return Some(name.node.clone());
        }
        let message = format!(
            "`{}` is not a tool of this machine, so no state advertises it",
            name.node
        );
        self.report(Diagnostic::new(Code::PM0107, name.span, message));
        None
    }

    fn runs(&mut self, literal: &Literal, batch: bool) -> Option<Spanned<Runs>> {
        let runs = match (&literal.kind, batch) {
            (LiteralKind::Scalar { text, .. }, false) => bool::from_str(text).ok().map(Runs::One),
            (LiteralKind::List(items), true) => {
                let names = items.iter().map(|item| match &item.kind {
                    LiteralKind::Scalar { text, .. } => Some(text.clone()),
                    _ => None,
                });
                names.collect::<Option<Vec<String>>>().map(Runs::Tools)
            }
            _ => None,
        };
        if runs.is_none() {
            let message = "`runs` must be `true` or `false`; for a batch, it must be the list of tools that run";
            self.report(Diagnostic::new(Code::PM0107, literal.span, message));
        }
        runs.map(|runs| Spanned::new(runs, literal.span))
    }

    fn denial(&mut self, name: &Name) -> Option<Spanned<DenialKind>> {
        if let Ok(kind) = DenialKind::from_str(&name.node) {
            Some(Spanned::new(kind, name.span))
        } else {
            let known: Vec<&str> = DenialKind::ALL.iter().map(|kind| kind.as_str()).collect();
            let message = format!("unknown kind of denial `{}`", name.node);
            let found = Diagnostic::new(Code::PM0102, name.span, message)
                .did_you_mean(&name.node, known.iter().copied())
                .help(format!("the kinds are `{}`", known.join("`, `")));
            self.report(found);
            None
        }
    }
}

fn given_scenarios(given: Given<Step>) -> GivenScenarios {
    let scenarios = given.scenarios.into_iter();
    GivenScenarios {
        span: given.span,
        scenarios: scenarios
            .map(|(name, steps)| GivenScenario { name, steps })
            .collect(),
    }
}

/// Returns how many times a step is sent, and reports a number that is too large.
pub(crate) fn times(repeat: Option<Spanned<i64>>, report: impl FnOnce(Diagnostic)) -> u64 {
    let Some(Spanned { node: times, span }) = repeat else {
        return 1;
    };
    if times > MAX_REPEAT {
        let message =
            format!("`repeat` is {times}, but a step can be sent at most {MAX_REPEAT} times");
        report(Diagnostic::new(Code::PM0107, span, message));
    }
    times.min(MAX_REPEAT).unsigned_abs()
}

/// Returns the error for a sender that makes no difference.
pub(crate) fn unread_actor(actor: &Name) -> Diagnostic {
    let message = "no transition reads `event.actor`, so the sender makes no difference";
    let found = Diagnostic::new(Code::PM0107, actor.span, message);
    found.help("remove `actor` from this step")
}

/// The verb that messages use for a step that lets time pass.
pub(crate) const WAITS: &str = "waits";

/// Reports the parts that a step has although they make no sense in a step that sends nothing. `what` is the phrase for
/// what the step does instead.
pub(crate) fn report_unsent<const N: usize>(
    what: &str,
    parts: [(&str, Option<Span>); N],
    mut report: impl FnMut(Diagnostic),
) {
    for (key, span) in parts {
        if let Some(span) = span {
            let message = format!("a step that {what} sends nothing, so it cannot have `{key}`");
            report(Diagnostic::new(Code::PM0107, span, message));
        }
    }
}
