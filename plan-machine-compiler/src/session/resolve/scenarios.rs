//! Resolves the names in the scenarios of a session.

use std::str::FromStr;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use crate::calls::Example;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::EventKind;
use crate::model::scenario::Runs;
use crate::resolve::literal::{json, typed_object};
use crate::resolve::scenarios::{expected, report_with_wait};
use crate::session::ast::{self, Document};
use crate::session::model::{Call, Expect, Scenario, Session, Step, What};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Literal, LiteralKind, Name};

/// Resolves the scenarios of a document; a scenario with errors is left out.
pub(super) fn resolve(session: &Session, document: &Document, sink: &mut Sink) -> Vec<Scenario> {
    let mut all = Vec::new();
    for written in &document.scenarios {
        let before = sink.count();
        let mut resolver = Resolver { session, sink };
        let steps = written.steps.iter();
        let steps: Vec<Option<Step>> = steps.map(|step| resolver.step(step)).collect();
        let whole = !written.damaged && sink.count() == before;
        if let (true, Some(steps)) = (whole, steps.into_iter().collect()) {
            all.push(Scenario {
                name: written.name.node.clone(),
                steps,
            });
        }
    }
    all
}

/// Returns the calls that have arguments and state their class.
pub(super) fn examples(document: &Document) -> Vec<Example> {
    let steps = document.scenarios.iter().flat_map(|one| &one.steps);
    let calls = steps.flat_map(|step| &step.calls);
    let examples = calls.filter_map(|call| {
        Some(Example {
            span: call.what.span,
            tool: call.what.node.clone(),
            arguments: json(call.with.as_ref()?),
            class: call.class.clone()?,
        })
    });
    examples.collect()
}

struct Resolver<'a> {
    session: &'a Session,
    sink: &'a mut Sink,
}

