//! Resolves the bare names inside expressions.

use super::parts::truth;
use super::{Item, RecordAccess, Scope, Typing};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{FieldId, StateId, TypeId};
use crate::source::Span;

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
        // If a state and an enum value have the same name, the name means the state in a condition, and the enum value
        // in a comparison.
        if let (Some(state), Some(Type::Bool)) = (state, wanted) {
            return truth(ExprKind::InState(state), span);
        }
        if let Some(value) = self.enum_value(name, span, wanted) {
            return value;
        }
        if let Some(state) = state {
            return truth(ExprKind::InState(state), span);
        }
        self.unknown_name(name, span, wanted)
    }

    /// Resolves names that are defined by the language itself.
    fn word(&mut self, name: &str, span: Span, scope: &Scope) -> Option<Expr> {
        Some(match name {
            "now" => Expr::new(ExprKind::Now, Type::Time, span),
            "none" => truth(ExprKind::InState(StateId::NONE), span),
            "final" => truth(ExprKind::IsFinal, span),
            "item" => match &scope.item {
                Item::Of(ty) => narrowed(
                    Expr::new(ExprKind::Item, ty.clone(), span),
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
                Item::Of(_) => Expr::new(ExprKind::Index, Type::Int, span),
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
                Expr::new(ExprKind::AllData, Type::Data, span)
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
        Expr::new(ExprKind::Plans(condition.map(Box::new)), Type::Plans, span)
    }

    /// Reports an attempt to read the record in a position where there is no record.
    pub(super) fn needs_record(&mut self, name: &str, span: Span, scope: &Scope) -> Option<Expr> {
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
        narrowed(Expr::new(kind, ty, span), scope)
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
        self.sink.push_unknown(found, name);
        Expr::error(span)
    }
}

pub(super) fn enum_literal(id: TypeId, place: usize, span: Span) -> Expr {
    let value = Value::Enum(u32::try_from(place).unwrap_or(u32::MAX));
    Expr::new(ExprKind::Value(value), Type::Enum(id), span)
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
    Expr::new(ExprKind::Proved(Box::new(expr)), ty, span)
}
