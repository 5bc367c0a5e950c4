//! Resolves the fields inside expressions: `base.member`.

use plan_machine_kernel::step::ACTOR_FIELD;

use super::names::{enum_literal, narrowed};
use super::{Item, RecordAccess, Scope, Typing};
use crate::diagnostic::{Code, Diagnostic, Loss};
use crate::model::expr::{Expr, ExprKind, ListedPart, PlanPart};
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::types::{Field, Type};
use crate::model::{FieldId, TypeId};
use crate::source::Span;
use crate::syntax::ast::{self, Name};

const PLAN_PARTS: [(&str, PlanPart); 6] = [
    ("id", PlanPart::Id),
    ("revision", PlanPart::Revision),
    ("edition", PlanPart::Edition),
    ("token", PlanPart::Token),
    ("state", PlanPart::State),
    ("previous", PlanPart::Previous),
];

impl Typing<'_> {
    /// Resolves `base.member`.
    pub(super) fn member(&mut self, base: &ast::Expr, member: &Name, scope: &Scope) -> Expr {
        let span = base.span.to(member.span);
        if let ast::ExprKind::Name(name) = &base.node {
            match name.as_str() {
                "event" => return self.event_field(member, span, scope),
                "context" => return self.context_field(member, span, scope),
                "plan" => return self.plan_part(member, span, scope),
                "item" if scope.item == Item::Listed => return self.listed_part(member, span),
                _ => {}
            }
            let is_field = self.machine.data.iter().any(|field| field.name == *name);
            let declared = self.machine.types.iter().position(|ty| ty.name == *name);
            if let (Some(id), false) = (declared.map(TypeId::at), is_field) {
                return self.qualified_value(id, member, span);
            }
        }
        let base = self.infer(base, None, scope);
        let base = self.proved(base);
        self.record_field(base, member, span, scope)
    }

    fn event_field(&mut self, member: &Name, span: Span, scope: &Scope) -> Expr {
        let Some(event) = scope.event else {
            let message = "there is no `event` here: entry actions, exit actions and invariants cannot read the event";
            let help = "store the value in the data, or `emit` the effect in the transition";
            self.sink
                .push(Diagnostic::new(Code::PM0508, span, message).help(help));
            return Expr::error(span);
        };
        let event = self.machine.event(event);
        let found = event
            .input
            .iter()
            .position(|field| field.name == member.node);
        let Some(place) = found else {
            if member.node == "actor"
                && let Some(actor) = self.actor(event, member, span)
            {
                return actor;
            }
            if event.input.is_empty() && self.sink.lacks(&[Loss::Text]) {
                // The event may have a field that could not be read.
                return Expr::error(span);
            }
            let message = format!("the event `{}` has no field `{}`", event.name, member.node);
            let known = event.input.iter().map(|field| field.name.as_str());
            let found = Diagnostic::new(Code::PM0307, member.span, message).did_you_mean_one_of(
                self.sink,
                &member.node,
                known,
            );
            let found = carried(found, event, &member.node);
            self.sink.push_unknown(found, &member.node);
            return Expr::error(span);
        };
        let ty = event.input[place].ty.clone();
        let kind = ExprKind::Event(FieldId::at(place));
        narrowed(Expr::new(kind, ty, span), scope)
    }

    /// Resolves `event.actor`, the sender of a command.
    fn actor(&mut self, event: &Event, member: &Name, span: Span) -> Option<Expr> {
        if !matches!(event.kind, EventKind::Command(_)) {
            let message = format!(
                "the event `{}` has no `event.actor`: only commands have a sender with a name",
                event.name
            );
            let help = "store `event.actor` in the data when a command is handled, or declare the value under \
                `context`, which the host sends with every event (timers cannot read it)";
            let found = Diagnostic::new(Code::PM0307, member.span, message).help(help);
            self.sink.push(found);
            return Some(Expr::error(span));
        }
        let mut fields = self.machine.context.iter();
        let place = fields.position(|field| field.name == ACTOR_FIELD)?;
        *self.reads_actor = true;
        Some(Expr::new(
            ExprKind::Context(FieldId::at(place)),
            Type::Text,
            span,
        ))
    }

    fn context_field(&mut self, member: &Name, span: Span, scope: &Scope) -> Expr {
        // If a handler reads `event.actor`, the last field of the context contains the sender. Expressions can read
        // this field only as `event.actor`.
        let fields = match &self.machine.context[..] {
            [declared @ .., last] if last.name == ACTOR_FIELD => declared,
            declared => declared,
        };
        let Some(place) = fields.iter().position(|field| field.name == member.node) else {
            return self.no_field("the context", fields, member, span);
        };
        if scope
            .event
            .is_some_and(|event| self.machine.timer(event).is_some())
        {
            let message = "a timer has no context: only commands, signals and tool calls have one";
            return self.report(Code::PM0512, span, message);
        }
        let ty = fields[place].ty.clone();
        let kind = ExprKind::Context(FieldId::at(place));
        narrowed(Expr::new(kind, ty, span), scope)
    }

    fn plan_part(&mut self, member: &Name, span: Span, scope: &Scope) -> Expr {
        let found = PLAN_PARTS.iter().find(|(name, _)| *name == member.node);
        let Some((name, part)) = found else {
            let message = format!("`plan` has no field `{}`", member.node);
            let known = PLAN_PARTS.iter().map(|(name, _)| *name);
            let found = Diagnostic::new(Code::PM0102, member.span, message)
                .did_you_mean_one_of(self.sink, &member.node, known)
                .help("a data field is written as its bare name, without `plan.`");
            self.sink.push(found);
            return Expr::error(span);
        };
        let only_id = scope.record == RecordAccess::IdOnly && *part == PlanPart::Id;
        if !only_id && let Some(error) = self.needs_record(&format!("plan.{name}"), span, scope) {
            return error;
        }
        let ty = match part {
            PlanPart::Id => Type::Id,
            PlanPart::Revision | PlanPart::Edition => Type::Int,
            PlanPart::Token | PlanPart::State => Type::Text,
            PlanPart::Previous => Type::Id.optional(),
        };
        let kind = ExprKind::Plan(*part);
        narrowed(Expr::new(kind, ty, span), scope)
    }

    fn listed_part(&mut self, member: &Name, span: Span) -> Expr {
        let listed = |part, ty| Expr::new(ExprKind::Listed(part), ty, span);
        match member.as_str() {
            "id" => return listed(ListedPart::Id, Type::Id),
            "state" => return listed(ListedPart::State, Type::Text),
            "revision" => return listed(ListedPart::Revision, Type::Int),
            _ => {}
        }
        let fields = self.machine.summary.iter();
        for field in fields {
            let declared = self.machine.field(*field);
            if declared.name == member.node {
                return listed(ListedPart::Field(*field), declared.ty.clone());
            }
        }
        let message = format!("`{}` is not available for a plan in a list", member.node);
        let summary = self.machine.summary.iter();
        let known = summary.map(|field| self.machine.field(*field).name.as_str());
        let found = Diagnostic::new(Code::PM0102, member.span, message)
            .did_you_mean_one_of(
                self.sink,
                &member.node,
                known.chain(["id", "state", "revision"]),
            )
            .help("a plan in a list has `id`, `state`, `revision` and the fields in `summary`");
        self.sink.push(found);
        Expr::error(span)
    }

    fn qualified_value(&mut self, id: TypeId, member: &Name, span: Span) -> Expr {
        let ty = self.machine.type_def(id);
        let mut values = ty.values().iter();
        if let Some(place) = values.position(|value| *value == member.node) {
            return enum_literal(id, place, span);
        }
        let message = format!("`{}` has no value `{}`", ty.name, member.node);
        let known = ty.values().iter().map(String::as_str);
        self.unknown_member(message, known, member, span)
    }

    fn record_field(&mut self, base: Expr, member: &Name, span: Span, scope: &Scope) -> Expr {
        let id = match &base.ty {
            Type::Record(id) => *id,
            Type::Unknown => return Expr::error(span),
            Type::Data => return self.prefixed_field(member, span),
            other => {
                let message = format!(
                    "the type `{}` has no fields, so there is no field `{}`",
                    crate::model::shown_type(self.machine, other),
                    member.node
                );
                let mut found = Diagnostic::new(Code::PM0401, span, message);
                found.help.extend(length_help(self.machine, &base, member));
                self.sink.push(found);
                return Expr::error(span);
            }
        };
        let fields = self.machine.type_def(id).fields();
        let Some(place) = fields.iter().position(|field| field.name == member.node) else {
            let what = format!("the record `{}`", self.machine.type_def(id).name);
            return self.no_field(&what, fields, member, span);
        };
        let ty = fields[place].ty.clone();
        let kind = ExprKind::Member(Box::new(base), FieldId::at(place));
        narrowed(Expr::new(kind, ty, span), scope)
    }

    fn no_field(&mut self, what: &str, fields: &[Field], member: &Name, span: Span) -> Expr {
        let message = format!("{what} has no field `{}`", member.node);
        let known = fields.iter().map(|field| field.name.as_str());
        self.unknown_member(message, known, member, span)
    }

    /// Reports `data.x`: fields of the data are named without a prefix.
    fn prefixed_field(&mut self, member: &Name, span: Span) -> Expr {
        let name = &member.node;
        let message = format!("expected the name of a field of the data, found `data.{name}`");
        let mut found = Diagnostic::new(Code::PM0401, span, message);
        if self.machine.data.iter().any(|field| field.name == *name) {
            found = found.help(format!("write `{name}` without `data.`"));
        }
        self.sink.push(found);
        Expr::error(span)
    }

    fn unknown_member<'k>(
        &mut self,
        message: String,
        known: impl IntoIterator<Item = &'k str>,
        member: &Name,
        span: Span,
    ) -> Expr {
        let found = Diagnostic::new(Code::PM0102, member.span, message).did_you_mean_one_of(
            self.sink,
            &member.node,
            known,
        );
        self.sink.push_unknown(found, &member.node);
        Expr::error(span)
    }
}

