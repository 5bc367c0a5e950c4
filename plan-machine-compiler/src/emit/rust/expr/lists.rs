//! Expressions on lists, and on the plans of the session.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::types::{Class, class};
use super::{Code, Scope};
use crate::lower::faults::can_fail;
use crate::model::expr::{Expr, ExprKind, Quantifier};
use crate::model::types::Type;

impl Scope<'_> {
    /// Returns the code for `list[i]`.
    pub(super) fn at(&self, list: &Expr, index: &Expr) -> Code {
        let item = match list.ty.required() {
            Type::List(item) => &**item,
            other => other,
        };
        let position = self.lent(index);
        let found = |list: TokenStream| quote!(rt::item_at(#list, #position));
        match self.code(list) {
            Code::Borrowed(list) => {
                let found = found(list);
                Code::Borrowed(match class(item) {
                    Class::Copied => quote!(#found.copied()),
                    Class::Text => quote!(#found.map(String::as_str)),
                    Class::List => quote!(#found.map(Vec::as_slice)),
                    Class::Borrowed => found,
                })
            }
            Code::Owned(list) => {
                let found = found(quote!((#list).as_slice()));
                Code::Owned(quote!(#found.cloned()))
            }
        }
    }

    /// Returns the code for `len(x)`.
    pub(super) fn length(&self, of: &Expr) -> TokenStream {
        if let ExprKind::Plans(filter) = &of.kind {
            let count = self.count_plans(filter.as_deref(), None);
            return quote!(rt::length(#count.0));
        }
        let value = self.lent(of);
        if of.ty.required() == &Type::Text {
            quote!(rt::length(#value.chars().count()))
        } else {
            quote!(rt::length(#value.len()))
        }
    }

    /// Returns the code for `any list where condition` and similar expressions.
    pub(super) fn quantified(
        &self,
        quantifier: Quantifier,
        list: &Expr,
        condition: &Expr,
    ) -> TokenStream {
        if let ExprKind::Plans(filter) = &list.kind {
            let counted = self.count_plans(filter.as_deref(), Some(condition));
            return judged(quantifier, &counted);
        }
        let list = self.lent(list);
        let holds = self.clone().storing(false).truth(condition);
        if can_fail(condition) {
            let counted = quote!({
                let items = #list;
                let mut found = 0_usize;
                for (item, index) in items.iter().zip(0_i64..) {
                    found += usize::from(#holds);
                }
                (found, items.len())
            });
            return judged(quantifier, &counted);
        }
        let mut indexed = false;
        condition.walk(&mut |inner| indexed |= inner.kind == ExprKind::Index);
        let (items, item) = if indexed {
            (quote!(#list.iter().zip(0_i64..)), quote!((item, index)))
        } else {
            (quote!(#list.iter()), quote!(item))
        };
        match quantifier {
            Quantifier::Any => quote!(#items.any(|#item| #holds)),
            Quantifier::Every => quote!(#items.all(|#item| #holds)),
            Quantifier::No => quote!(!#items.any(|#item| #holds)),
            Quantifier::Count => {
                quote!(rt::length(#items.map(|#item| usize::from(#holds)).sum::<usize>()))
            }
        }
    }

    fn listing(&self) -> Self {
        Self {
            listed: true,
            stores: false,
            ..self.clone()
        }
    }

    /// Returns code that counts the listed plans that satisfy a condition, and all listed plans.
    pub(super) fn count_plans(
        &self,
        filter: Option<&Expr>,
        condition: Option<&Expr>,
    ) -> TokenStream {
        let inside = self.listing();
        let filter = filter.map(|filter| {
            let holds = inside.truth(filter);
            quote!(if !(#holds) { continue; })
        });
        let holds = condition.map_or(quote!(true), |condition| inside.truth(condition));
        quote!({
            let (mut found, mut all) = (0_usize, 0_usize);
            for listed in &plans {
                #filter
                all += 1;
                found += usize::from(#holds);
            }
            (found, all)
        })
    }

    /// Returns the code for `plans`: the id, state, revision and summary of each plan.
    pub(super) fn listed_plans(&self, filter: Option<&Expr>) -> TokenStream {
        let inside = self.listing();
        let filter = filter.map(|filter| {
            let holds = inside.truth(filter);
            quote!(if !(#holds) { continue; })
        });
        quote!({
            let mut all = Vec::new();
            for listed in &plans {
                #filter
                all.push(rt::listed(listed));
            }
            rt::Json::List(all)
        })
    }
}

/// Returns code for the result of a quantifier, given code for the number of items found and the total number.
fn judged(quantifier: Quantifier, counted: &TokenStream) -> TokenStream {
    match quantifier {
        Quantifier::Any => quote!((#counted.0 > 0)),
        Quantifier::Every => quote!({
            let (found, all) = #counted;
            found == all
        }),
        Quantifier::No => quote!((#counted.0 == 0)),
        Quantifier::Count => quote!(rt::length(#counted.0)),
    }
}
