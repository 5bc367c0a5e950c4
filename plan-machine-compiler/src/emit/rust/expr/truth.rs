//! Conditions as Rust code.

use proc_macro2::TokenStream;
use quote::quote;

use super::Scope;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Is};
use crate::model::types::Type;

impl Scope<'_> {
    /// Returns code that evaluates a condition to a `bool`.
    pub(in super::super) fn truth(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::Not(inner) => {
                let inner = self.truth(inner);
                quote!(!(#inner))
            }
            ExprKind::Binary(op, left, right) => self.compare(*op, left, right, expr),
            ExprKind::Is(inner, asked, negated) => {
                let holds = self.is(inner, *asked);
                if *negated { quote!(!(#holds)) } else { holds }
            }
            ExprKind::In(inner, items) => {
                let equal = items.iter().map(|item| self.equal(inner, item));
                let equal: Vec<TokenStream> = equal.collect();
                if equal.is_empty() {
                    quote!(false)
                } else {
                    quote!((#(#equal)||*))
                }
            }
            ExprKind::InState(state) => self.is_one_of(&self.machine.leaves_under(*state)),
            ExprKind::IsFinal => {
                let finals = self.machine.leaves();
                let finals: Vec<_> = finals.filter(|leaf| self.machine.is_final(*leaf)).collect();
                self.is_one_of(&finals)
            }
            // Only invariants ask about gating, and no code is emitted for a spec with errors.
            ExprKind::Gate(..) | ExprKind::Error => quote!(false),
            _ => self.lent(expr),
        }
    }

    fn compare(&self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> TokenStream {
        let both = || (self.truth(left), self.truth(right));
        let sign = match op {
            BinaryOp::And => {
                let (left, right) = both();
                return quote!((#left && #right));
            }
            BinaryOp::Or => {
                let (left, right) = both();
                return quote!((#left || #right));
            }
            BinaryOp::Implies => {
                let (left, right) = both();
                return quote!((!(#left) || #right));
            }
            BinaryOp::Equal => return self.equal(left, right),
            BinaryOp::NotEqual => {
                let equal = self.equal(left, right);
                return quote!(!(#equal));
            }
            BinaryOp::Less => quote!(<),
            BinaryOp::LessEqual => quote!(<=),
            BinaryOp::Greater => quote!(>),
            BinaryOp::GreaterEqual => quote!(>=),
            BinaryOp::Coalesce | BinaryOp::Add | BinaryOp::Subtract => return self.lent(whole),
        };
        let (left, right) = (self.lent(left), self.lent(right));
        quote!((#left #sign #right))
    }

    fn equal(&self, left: &Expr, right: &Expr) -> TokenStream {
        if [left, right].iter().any(|side| has_shape(&side.ty)) {
            let (left, right) = (self.json(left), self.json(right));
            return quote!((#left == #right));
        }
        let (left, right) = (self.lent(left), self.lent(right));
        quote!((#left == #right))
    }

    fn is(&self, inner: &Expr, asked: Is) -> TokenStream {
        // A `Proved` optional must not fail if the condition tests whether the optional is set.
        let inner = match (&inner.kind, asked) {
            (ExprKind::Proved(optional), Is::Set) => optional,
            _ => inner,
        };
        if let (ExprKind::Plans(filter), Is::Empty) = (&inner.kind, asked) {
            let counted = self.count_plans(filter.as_deref(), None);
            return quote!((#counted.0 == 0));
        }
        let value = self.lent(inner);
        match asked {
            Is::Set => quote!(#value.is_some()),
            Is::Empty => quote!(#value.is_empty()),
            Is::Blank => quote!(#value.trim().is_empty()),
        }
    }
}

fn has_shape(ty: &Type) -> bool {
    match ty {
        Type::Shape(_) => true,
        Type::List(item) | Type::Optional(item) => has_shape(item),
        _ => false,
    }
}
