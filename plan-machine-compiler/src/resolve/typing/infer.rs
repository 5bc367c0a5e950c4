//! Infers the types of expressions.

use plan_machine_kernel::time::Instant;

use super::names::narrowed;
use super::parts::{Written, truth};
use super::{Item, Scope, Typing};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::EventId;
use crate::model::expr::{Expr, ExprKind, Helper, Is, Part, Quantifier};
use crate::model::machine::EventKind;
use crate::model::shown_type;
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::ast::{self, Name};

impl Typing<'_> {
    /// Types an expression; `wanted` is the expected type, which is used if the expression alone does not determine its
    /// type.
    pub(super) fn infer(
        &mut self,
        written: &ast::Expr,
        wanted: Option<&Type>,
        scope: &Scope,
    ) -> Expr {
        let span = written.span;
        let literal = |value, ty| Expr::new(ExprKind::Value(value), ty, span);
        match &written.node {
            ast::ExprKind::Int(number) => literal(Value::Int(*number), Type::Int),
            ast::ExprKind::Bool(truth) => literal(Value::Bool(*truth), Type::Bool),
            ast::ExprKind::Text(text) => self.text(text, span, wanted),
            ast::ExprKind::Template(parts) => self.template(parts, span, scope),
            ast::ExprKind::Name(name) => self.name(name, span, wanted, scope),
            ast::ExprKind::Member(base, member) => self.member(base, member, scope),
            ast::ExprKind::Index(list, index) => self.at(list, index, span, scope),
            ast::ExprKind::Call(function, arguments) => self.call(function, arguments, span, scope),
            ast::ExprKind::Not(inner) => {
                let inner = self.condition(inner, scope);
                truth(ExprKind::Not(Box::new(inner)), span)
            }
            ast::ExprKind::Binary(op, left, right) => {
                let operation = Written {
                    op: *op,
                    left,
                    right,
                    span,
                };
                self.binary(operation, wanted, scope)
            }
            ast::ExprKind::Is(inner, asked, negated) => {
                self.is(inner, *asked, *negated, span, scope)
            }
            ast::ExprKind::In(inner, items) => self.membership(inner, items, span, scope),
            ast::ExprKind::Quantified(quantifier, list, condition) => {
                self.quantified(*quantifier, list, condition, span, scope)
            }
            ast::ExprKind::Filtered(_, condition) => {
                let mut listed = scope.clone();
                listed.item = Item::Listed;
                listed.facts.forget_item();
                let condition = self.condition(condition, &listed);
                self.plans(Some(condition), span, scope)
            }
            ast::ExprKind::Gate(gate, tool) => self.gate(*gate, tool, span, scope),
            ast::ExprKind::Record(entries) => self.record(entries, span, wanted, scope),
            ast::ExprKind::List(items) => self.list(items, span, wanted, scope),
        }
    }

    /// Types a string. If an id or an instant is expected, the string is read as such a value.
    fn text(&mut self, text: &str, span: Span, wanted: Option<&Type>) -> Expr {
        let literal = |value, ty| Expr::new(ExprKind::Value(value), ty, span);
        match wanted.map(Type::required) {
            Some(Type::Id) => literal(Value::text(text), Type::Id),
            Some(Type::Time) => match Instant::parse(text) {
                Ok(instant) => literal(Value::Time(instant), Type::Time),
                Err(reason) => self.report(Code::PM0401, span, reason),
            },
            _ => literal(Value::text(text), Type::Text),
        }
    }

    fn template(&mut self, parts: &[ast::Part], span: Span, scope: &Scope) -> Expr {
        let parts = parts
            .iter()
            .map(|part| match part {
                ast::Part::Literal(text) => Part::Literal(text.clone()),
                ast::Part::Expr(expr) => Part::Expr(self.any(expr, scope)),
            })
            .collect();
        Expr::new(ExprKind::Template(parts), Type::Text, span)
    }

    fn at(&mut self, list: &ast::Expr, index: &ast::Expr, span: Span, scope: &Scope) -> Expr {
        let list = self.any(list, scope);
        let index = self.expect(index, &Type::Int, scope);
        let item = match &list.ty {
            Type::List(item) => (**item).clone(),
            Type::Unknown => return Expr::error(span),
            other => {
                let message = format!("`{}` is not a list", shown_type(self.machine, other));
                return self.report(Code::PM0401, list.span, message);
            }
        };
        let kind = ExprKind::At(Box::new(list), Box::new(index));
        let ty = item.optional();
        narrowed(Expr::new(kind, ty, span), scope)
    }

    fn call(
        &mut self,
        function: &Name,
        arguments: &[ast::Expr],
        span: Span,
        scope: &Scope,
    ) -> Expr {
        let found = Helper::ALL.iter().find(|(name, _)| *name == function.node);
        let Some((name, helper)) = found else {
            let message = format!("unknown helper `{}`", function.node);
            let known = Helper::ALL.iter().map(|(name, _)| *name);
            let found = Diagnostic::new(Code::PM0102, function.span, message).did_you_mean_one_of(
                self.sink,
                &function.node,
                known.clone(),
            );
            let found = if found.help.is_empty() {
                let names: Vec<String> = known.map(|name| format!("`{name}`")).collect();
                found.help(format!("the helpers are {}", names.join(", ")))
            } else {
                found
            };
            self.sink.push(found);
            return Expr::error(span);
        };
        if !helper.is_available() {
            let message = format!("`{name}` needs the `markdown` feature of plan-machine");
            let found = Diagnostic::new(Code::PM0102, function.span, message).help(
                "add `features = [\"markdown\"]` to the dependency on `plan-machine` in Cargo.toml",
            );
            self.sink.push(found);
            return Expr::error(span);
        }
        let (count, ty) = match helper {
            Helper::Len => (1, Type::Int),
            Helper::Section => (2, Type::Text.optional()),
            Helper::WithSection => (3, Type::Text),
            Helper::IsComplete => (1, Type::Bool),
        };
        if arguments.len() != count {
            let message = format!(
                "wrong number of arguments for `{name}`: expected {count}, found \
                {}",
                arguments.len()
            );
            return self.report(Code::PM0401, span, message);
        }
        let arguments = arguments
            .iter()
            .map(|argument| match helper {
                Helper::Len => self.measured(argument, scope),
                _ => self.expect(argument, &Type::Text, scope),
            })
            .collect();
        let kind = ExprKind::Call(*helper, arguments);
        narrowed(Expr::new(kind, ty, span), scope)
    }

    /// Types an operand that must be a string or a list.
    fn measured(&mut self, written: &ast::Expr, scope: &Scope) -> Expr {
        let found = self.any(written, scope);
        match found.ty {
            Type::Text | Type::List(_) | Type::Plans | Type::Unknown => found,
            _ => {
                let message = format!(
                    "expected a string or a list, found `{}`",
                    shown_type(self.machine, &found.ty)
                );
                self.report(Code::PM0401, found.span, message)
            }
        }
    }

    fn is(
        &mut self,
        inner: &ast::Expr,
        asked: Is,
        negated: bool,
        span: Span,
        scope: &Scope,
    ) -> Expr {
        let inner = match asked {
            Is::Set => {
                let found = self.infer(inner, None, scope);
                let known = matches!(found.kind, ExprKind::Proved(_));
                if !found.ty.is_optional() && !known && found.ty != Type::Unknown {
                    let message = "this value is always set, so there is nothing to test";
                    return self.report(Code::PM0401, found.span, message);
                }
                found
            }
            Is::Empty => self.measured(inner, scope),
            Is::Blank => self.expect(inner, &Type::Text, scope),
        };
        truth(ExprKind::Is(Box::new(inner), asked, negated), span)
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        list: &ast::Expr,
        condition: &ast::Expr,
        span: Span,
        scope: &Scope,
    ) -> Expr {
        let list = self.any(list, scope);
        let item = match &list.ty {
            Type::List(item) => Item::Of((**item).clone()),
            Type::Plans => Item::Listed,
            Type::Unknown => Item::Of(Type::Unknown),
            other => {
                let message = format!("`{}` is not a list", shown_type(self.machine, other));
                return self.report(Code::PM0401, list.span, message);
            }
        };
        let mut inside = scope.clone();
        inside.item = item;
        inside.facts.forget_item();
        let condition = self.condition(condition, &inside);
        let ty = match quantifier {
            Quantifier::Count => Type::Int,
            _ => Type::Bool,
        };
        let kind = ExprKind::Quantified(quantifier, Box::new(list), Box::new(condition));
        Expr::new(kind, ty, span)
    }

    fn gate(
        &mut self,
        gate: crate::operators::Gate,
        tool: &Name,
        span: Span,
        scope: &Scope,
    ) -> Expr {
        if !scope.gates {
            return self.report(
                Code::PM0401,
                span,
                "only an invariant can test what a state does with a tool or an event",
            );
        }
        // Any event can be accepted; the other claims are about tools.
        let any = gate == crate::operators::Gate::Accepts;
        let tools = || {
            self.machine.events.iter().filter(|event| {
                any || !matches!(event.kind, EventKind::Command(_) | EventKind::Signal)
            })
        };
        if !tools().any(|event| event.name == tool.node) {
            let what = if any { "event" } else { "tool" };
            let message = format!("unknown {what} `{}`", tool.node);
            let known = tools().map(|event| event.name.as_str());
            let found = Diagnostic::new(Code::PM0102, tool.span, message)
                .did_you_mean_one_of(self.sink, &tool.node, known);
            self.sink.push_unknown(found, &tool.node);
            return Expr::error(span);
        }
        let place = self
            .machine
            .events
            .iter()
            .position(|event| event.name == tool.node);
        truth(ExprKind::Gate(gate, EventId::at(place.unwrap_or(0))), span)
    }

    fn list(
        &mut self,
        items: &[ast::Expr],
        span: Span,
        wanted: Option<&Type>,
        scope: &Scope,
    ) -> Expr {
        let wanted = match wanted.map(Type::required) {
            Some(Type::List(item)) => Some(&**item),
            Some(Type::Json) => Some(&Type::Json),
            _ => None,
        };
        let mut item = wanted.cloned();
        let mut typed = Vec::new();
        for written in items {
            let found = match &item {
                Some(ty) => self.expect(written, ty, scope),
                None => self.any(written, scope),
            };
            item.get_or_insert_with(|| found.ty.clone());
            typed.push(found);
        }
        Expr::new(
            ExprKind::List(typed),
            Type::List(Box::new(item.unwrap_or(Type::Unknown))),
            span,
        )
    }

    /// Types a map of values: a record of the required type or, in a reply or a `json` value, a map with its own shape.
    fn record(
        &mut self,
        entries: &[(Name, ast::Expr)],
        span: Span,
        wanted: Option<&Type>,
        scope: &Scope,
    ) -> Expr {
        match wanted.map(Type::required) {
            Some(Type::Record(id)) => {
                let def = self.machine.type_def(*id);
                let what = format!("the record `{}`", def.name);
                let fields = self.fields(&what, def.fields(), entries, span, scope);
                Expr::new(ExprKind::Record(fields), Type::Record(*id), span)
            }
            None | Some(Type::Json | Type::Unknown) => {
                let mut shape = Vec::new();
                let mut fields = Vec::new();
                // Inside a value of type JSON, types may be mixed.
                let inner = wanted.map(Type::required).filter(|ty| **ty == Type::Json);
                for (name, written) in entries {
                    let found = self.infer(written, inner, scope);
                    shape.push((name.node.clone(), found.ty.clone()));
                    fields.push(Some(found));
                }
                Expr::new(ExprKind::Record(fields), Type::Shape(shape), span)
            }
            Some(other) => {
                let message = format!(
                    "expected `{}`, found a map",
                    shown_type(self.machine, other)
                );
                self.report(Code::PM0401, span, message)
            }
        }
    }

    /// Types values for declared fields, in the order of the declaration. Optionals and fields with a default may be
    /// omitted and get their initial value; lists in an effect or a record must not be omitted.
    pub(in crate::resolve) fn fields(
        &mut self,
        what: &str,
        declared: &[Field],
        entries: &[(Name, ast::Expr)],
        span: Span,
        scope: &Scope,
    ) -> Vec<Option<Expr>> {
        for (name, _) in entries {
            if !declared.iter().any(|field| field.name == name.node) {
                let message = format!("{what} has no field `{}`", name.node);
                let known = declared.iter().map(|field| field.name.as_str());
                let found = Diagnostic::new(Code::PM0102, name.span, message)
                    .did_you_mean_one_of(self.sink, &name.node, known);
                self.sink.push_unknown(found, &name.node);
            }
        }
        let mut missing = Vec::new();
        let values = declared
            .iter()
            .map(|field| {
                let written = entries.iter().find(|(name, _)| name.node == field.name);
                let must = !field.ty.is_optional() && field.ty != Type::Unknown;
                if written.is_none() && field.default.is_none() && must {
                    missing.push(format!("`{}`", field.name));
                }
                written.map(|(_, value)| self.expect(value, &field.ty, scope))
            })
            .collect();
        if !missing.is_empty() {
            let message = format!("{what} needs a value for {}", missing.join(", "));
            let help = "only optional fields and fields with a `default` can be omitted";
            self.sink
                .push(Diagnostic::new(Code::PM0401, span, message).help(help));
        }
        values
    }
}
