//! Mutants of the fields of an effect: each is dropped or gets another value.

use super::Maker;
use super::place::remove;
use crate::model::types::Type;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{BinaryOp, Emit, Expr, ExprKind};

/// A change to one field: its location, its description, and the change itself.
type FieldChange = (Span, String, Box<dyn Fn(&mut Emit) + Send + Sync>);

impl Maker<'_> {
    /// Returns a change for each field of an effect. An optional field is dropped; any other field
    /// gets a value that differs from the original one. A field whose type offers no such value,
    /// such as a list, is not changed.
    pub(super) fn field_changes(&self, emit: &Emit) -> Vec<FieldChange> {
        let mut effects = self.machine.effects.iter();
        let Some(effect) = effects.find(|effect| effect.name == emit.effect.node) else {
            return Vec::new();
        };
        let mut changes: Vec<FieldChange> = Vec::new();
        for (at, (name, value)) in emit.fields.iter().enumerate() {
            let mut declared = effect.fields.iter();
            let Some(declared) = declared.find(|field| field.name == name.node) else {
                continue;
            };
            let of = format!("`{}` in `emit: {}`", name.node, emit.effect.node);
            if matches!(declared.ty, Type::Optional(_)) {
                let drop = move |emit: &mut Emit| remove(&mut emit.fields, at);
                changes.push((name.span, format!("drop {of}"), Box::new(drop)));
            } else if let Some(other) = other_value(value, &declared.ty) {
                let replace = move |emit: &mut Emit| {
                    if let Some((_, value)) = emit.fields.get_mut(at) {
                        *value = other.clone();
                    }
                };
                let change = format!("another value of {of}");
                changes.push((name.span, change, Box::new(replace)));
            }
        }
        changes
    }
}

/// Returns an expression whose value differs from the value of the given expression; `None` if the type offers no such
/// expression.
fn other_value(value: &Expr, ty: &Type) -> Option<Expr> {
    let made = |kind| Spanned::new(kind, value.span);
    Some(match ty {
        Type::Text | Type::Id => made(ExprKind::Text("another value".to_owned())),
        Type::Int => {
            let one = made(ExprKind::Int(1));
            let sum = ExprKind::Binary(BinaryOp::Add, Box::new(value.clone()), Box::new(one));
            made(sum)
        }
        Type::Bool => made(ExprKind::Not(Box::new(value.clone()))),
        _ => return None,
    })
}
