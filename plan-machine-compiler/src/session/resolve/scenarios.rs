//! Resolves the names in the scenarios of a session.

use std::sync::Arc;

use plan_machine_kernel::calls::GUARD;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::ACTOR_FIELD;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::tools::MAX_NAME_BYTES;

use super::names::NameTables;
use crate::calls::Example;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::EventKind;
use crate::resolve::given::Scenarios;
use crate::resolve::literal::{json, typed_object};
use crate::resolve::scenarios::{WAITS, report_unsent, times, unread_actor};
use crate::session::ast::{self, Document};
use crate::session::model::{Call, Scenario, Session, Step, What};
use crate::session::steps::BEGINS_A_TURN;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Literal, LiteralKind, Name};

/// Resolves the scenarios of a document; a scenario with errors is left out.
pub(super) fn resolve(session: &Session, document: &Document, sink: &mut Sink) -> Vec<Scenario> {
    let members = session.members.iter();
    let mut resolver = Resolver {
        session,
        tables: members.map(|one| NameTables::of(&one.machine)).collect(),
        sink,
    };
    let written = document.scenarios.iter();
    let own = written.map(|written| resolver.own_steps(written)).collect();
    let names = document.scenarios.iter();
    let names = names.map(|written| (&written.name, written.given.as_ref()));
    let scenarios = Scenarios::new(names, own, |step: &Step| step.repeat);
    let mut all = Vec::new();
    for (at, written) in document.scenarios.iter().enumerate() {
        let given = scenarios.given(at, sink);
        if let (Some(steps), Some(given)) = (scenarios.steps(at), given) {
            all.push(Scenario {
                name: written.name.node.clone(),
                given,
                steps,
            });
        }
    }
    all
}

/// Returns the calls that have arguments and a class: the class that the call states, or the only class that calls to
/// its tool can have. In the second case, the class has the location of the tool.
pub(super) fn examples(session: &Session, document: &Document) -> Vec<Example> {
    let steps = document.scenarios.iter().flat_map(|one| &one.steps);
    let calls = steps.flat_map(|step| &step.calls);
    let examples = calls.filter_map(|call| {
        let with = call.with.as_ref()?;
        let class = match &call.class {
            Some(class) => class.clone(),
            None => Spanned::new(only_class(session, call)?.to_owned(), call.what.span),
        };
        Some(Example {
            span: call.what.span,
            tool: call.what.node.clone(),
            arguments: json(with),
            class,
            is_implied: call.class.is_none(),
        })
    });
    examples.collect()
}

/// Returns the only class that calls to a host tool can have, apart from `guard`; `None` if there are several, or if
/// this is not a call to a host tool.
fn only_class<'s>(session: &'s Session, call: &ast::Call) -> Option<&'s str> {
    let document = session.classes()?;
    if !calls_a_host_tool(session, call) {
        return None;
    }
    match document.classes_of(&call.what.node)[..] {
        [only] => Some(document.class(only)),
        _ => None,
    }
}

/// Returns whether a call is to a tool that no machine of the session defines.
fn calls_a_host_tool(session: &Session, call: &ast::Call) -> bool {
    let mut members = session.members.iter();
    let is_own = members.any(|member| {
        let event = member.machine.event_named(&call.what.node);
        let event = event.map(|event| &member.machine.event(event).kind);
        matches!(event, Some(EventKind::Tool { .. }))
    });
    call.tool && !is_own
}

/// Resolves the names of scenarios.
pub(super) struct Resolver<'a> {
    pub(super) session: &'a Session,
    /// The names of each machine.
    pub(super) tables: Vec<NameTables>,
    pub(super) sink: &'a mut Sink,
}

