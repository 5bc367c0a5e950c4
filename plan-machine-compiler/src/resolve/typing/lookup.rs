//! Resolves the names inside expressions.

use plan_machine_kernel::step::ACTOR_FIELD;

use super::{Item, RecordAccess, Scope, Typing};
use crate::diagnostic::{Code, Diagnostic, Loss};
use crate::model::expr::{Expr, ExprKind, ListedPart, PlanPart};
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::model::{FieldId, StateId, TypeId};
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
    /// Resolves a bare name.
    pub(super) fn name(
        &mut self,
        name: &str,
        span: Span,
        wanted: Option<&Type>,
        scope: &Scope,
    ) -> Expr {
        if let Some(special) = self.word(name, span, scope) {
            return special;
        }
        let field = self
            .machine
            .data
            .iter()
            .position(|field| field.name == name);
        if let Some(field) = field.map(FieldId::at) {
            return self.data(field, span, scope);
        }
        let wanted = wanted.map(Type::required);
        let state = self.machine.state_named(name);
        // A bare state name is an atom in a condition, but an enum value in a comparison.
        if let (Some(state), Some(Type::Bool)) = (state, wanted) {
            return atom(ExprKind::InState(state), span);
        }
        if let Some(value) = self.enum_value(name, span, wanted) {
            return value;
        }
        if let Some(state) = state {
            return atom(ExprKind::InState(state), span);
        }
        self.unknown_name(name, span, wanted)
    }

    /// Resolves names that are defined by the language itself.
    fn word(&mut self, name: &str, span: Span, scope: &Scope) -> Option<Expr> {
        Some(match name {
            "now" => Expr {
                kind: ExprKind::Now,
                ty: Type::Time,
                span,
            },
            "none" => atom(ExprKind::InState(StateId::NONE), span),
            "final" => atom(ExprKind::IsFinal, span),
            "item" => match &scope.item {
                Item::Of(ty) => narrowed(
                    Expr {
                        kind: ExprKind::Item,
                        ty: ty.clone(),
                        span,
                    },
                    scope,
                ),
                Item::Listed => self.report(
                    Code::PM0401,
                    span,
                    "a listed plan cannot be read as a whole: read one of its fields, such as `item.id`",
                ),
                Item::None => self.report(
                    Code::PM0102,
                    span,
                    "`item` is defined only inside a list operation",
                ),
            },
            "index" => match &scope.item {
                Item::Of(_) => Expr {
                    kind: ExprKind::Index,
                    ty: Type::Int,
                    span,
                },
                _ => self.report(
                    Code::PM0102,
                    span,
                    "`index` is defined only inside a list operation",
                ),
            },
            "data" => {
                if let Some(error) = self.needs_record("data", span, scope) {
                    return Some(error);
                }
                Expr {
                    kind: ExprKind::AllData,
                    ty: Type::Data,
                    span,
                }
            }
            "plans" => self.plans(None, span, scope),
            "event" | "context" | "plan" => self.report(
                Code::PM0401,
                span,
                format!("`{name}` cannot be read as a whole: read one of its fields, `{name}.…`"),
            ),
            _ => return None,
        })
    }

    /// Resolves `plans`, the session's records.
    pub(super) fn plans(&mut self, condition: Option<Expr>, span: Span, scope: &Scope) -> Expr {
        if !scope.plans {
            let message = "`plans` can be read only in a `reply`";
            let help = "a step depends only on its own record; use `max_live` to limit the number of live plans";
            self.sink
                .push(Diagnostic::new(Code::PM0508, span, message).help(help));
            return Expr::error(span);
        }
        Expr {
            kind: ExprKind::Plans(condition.map(Box::new)),
            ty: Type::Plans,
            span,
        }
    }

    /// Reports an attempt to read the record in a position where there is no record.
    fn needs_record(&mut self, name: &str, span: Span, scope: &Scope) -> Option<Expr> {
        if scope.record == RecordAccess::Whole {
            return None;
        }
        let message = format!("there is no plan yet, so `{name}` cannot be read here");
        let found = Diagnostic::new(Code::PM0402, span, message)
            .help("in `none`, conditions and changes cannot read a plan; `emit` and `reply` read the new plan");
        self.sink.push(found);
        Some(Expr::error(span))
    }

    fn data(&mut self, field: FieldId, span: Span, scope: &Scope) -> Expr {
        let declared = self.machine.field(field);
        let (name, ty) = (declared.name.clone(), declared.ty.clone());
        if let Some(error) = self.needs_record(&name, span, scope) {
            return error;
        }
        let kind = ExprKind::Data(field);
        narrowed(Expr { kind, ty, span }, scope)
    }

    /// Resolves an enum value by its bare name: a value of the expected enum, or of the only enum that has this value.
    fn enum_value(&mut self, name: &str, span: Span, wanted: Option<&Type>) -> Option<Expr> {
        let place = |id: TypeId| {
            let mut values = self.machine.type_def(id).values().iter();
            values.position(|value| value == name)
        };
        if let Some(Type::Enum(id)) = wanted
            && let Some(place) = place(*id)
        {
            return Some(enum_literal(*id, place, span));
        }
        let ids = (0..self.machine.types.len()).map(TypeId::at);
        let having: Vec<(TypeId, usize)> = ids.filter_map(|id| Some((id, place(id)?))).collect();
        match having[..] {
            [] => None,
            [(id, place)] => Some(enum_literal(id, place, span)),
            _ => {
                let names: Vec<String> = having
                    .iter()
                    .map(|(id, _)| format!("`{}.{name}`", self.machine.type_def(*id).name))
                    .collect();
                let message = format!("several enums have the value `{name}`");
                let help = format!("write {}", names.join(" or "));
                self.sink
                    .push(Diagnostic::new(Code::PM0102, span, message).help(help));
                Some(Expr::error(span))
            }
        }
    }

    fn unknown_name(&mut self, name: &str, span: Span, wanted: Option<&Type>) -> Expr {
        let mut known: Vec<&str> = Vec::new();
        if let Some(Type::Enum(id)) = wanted {
            known.extend(
                self.machine
                    .type_def(*id)
                    .values()
                    .iter()
                    .map(String::as_str),
            );
        }
        known.extend(self.machine.data.iter().map(|field| field.name.as_str()));
        if wanted.is_none_or(|wanted| *wanted == Type::Bool) {
            known.extend(self.machine.states.iter().map(|state| state.name.as_str()));
        }
        for ty in &self.machine.types {
            known.extend(ty.values().iter().map(String::as_str));
        }
        known.extend(["event", "context", "plan", "now"]);
        let message = format!("unknown name `{name}`");
        let mut found = Diagnostic::new(Code::PM0102, span, message)
            .did_you_mean_one_of(self.sink, name, known);
        if found.help.is_empty() {
            found =
                found.help("a string needs quotes; a field of the payload is written `event.…`");
        }
        self.sink.push(found);
        Expr::error(span)
    }

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
            let message = "there is no `event` here: entry actions, exit actions and invariants can read only the plan";
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
            self.sink.push(carried(found, event, &member.node));
            return Expr::error(span);
        };
        let ty = event.input[place].ty.clone();
        let kind = ExprKind::Event(FieldId::at(place));
        narrowed(Expr { kind, ty, span }, scope)
    }

    /// Resolves `event.actor`, the sender of a command.
    fn actor(&mut self, event: &Event, member: &Name, span: Span) -> Option<Expr> {
        if !matches!(event.kind, EventKind::Command(_)) {
            let message = format!(
                "the event `{}` has no `event.actor`: only commands have a sender with a name",
                event.name
            );
            let help = "store `event.actor` in the data when a command is handled, or declare a value of the host under `context`";
            let found = Diagnostic::new(Code::PM0307, member.span, message).help(help);
            self.sink.push(found);
            return Some(Expr::error(span));
        }
        let mut fields = self.machine.context.iter();
        let place = fields.position(|field| field.name == ACTOR_FIELD)?;
        *self.reads_actor = true;
        Some(Expr {
            kind: ExprKind::Context(FieldId::at(place)),
            ty: Type::Text,
            span,
        })
    }

    fn context_field(&mut self, member: &Name, span: Span, scope: &Scope) -> Expr {
        // The field for `event.actor`, which is the last one, can be read only by that name.
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
            let message = "a timer has no context: no host sends it";
            return self.report(Code::PM0512, span, message);
        }
        let ty = fields[place].ty.clone();
        let kind = ExprKind::Context(FieldId::at(place));
        narrowed(Expr { kind, ty, span }, scope)
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
        narrowed(Expr { kind, ty, span }, scope)
    }

    fn listed_part(&mut self, member: &Name, span: Span) -> Expr {
        let listed = |part, ty| Expr {
            kind: ExprKind::Listed(part),
            ty,
            span,
        };
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
        let found = Diagnostic::new(Code::PM0102, member.span, message).did_you_mean_one_of(
            self.sink,
            &member.node,
            known,
        );
        self.sink.push(found);
        Expr::error(span)
    }

    fn record_field(&mut self, base: Expr, member: &Name, span: Span, scope: &Scope) -> Expr {
        let id = match &base.ty {
            Type::Record(id) => *id,
            Type::Unknown => return Expr::error(span),
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
        narrowed(Expr { kind, ty, span }, scope)
    }

    fn no_field(&mut self, what: &str, fields: &[Field], member: &Name, span: Span) -> Expr {
        let message = format!("{what} has no field `{}`", member.node);
        let known = fields.iter().map(|field| field.name.as_str());
        let found = Diagnostic::new(Code::PM0102, member.span, message).did_you_mean_one_of(
            self.sink,
            &member.node,
            known,
        );
        self.sink.push(found);
        Expr::error(span)
    }
}

fn atom(kind: ExprKind, span: Span) -> Expr {
    Expr {
        kind,
        ty: Type::Bool,
        span,
    }
}

fn enum_literal(id: TypeId, place: usize, span: Span) -> Expr {
    let value = Value::Enum(u32::try_from(place).unwrap_or(u32::MAX));
    Expr {
        kind: ExprKind::Value(value),
        ty: Type::Enum(id),
        span,
    }
}

/// Turns an optional that is proved to be set here into a plain value.
pub(super) fn narrowed(expr: Expr, scope: &Scope) -> Expr {
    let Type::Optional(inner) = &expr.ty else {
        return expr;
    };
    if !scope.facts.prove(&expr) {
        return expr;
    }
    let ty = (**inner).clone();
    let span = expr.span;
    Expr {
        kind: ExprKind::Proved(Box::new(expr)),
        ty,
        span,
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
    let help = || format!("the number of items or characters is a helper: write `len({of})`");
    (is_length && is_counted).then(help)
}