/// Adds help that lists the fields of an event and shows how to declare more.
fn carried(found: Diagnostic, event: &Event, missing: &str) -> Diagnostic {
    let names: Vec<String> = event
        .input
        .iter()
        .map(|field| format!("`event.{}`", field.name))
        .collect();
    let carries = match &names[..] {
        [] => "the event has no fields".to_owned(),
        [name] => format!("the event has only the field {name}"),
        names => format!("the event has the fields {}", names.join(", ")),
    };
    match event.kind {
        EventKind::External | EventKind::Other | EventKind::Timer(_) => found.help(carries),
        EventKind::Command(_) => found.also(event.span, "declared here").help(format!(
            "{carries}; to add an argument, write `{{{missing}}}` in the command's text"
        )),
        EventKind::Tool { .. } | EventKind::Signal => found
            .also(event.span, "declared here")
            .help(format!("{carries}; declare more fields under `input`")),
    }
}

/// Returns help for a length that is written like a field, as in other languages.
fn length_help(machine: &Machine, of: &Expr, member: &Name) -> Option<String> {
    let is_length = ["length", "len", "size", "count"].contains(&member.node.as_str());
    let is_counted = matches!(of.ty.required(), Type::List(_) | Type::Text);
    let of = match &of.kind {
        ExprKind::Data(field) => machine.field(*field).name.as_str(),
        _ => "…",
    };
    let help =
        || format!("the helper `len` returns the number of items or characters: write `len({of})`");
    (is_length && is_counted).then(help)
}