impl Resolver<'_> {
    /// Returns the steps of a scenario; `None` if the scenario could not be read completely.
    fn own_steps(&mut self, written: &ast::Scenario) -> Option<Arc<[Step]>> {
        let before = self.sink.count();
        let steps = written.steps.iter();
        let steps: Vec<Option<Step>> = steps.map(|step| self.step(step)).collect();
        let whole = !written.damaged && self.sink.count() == before;
        let steps = steps.into_iter().collect::<Option<Arc<[Step]>>>();
        steps.filter(|_| whole)
    }

    pub(super) fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.sink.push(Diagnostic::new(code, span, message));
    }

    fn step(&mut self, written: &ast::Step) -> Option<Step> {
        let calls = written.calls.iter();
        let calls: Vec<Option<Call>> = calls.map(|call| self.call(call)).collect();
        if written.wait.is_some() || written.turn.is_some() {
            self.check_unsent(written);
        }
        if let Some(turn) = &written.turn {
            self.check_turn(turn, &written.expect);
        }
        let mut context = self.context(written.context.as_ref());
        if let Some(actor) = &written.actor {
            self.sent_by(actor, &mut context);
        }
        Some(Step {
            span: written.span,
            wait: written.wait.map(|period| period.node),
            turn: written.turn.as_ref().map(|turn| turn.node.clone()),
            repeat: times(written.repeat, |found| self.sink.push(found)),
            context,
            at: written.at.as_ref().and_then(|at| self.instant(at)),
            expect: self.expect(&written.expect, written.batch),
            calls: calls.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Reports the parts of a step that make no sense if nothing is sent.
    fn check_unsent(&mut self, written: &ast::Step) {
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
            (
                "at",
                written
                    .at
                    .as_ref()
                    .filter(|_| written.wait.is_some())
                    .map(|found| found.span),
            ),
            ("reply", reply.as_ref().map(|found| found.span)),
            ("runs", runs.as_ref().map(|found| found.span)),
            ("denied", denied.as_ref().map(|found| found.span)),
            ("messages", messages.as_ref().map(|found| found.span)),
        ];
        let what = match written.wait {
            Some(_) => WAITS,
            None => BEGINS_A_TURN,
        };
        report_unsent(what, parts, |found| self.sink.push(found));
    }

    /// Reports the id of a turn if it is too long, and `ended` and `emits`, because beginning a turn ends no plan and
    /// emits no effects.
    fn check_turn(&mut self, turn: &Name, expect: &ast::Expect) {
        if turn.node.len() > MAX_NAME_BYTES {
            let message = format!("the id of a turn can have at most {MAX_NAME_BYTES} bytes");
            self.report(Code::PM0107, turn.span, message);
        }
        let ended = expect.ended.first().map(|(machine, _)| machine.span);
        let emits = expect.emits.first().map(|(machine, _)| machine.span);
        let parts = [("ended", ended), ("emits", emits)];
        report_unsent(BEGINS_A_TURN, parts, |found| self.sink.push(found));
    }

    /// Adds the sender to the context of a step.
    fn sent_by(&mut self, actor: &Name, context: &mut Object) {
        let fields = self.session.members.iter();
        let mut fields = fields.flat_map(|member| &member.machine.context);
        if fields.any(|field| field.name == ACTOR_FIELD) {
            context.insert(ACTOR_FIELD, actor.node.as_str());
        } else {
            self.sink.push(unread_actor(actor));
        }
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
        let class = self.class(written)?;
        Some(Call {
            what,
            class,
            with,
            plan_id,
            expect_revision: written
                .expect_revision
                .map(|number| number.node.unsigned_abs()),
        })
    }

    /// Returns the class of a call to a host tool: the class as written, or the only class that calls to the tool can
    /// have. Calls to any host tool may have the class `guard`, which is built in.
    #[expect(clippy::option_option, reason = "a problem, or a call without a class")]
    fn class(&mut self, written: &ast::Call) -> Option<Option<String>> {
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
        if !calls_a_host_tool(self.session, written) {
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
            (Some(class), _) if class.node == GUARD || possible.contains(&class.as_str()) => {
                Some(Some(class.node.clone()))
            }
            (None, [only]) => Some(Some((*only).to_owned())),
            (Some(class), _) => {
                let message = format!("no call to `{}` has the class `{}`", tool.node, class.node);
                let found = Diagnostic::new(Code::PM0102, class.span, message);
                let known: Vec<&str> = possible.iter().copied().chain([GUARD]).collect();
                let mut found = found.did_you_mean(&class.node, known.iter().copied());
                if found.help.is_empty() {
                    let known = known.join("`, `");
                    let help = format!("the classes of calls to `{}` are `{known}`", tool.node);
                    found = found.help(help);
                }
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

    pub(super) fn member(&mut self, name: &str, span: Span) -> Option<usize> {
        let found = self.session.position(name);
        if found.is_none() {
            let found = self.unknown_machine(name, span);
            self.sink.push(found);
        }
        found
    }

    pub(super) fn unknown_machine(&self, name: &str, span: Span) -> Diagnostic {
        let message = format!("unknown machine `{name}`");
        let known = self.session.members.iter();
        let known = known.map(|member| member.name.as_str());
        Diagnostic::new(Code::PM0102, span, message).did_you_mean(name, known)
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
}