impl Resolver<'_> {
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.sink.push(Diagnostic::new(code, span, message));
    }

    fn step(&mut self, written: &ast::Step) -> Option<Step> {
        let calls = written.calls.iter();
        let calls: Vec<Option<Call>> = calls.map(|call| self.call(call)).collect();
        if written.wait.is_some() {
            self.check_wait(written);
        }
        Some(Step {
            span: written.span,
            wait: written.wait.map(|period| period.node),
            context: self.context(written.context.as_ref()),
            at: written.at.as_ref().and_then(|at| self.instant(at)),
            expect: self.expect(&written.expect, written.batch),
            calls: calls.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Reports the parts of a step that make no sense if nothing is sent.
    fn check_wait(&mut self, written: &ast::Step) {
        let ast::Expect {
            reply,
            runs,
            denied,
            messages,
            ..
        } = &written.expect;
        let parts = [
            ("context", written.context.as_ref().map(|found| found.span)),
            ("at", written.at.as_ref().map(|found| found.span)),
            ("reply", reply.as_ref().map(|found| found.span)),
            ("runs", runs.as_ref().map(|found| found.span)),
            ("denied", denied.as_ref().map(|found| found.span)),
            ("messages", messages.as_ref().map(|found| found.span)),
        ];
        report_with_wait(parts, |found| self.sink.push(found));
    }

    fn instant(&mut self, at: &Name) -> Option<Instant> {
        let parsed = Instant::parse(&at.node);
        if let Err(reason) = &parsed {
            self.report(
                Code::PM0107,
                at.span,
                format!("this is not an instant: {reason}"),
            );
        }
        parsed.ok()
    }

    fn call(&mut self, written: &ast::Call) -> Option<Call> {
        let name = &written.what;
        let (what, mut with) = if written.tool {
            (What::Tool(name.node.clone()), self.arguments(written))
        } else if name
            .node
            .trim_start()
            .starts_with(self.session.prefix.as_char())
        {
            (
                What::Line(name.node.clone()),
                self.untyped(written.with.as_ref()),
            )
        } else {
            self.event(name, written.with.as_ref())?
        };
        let plan_id = written.plan_id.as_ref().map(|id| id.node.clone());
        if let (What::Tool(_) | What::Line(_), Some(id)) = (&what, &plan_id) {
            with.insert("plan_id", id.as_str());
        }
        let class = self.class(written, &what)?;
        Some(Call {
            what,
            class,
            with,
            plan_id,
        })
    }

    /// Returns the class of a call to a host tool: as written, or the only one that the tool can have.
    #[expect(clippy::option_option, reason = "a problem, or a call without a class")]
    fn class(&mut self, written: &ast::Call, what: &What) -> Option<Option<String>> {
        let Some(document) = self.session.classes() else {
            return match &written.class {
                None => Some(None),
                Some(class) => {
                    let message = "this session has no calls document, so calls have no classes";
                    self.report(Code::PM0102, class.span, message);
                    None
                }
            };
        };
        let is_host_tool = matches!(what, What::Tool(tool) if !self.is_own(tool));
        if !is_host_tool {
            if let Some(class) = &written.class {
                let message = "this is not a call to a host tool, so it cannot have a class";
                self.report(Code::PM0102, class.span, message);
                return None;
            }
            return Some(None);
        }
        let tool = &written.what;
        let possible = document.classes_of(&tool.node).into_iter();
        let possible: Vec<&str> = possible.map(|id| document.class(id)).collect();
        match (&written.class, &possible[..]) {
            (Some(class), _) if possible.contains(&class.as_str()) => {
                Some(Some(class.node.clone()))
            }
            (None, [only]) => Some(Some((*only).to_owned())),
            (Some(class), _) => {
                let message = format!("no call to `{}` has the class `{}`", tool.node, class.node);
                let found = Diagnostic::new(Code::PM0102, class.span, message);
                let found = found.did_you_mean(&class.node, possible.iter().copied());
                self.sink.push(found);
                None
            }
            (None, _) => {
                let message = format!("the class of this call to `{}` is not clear", tool.node);
                let help = format!("add `class:` with one of `{}`", possible.join("`, `"));
                let found = Diagnostic::new(Code::PM0102, tool.span, message);
                self.sink.push(found.help(help));
                None
            }
        }
    }

    /// Returns whether a machine of the session defines a tool.
    fn is_own(&self, tool: &str) -> bool {
        let mut members = self.session.members.iter();
        members.any(|member| {
            let event = member.machine.event_named(tool);
            let event = event.map(|event| &member.machine.event(event).kind);
            matches!(event, Some(EventKind::Tool { .. }))
        })
    }

    /// Resolves an event that the host sends: `work.step_started`.
    fn event(&mut self, name: &Name, with: Option<&Literal>) -> Option<(What, Object)> {
        let prefix = self.session.prefix;
        let Some((machine, event)) = name.node.split_once('.') else {
            let message = format!(
                "`{}` is neither a command, which begins with `{prefix}`, nor an event with its machine, such as `MACHINE.EVENT`",
                name.node
            );
            let found = Diagnostic::new(Code::PM0102, name.span, message);
            let help = self.meant(&name.node);
            self.sink
                .push(help.into_iter().fold(found, Diagnostic::help));
            return None;
        };
        let at = self.member(machine, name.span)?;
        let member = &self.session.members[at];
        let Some(found) = member.machine.event_named(event) else {
            let message = format!("the machine `{machine}` has no event `{event}`");
            let known = member
                .machine
                .events
                .iter()
                .map(|event| event.name.as_str());
            let found = Diagnostic::new(Code::PM0102, name.span, message);
            self.sink.push(found.did_you_mean(event, known));
            return None;
        };
        let declared = member.machine.event(found);
        if matches!(declared.kind, EventKind::Tool { .. } | EventKind::External) {
            let message = format!("`{event}` is a tool, which the model calls");
            let help = format!("write `tool: {event}`");
            self.sink
                .push(Diagnostic::new(Code::PM0102, name.span, message).help(help));
            return None;
        }
        let with = self.entries(with);
        let with = typed_object(&member.machine, &with, &declared.input);
        Some((What::Event(at, found), with))
    }

    /// Returns how to write an event that was named without its machine, if a machine of the session has such an event.
    fn meant(&self, event: &str) -> Option<String> {
        self.session.members.iter().find_map(|member| {
            let found = member.machine.event_named(event)?;
            let declared = member.machine.event(found);
            Some(match &declared.kind {
                EventKind::Tool { .. } | EventKind::External => format!("write `tool: {event}`"),
                EventKind::Command(_) => {
                    let text = declared.shown_name();
                    let typed = self.session.prefix.shown(text, [text]);
                    format!("write `do: {typed}`, as people type it")
                }
                _ => format!("write `do: {}.{event}`", member.name),
            })
        })
    }

    fn member(&mut self, name: &str, span: Span) -> Option<usize> {
        let found = self.session.position(name);
        if found.is_none() {
            let message = format!("unknown machine `{name}`");
            let known = self
                .session
                .members
                .iter()
                .map(|member| member.name.as_str());
            let found = Diagnostic::new(Code::PM0102, span, message);
            self.sink.push(found.did_you_mean(name, known));
        }
        found
    }

    /// Reads the arguments of a tool, according to their types if a machine defines the tool.
    fn arguments(&mut self, written: &ast::Call) -> Object {
        let members = self.session.members.iter();
        let mut owners = members.filter_map(|member| {
            let event = member.machine.event_named(&written.what.node)?;
            let event = member.machine.event(event);
            matches!(event.kind, EventKind::Tool { .. }).then_some((member, event))
        });
        match owners.next() {
            Some((member, event)) => {
                let with = self.entries(written.with.as_ref());
                typed_object(&member.machine, &with, &event.input)
            }
            None => self.untyped(written.with.as_ref()),
        }
    }

    fn untyped(&mut self, with: Option<&Literal>) -> Object {
        let entries = self.entries(with).into_iter();
        entries
            .map(|(name, value)| (name.node, json(&value)))
            .collect()
    }

    fn entries(&mut self, with: Option<&Literal>) -> Vec<(Name, Literal)> {
        match with.map(|with| (&with.kind, with.span)) {
            None => Vec::new(),
            Some((LiteralKind::Map(entries), _)) => entries.clone(),
            Some((_, span)) => {
                self.report(Code::PM0107, span, "this payload is not a map of fields");
                Vec::new()
            }
        }
    }

    /// Reads the context. A field has the type that a machine declares for it, if one does.
    fn context(&mut self, written: Option<&Literal>) -> Object {
        let mut context = Object::new();
        for entry in self.entries(written) {
            let mut members = self.session.members.iter();
            let declares = |member: &&crate::session::model::Member| {
                let mut fields = member.machine.context.iter();
                fields.any(|field| field.name == entry.0.node)
            };
            let value = match members.find(declares) {
                Some(member) => {
                    let one = std::slice::from_ref(&entry);
                    typed_object(&member.machine, one, &member.machine.context)
                }
                None => Object::from_iter([(entry.0.node.clone(), json(&entry.1))]),
            };
            for (key, value) in value.iter() {
                context.insert(key.to_owned(), value.clone());
            }
        }
        context
    }

    fn expect(&mut self, written: &ast::Expect, batch: bool) -> Expect {
        let mut then = Vec::new();
        for (machine, state) in &written.then {
            let Some(at) = self.member(&machine.node, machine.span) else {
                continue;
            };
            let model = self.session.machine(at);
            if let Some(found) = model.state_named(&state.node) {
                then.push((at, Spanned::new(found, state.span)));
            } else {
                let message = format!(
                    "the machine `{}` has no state `{}`",
                    machine.node, state.node
                );
                let known = model.states.iter().map(|state| state.name.as_str());
                let found = Diagnostic::new(Code::PM0102, state.span, message);
                self.sink.push(found.did_you_mean(&state.node, known));
            }
        }
        let texts = |names: &Spanned<Vec<Name>>| {
            let all = names.node.iter().map(|name| name.node.clone());
            Spanned::new(all.collect::<Vec<String>>(), names.span)
        };
        let reply = written.reply.as_ref();
        Expect {
            then,
            reply: reply.map(|reply| Spanned::new(expected(reply), reply.span)),
            advertises: written.advertises.as_ref().map(|names| {
                let mut names = texts(names);
                names.node.sort();
                names
            }),
            runs: written
                .runs
                .as_ref()
                .and_then(|runs| self.runs(runs, batch)),
            denied: written.denied.as_ref().and_then(|kind| self.denial(kind)),
            messages: written.messages.as_ref().map(texts),
        }
    }

    fn runs(&mut self, literal: &Literal, batch: bool) -> Option<Spanned<Runs>> {
        let runs = match (json(literal), batch) {
            (Json::Bool(runs), false) => Some(Runs::One(runs)),
            (Json::List(items), true) => {
                let names = items.iter().map(|item| item.as_text().map(str::to_owned));
                names.collect::<Option<Vec<String>>>().map(Runs::Tools)
            }
            _ => None,
        };
        if runs.is_none() {
            let message = "`runs` must be `true` or `false`; for a batch, it must be the list of tools that run";
            self.report(Code::PM0107, literal.span, message);
        }
        runs.map(|runs| Spanned::new(runs, literal.span))
    }

    fn denial(&mut self, name: &Name) -> Option<Spanned<DenialKind>> {
        if let Ok(kind) = DenialKind::from_str(&name.node) {
            return Some(Spanned::new(kind, name.span));
        }
        let message = format!("unknown kind of denial `{}`", name.node);
        let known = DenialKind::ALL.iter().map(|kind| kind.as_str());
        let found = Diagnostic::new(Code::PM0102, name.span, message);
        self.sink.push(found.did_you_mean(&name.node, known));
        None
    }
}
