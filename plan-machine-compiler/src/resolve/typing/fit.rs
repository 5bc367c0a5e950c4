//! Checks whether a value of one type may be used where another type is expected.

use super::Typing;
use super::facts::mentions;
use crate::diagnostic::{Code, Diagnostic, SuspectKind};
use crate::model::expr::{Expr, ExprKind};
use crate::model::shown_type;
use crate::model::types::Type;
use crate::model::value::Value;

impl Typing<'_> {
    /// Converts the expression to a value of the required type.
    pub(super) fn fit(&mut self, found: Expr, wanted: &Type) -> Expr {
        if fits(&found.ty, wanted) {
            return found;
        }
        let wanted_value = wanted.required();
        if *wanted_value == Type::Json && !matches!(found.ty, Type::Unknown) {
            let optional = found.ty.is_optional();
            if optional && !wanted.is_optional() {
                let proved = self.proved(found);
                return self.fit(proved, wanted);
            }
            let span = found.span;
            let ty = if optional { wanted.clone() } else { Type::Json };
            let kind = ExprKind::ToJson(Box::new(found));
            return Expr::new(kind, ty, span);
        }
        if found.ty.is_optional() && !wanted.is_optional() && fits(found.ty.required(), wanted) {
            return self.proved(found);
        }
        self.mismatch(&found, wanted)
    }

    fn mismatch(&mut self, found: &Expr, wanted: &Type) -> Expr {
        let message = format!(
            "expected {}, found {}",
            described(&shown_type(self.machine, wanted)),
            described(&shown_type(self.machine, &found.ty)),
        );
        let found_here = Diagnostic::new(Code::PM0401, found.span, message);
        self.sink.push(match advice(found, wanted) {
            Some(help) => found_here.help(help),
            None => found_here,
        });
        Expr::error(found.span)
    }

    /// Converts the expression to a value that is certain to be set.
    pub(super) fn proved(&mut self, found: Expr) -> Expr {
        if !found.ty.is_optional() {
            return found;
        }
        let message = "this value may be unset here";
        let span = found.span;
        let diagnostic = Diagnostic::new(Code::PM0402, span, message)
            .label("an optional")
            .help("provide a fallback value with `??`");
        let diagnostic = match way_to_check(&found) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        };
        // A single step does not prove that the value is set, but the analysis of reachable states may.
        self.sink.suspect(diagnostic, SuspectKind::Read);
        let ty = found.ty.required().clone();
        let kind = ExprKind::Proved(Box::new(found));
        Expr::new(kind, ty, span)
    }
}

/// Returns help on where a check would prove that an optional is set; `None` if no check can prove it.
fn way_to_check(optional: &Expr) -> Option<&'static str> {
    if mentions(optional, |kind| matches!(kind, ExprKind::Listed(_))) {
        return None;
    }
    if mentions(optional, |kind| {
        matches!(kind, ExprKind::Item | ExprKind::Index)
    }) {
        return Some(
            "or check the value first, with `is set` in the condition of the list operation",
        );
    }
    Some(match optional.kind {
        // A state can promise only fields of the data.
        ExprKind::Event(_)
        | ExprKind::Context(_)
        | ExprKind::Plan(_)
        | ExprKind::Member(..)
        | ExprKind::At(..)
        | ExprKind::Call(..) => {
            "or check the value first, with `is set` in `when` or in an earlier requirement"
        }
        _ => {
            "or check the value first: with `is set` in `when` or in an earlier requirement, or with `has` on the state"
        }
    })
}

/// Returns help for common mistakes.
fn advice(found: &Expr, wanted: &Type) -> Option<&'static str> {
    match (&found.ty, wanted.required()) {
        (Type::Text, wanted) if *wanted != Type::Text && is_quoted(found) => Some(
            "a value in quotes is a string: write a value of the expected type, without quotes",
        ),
        (Type::Text, Type::Bool) => {
            Some("turn the string into a condition with `is not blank` or a comparison")
        }
        (Type::List(_), Type::Bool) => {
            Some("turn the list into a condition with `is not empty` or `any … where …`")
        }
        (Type::List(item), wanted) if **item == *wanted => {
            Some("this is a whole list, but a single value is expected")
        }
        (Type::List(_), Type::Int) => Some("`len(…)` counts the items"),
        (Type::Text, Type::Int) if !matches!(found.kind, ExprKind::Value(_)) => {
            Some("if this value comes from a field, declare that field as `int`")
        }
        _ => None,
    }
}

/// Returns whether a string was written as a literal: in quotes or in a block.
fn is_quoted(found: &Expr) -> bool {
    matches!(
        &found.kind,
        ExprKind::Value(Value::Text(_)) | ExprKind::Template(_)
    )
}

fn described(name: &str) -> String {
    if name.contains(' ') {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}

/// Returns whether every value of `found` is also a value of `wanted`.
pub(super) fn fits(found: &Type, wanted: &Type) -> bool {
    match (found, wanted) {
        (Type::Unknown, _) | (_, Type::Unknown) => true,
        (Type::Optional(found), Type::Optional(wanted))
        | (Type::List(found), Type::List(wanted)) => fits(found, wanted),
        (found, Type::Optional(wanted)) => fits(found, wanted),
        (Type::Shape(found), Type::Shape(wanted)) => {
            found.len() == wanted.len()
                && found
                    .iter()
                    .zip(wanted)
                    .all(|((a, found), (b, wanted))| a == b && fits(found, wanted))
        }
        (found, wanted) => found == wanted,
    }
}
