//! Resolves the names in scenarios and reads payloads according to their types.

use std::str::FromStr;
use std::sync::Arc;

use plan_machine_kernel::command::{best_match, nearest_command};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::ACTOR_FIELD;
use plan_machine_kernel::time::Instant;

use super::given::Scenarios;
use super::literal::{fits, typed_object};
use super::{Resolver, position};
use crate::diagnostic::{Code, Diagnostic, Loss};
use crate::model::EventId;
use crate::model::machine::{EventKind, Machine};
use crate::model::scenario::{Call, Expect, Expected, ExpectedEffect, Runs, Scenario, Step, What};
use crate::model::types::{Field, Type};
use crate::model::{FieldId, shown_type};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, Action, Literal, LiteralKind, Name, Spec};

/// The maximum number of times a step may be sent.
const MAX_REPEAT: i64 = 1_000;

impl Resolver<'_> {
    pub(super) fn resolve_scenarios(&mut self, spec: &Spec) {
        let all = spec.scenarios.iter();
        let own = all.map(|written| self.own_steps(written)).collect();
        let scenarios = Scenarios::new(&spec.scenarios, own);
        for (at, written) in spec.scenarios.iter().enumerate() {
            let given = self.given(&scenarios, at);
            let (Some(steps), Some(given)) = (scenarios.steps(at), given) else {
                continue;
            };
            self.machine.scenarios.push(Scenario {
                name: written.name.node.clone(),
                span: written.name.span,
                given,
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
        let repeat = written.repeat.map_or(1, |repeat| repeat.node);
        if let Some(span) = written.repeat.filter(|_| repeat > MAX_REPEAT) {
            let message =
                format!("`repeat` is {repeat}, but a step can be sent at most {MAX_REPEAT} times");
            self.report(Diagnostic::new(Code::PM0107, span.span, message));
        }
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
            repeat: repeat.min(MAX_REPEAT).unsigned_abs(),
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
        report_with_wait(parts, |found| self.report(found));
    }

    /// Adds the sender to the context of a step.
    fn sent_by(&mut self, actor: &Name, context: &mut Object) {
        if self.knows_actor {
            context.insert(ACTOR_FIELD, actor.node.as_str());
        } else {
            let message = "no transition reads `event.actor`, so the sender makes no difference";
            let found = Diagnostic::new(Code::PM0107, actor.span, message);
            self.report(found.help("remove `actor` from this step"));
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
                .map_or_else(Vec::new, |data| self.expected_data(data)),
            reply: written
                .reply
                .as_ref()
                .map(|literal| Spanned::new(expected(literal), literal.span)),
            emits: written.emits.as_ref().map(|effects| {
                let all = effects.node.iter();
                let all = all.filter_map(|effect| self.expected_effect(effect));
                Spanned::new(all.collect(), effects.span)
            }),
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

    fn expected_data(&mut self, data: &Literal) -> Vec<(crate::model::FieldId, Spanned<Expected>)> {
        let LiteralKind::Map(entries) = &data.kind else {
            let message = "`data` must be a map of fields";
            self.report(Diagnostic::new(Code::PM0107, data.span, message));
            return Vec::new();
        };
        entries
            .iter()
            .filter_map(|(name, literal)| {
                let field = self.field(name)?;
                let expected = expected_of(&self.machine, literal, &self.machine.field(field).ty);
                Some((field, Spanned::new(expected, literal.span)))
            })
            .collect()
    }

    fn expected_effect(&mut self, written: &ast::ExpectedEffect) -> Option<ExpectedEffect> {
        let effect = self.effect(&written.name)?;
        let fields = written.fields.as_ref();
        Some(ExpectedEffect {
            effect,
            span: written.name.span,
            fields: match fields.map(|fields| (fields, &fields.kind)) {
                None => Vec::new(),
                Some((_, LiteralKind::Scalar { text, .. })) if text.is_empty() => Vec::new(),
                Some((_, LiteralKind::Map(entries))) => {
                    let declared = self.machine.effect(effect).fields.clone();
                    let known = entries.iter();
                    let known = known.filter_map(|(name, literal)| {
                        let field = self.effect_field(&declared, name, literal)?;
                        let ty = &declared[field.index()].ty;
                        let expected = expected_of(&self.machine, literal, ty);
                        Some((field, Spanned::new(expected, literal.span)))
                    });
                    known.collect()
                }
                Some((fields, _)) => {
                    let message = "the fields of this effect are not a map";
                    self.report(Diagnostic::new(Code::PM0107, fields.span, message));
                    Vec::new()
                }
            },
        })
    }

    /// Returns the field with this name in an effect, and reports a value that the field can never have.
    fn effect_field(
        &mut self,
        declared: &[Field],
        name: &Name,
        literal: &Literal,
    ) -> Option<FieldId> {
        let Some(field) = position(declared, &name.node) else {
            let known = declared.iter().map(|field| field.name.as_str());
            self.unknown("field", name, known);
            return None;
        };
        let ty = &declared[field.index()].ty;
        if !fits(&self.machine, literal, ty) {
            let ty = shown_type(&self.machine, ty);
            let message = format!(
                "`{}` has the type `{ty}`, so it never has this value",
                name.node
            );
            self.report(Diagnostic::new(Code::PM0401, literal.span, message));
        }
        Some(field)
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

/// Reads an expected value of a type: an instant may be written in any supported format.
fn expected_of(machine: &Machine, literal: &Literal, ty: &Type) -> Expected {
    match (&literal.kind, ty.required()) {
        (LiteralKind::Scalar { text, quoted }, Type::Time) => Expected::Scalar {
            text: Instant::parse(text).map_or_else(|_| text.clone(), |instant| instant.to_string()),
            quoted: *quoted,
        },
        (LiteralKind::List(items), Type::List(item)) => Expected::List(
            items
                .iter()
                .map(|one| expected_of(machine, one, item))
                .collect(),
        ),
        (LiteralKind::Map(entries), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields();
            let entries = entries.iter().map(|(name, literal)| {
                let field = fields.iter().find(|field| field.name == name.node);
                let value = match field {
                    Some(field) => expected_of(machine, literal, &field.ty),
                    None => expected(literal),
                };
                (name.node.clone(), value)
            });
            Expected::Map(entries.collect())
        }
        _ => expected(literal),
    }
}

/// Reports each of these parts that a step has although it waits.
pub(crate) fn report_with_wait<const N: usize>(
    parts: [(&str, Option<Span>); N],
    mut report: impl FnMut(Diagnostic),
) {
    for (key, span) in parts {
        if let Some(span) = span {
            let message = format!("a step that waits sends nothing, so it cannot have `{key}`");
            report(Diagnostic::new(Code::PM0107, span, message));
        }
    }
}

/// Reads an expected value of any type.
pub(crate) fn expected(literal: &Literal) -> Expected {
    match &literal.kind {
        LiteralKind::Scalar { text, quoted } => Expected::Scalar {
            text: text.clone(),
            quoted: *quoted,
        },
        LiteralKind::List(items) => Expected::List(items.iter().map(expected).collect()),
        LiteralKind::Map(entries) => {
            let entries = entries.iter();
            Expected::Map(
                entries
                    .map(|(name, value)| (name.node.clone(), expected(value)))
                    .collect(),
            )
        }
    }
}
