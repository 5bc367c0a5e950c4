//! Converts a session document to the model by resolving every name.
//!
//! Guarantees after this pass: all ids point into the tables of the session and of its machines; an invariant or a
//! scenario that could not be resolved has been reported and is left out.

mod claims;
mod expect;
mod names;
mod parts;
mod scenarios;
mod subjects;

use std::sync::Arc;

use plan_machine_kernel::session::CommandPrefix;

use super::ast::Document;
use super::called::CalledTool;
use super::model::{Invariant, Member, Property, Session, SessionCalls, Subject};
use crate::calls::examples_exceed;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::prove::situations::Questions;
use crate::syntax::ast::{self, Name};
use crate::syntax::expr::WORDS;

/// Words, apart from the keywords of expressions, that have another meaning where the name of a machine could appear.
const RESERVED: [&str; 22] = [
    "always",
    "after",
    "by",
    "can",
    "changes",
    "context",
    "data",
    "emits",
    "emitted",
    "event",
    "final",
    "index",
    "item",
    "never",
    "none",
    "now",
    "only",
    "other_tools",
    "plan",
    "plans",
    "reach",
    "session",
];

/// Resolves a document whose machines have been loaded.
pub(super) fn resolve(
    document: &Arc<Document>,
    members: Vec<Member>,
    calls: Option<SessionCalls>,
    sink: &mut Sink,
) -> Session {
    let name = document.name.as_ref();
    let mut session = Session {
        name: name.map_or_else(String::new, |name| name.node.clone()),
        span: name.map(|name| name.span).unwrap_or_default(),
        doc: document.doc.as_ref().map(|doc| doc.node.clone()),
        members,
        calls,
        examples: Vec::new(),
        prefix: prefix(document.prefix.as_ref(), sink),
        invariants: Vec::new(),
        scenarios: Vec::new(),
        document: Arc::clone(document),
    };
    reserved(document, sink);
    // If a machine or the calls document is missing, every use of its names would be reported again.
    let is_whole = session.members.len() == document.machines.len()
        && session.calls.is_some() == document.calls.is_some();
    if is_whole {
        sink.set_aside(true);
        session.invariants = invariants(&session, document, sink);
        session.scenarios = scenarios::resolve(&session, document, sink);
        session.examples = scenarios::examples(&session, document);
        sink.set_aside(false);
        if let Some(calls) = &session.calls
            && examples_exceed(&calls.calls.document, &session.examples, sink)
        {
            session.examples.clear();
        }
    }
    session
}

fn prefix(written: Option<&Name>, sink: &mut Sink) -> CommandPrefix {
    let Some(written) = written else {
        return CommandPrefix::default();
    };
    CommandPrefix::parse(&written.node).unwrap_or_else(|cause| {
        let help = "for example, `commands: { prefix: \".\" }` lets people type `.plan on`";
        let found = Diagnostic::new(Code::PM0107, written.span, cause.to_string());
        sink.push(found.help(help));
        CommandPrefix::default()
    })
}

fn reserved(document: &Document, sink: &mut Sink) {
    for machine in &document.machines {
        let name = machine.name.as_str();
        if RESERVED.contains(&name) || WORDS.contains(&name) {
            let message = format!(
                "`{name}` is a reserved word in conditions, so it cannot be the name of a machine"
            );
            let help = format!("use another name, such as `the_{name}`");
            let found = Diagnostic::new(Code::PM0105, machine.name.span, message);
            sink.push(found.help(help));
        }
    }
}

/// Resolves the names of one invariant.
struct Resolver<'a> {
    session: &'a Session,
    sink: &'a mut Sink,
    questions: Vec<Questions>,
    tools: Vec<CalledTool>,
}

fn invariants(session: &Session, document: &Document, sink: &mut Sink) -> Vec<Invariant> {
    let mut all = Vec::new();
    for written in &document.invariants {
        let mut resolver = Resolver {
            session,
            sink,
            questions: vec![Questions::default(); session.members.len()],
            tools: Vec::new(),
        };
        let Some(property) = resolver.property(&written.property) else {
            continue;
        };
        all.push(Invariant {
            name: written.name.node.clone(),
            span: written.property.span,
            text: written.text.clone(),
            property,
            questions: resolver.questions,
            tools: resolver.tools,
        });
    }
    all
}

impl Resolver<'_> {
    fn property(&mut self, written: &crate::source::Spanned<ast::Property>) -> Option<Property> {
        match &written.node {
            ast::Property::Always(expr) => Some(Property::Always(self.claim(expr)?)),
            ast::Property::Never(expr) => Some(Property::Never(self.claim(expr)?)),
            ast::Property::OnlyIn(event, expr) => {
                let subject = self.subject(event);
                let claim = self.claim(expr);
                Some(Property::OnlyIn(subject?, claim?))
            }
            ast::Property::OnlyBy(expr, by) => {
                let claim = self.claim(expr);
                let by: Vec<_> = by.iter().map(|event| self.cause(event)).collect();
                Some(Property::OnlyBy(
                    claim?,
                    by.into_iter().collect::<Option<_>>()?,
                ))
            }
            _ => {
                let message = "this form of invariant is not supported in a session";
                let help = "a session supports `always E`, `never E`, `EVENT only in E` and `E only by EVENT`, where `E` is a condition; put an invariant that concerns only one machine into the spec of that machine";
                let found = Diagnostic::new(Code::PM1103, written.span, message);
                self.sink.push(found.help(help));
                None
            }
        }
    }

    /// Resolves an event that may make a condition true. If a machine steps because of its entry
    /// for a tool, it does so for every class of the call; if it steps because of its entry for a
    /// class, it does so for every tool. In a session with a calls document, only events of
    /// machines can therefore be causes.
    fn cause(&mut self, event: &Name) -> Option<Subject> {
        let subject = self.subject(event)?;
        if let (Subject::HostTool(_), Some(_)) = (&subject, &self.session.calls) {
            let message =
                "in a session with a calls document, `only by` cannot name host tools or classes";
            let help = "name events of machines, or state the condition with `MACHINE.EVENT only in CONDITION`";
            let found = Diagnostic::new(Code::PM1103, event.span, message);
            self.sink.push(found.help(help));
            return None;
        }
        Some(subject)
    }

    /// Returns the names of the machines.
    fn machines(&self) -> impl Iterator<Item = &str> {
        self.session
            .members
            .iter()
            .map(|member| member.name.as_str())
    }

    /// Returns the index of a machine; an unknown name is reported.
    fn member(&mut self, name: &str, span: crate::source::Span) -> Option<usize> {
        let found = self.session.position(name);
        if found.is_none() {
            let message = format!("unknown machine `{name}`");
            let found = Diagnostic::new(Code::PM0102, span, message);
            let found = found.did_you_mean(name, self.machines());
            self.sink.push(found);
        }
        found
    }
}
