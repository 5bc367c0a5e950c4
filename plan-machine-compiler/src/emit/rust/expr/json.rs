//! Expressions as JSON: replies that define their own shape, fields that accept any JSON, and lists of plans.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::types::{Class, class};
use super::Scope;
use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Type;

impl Scope<'_> {
    /// Returns code for the value as JSON; an unset value is `null`.
    pub(in super::super) fn json(&self, expr: &Expr) -> TokenStream {
        match &expr.kind {
            ExprKind::AllData => {
                let record = self.record();
                return quote!(rt::Value::encode(&#record.data));
            }
            ExprKind::Plans(filter) => return self.listed_plans(filter.as_deref()),
            ExprKind::Record(fields) if matches!(expr.ty, Type::Shape(_)) => {
                return self.object(fields, &expr.ty);
            }
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.json(item));
                return quote!(rt::Json::List(::std::vec![#(#items),*]));
            }
            ExprKind::ToJson(inner) => return self.json(inner),
            _ => {}
        }
        let value = self.lent(expr);
        match &expr.ty {
            Type::Optional(inner) => {
                let encoded = encoded(&quote!(value), inner);
                quote!(#value.map_or(rt::Json::Null, |value| #encoded))
            }
            ty => encoded(&value, ty),
        }
    }

    /// Returns code for the value for a field that accepts any JSON; an optional stays optional.
    pub(super) fn to_json(&self, inner: &Expr) -> TokenStream {
        let Type::Optional(ty) = &inner.ty else {
            let json = self.json(inner);
            let grows = self.stores && inner.is_put_together();
            return if grows {
                quote!(rt::stored_json(#json)?)
            } else {
                json
            };
        };
        let value = self.lent(inner);
        let encoded = encoded(&quote!(value), ty);
        quote!(#value.map(|value| #encoded))
    }

    /// Returns code that builds an object that exists only in a reply; unset fields are omitted.
    pub(super) fn object(&self, fields: &[Option<Expr>], ty: &Type) -> TokenStream {
        let Type::Shape(shape) = ty.required() else {
            return quote!(rt::Json::Null);
        };
        let pushed = shape
            .iter()
            .zip(fields.iter().flatten())
            .map(|((name, _), value)| {
                if let Type::Optional(inner) = &value.ty {
                    let lent = self.lent(value);
                    let encoded = encoded(&quote!(value), inner);
                    quote!(if let Some(value) = #lent { object.push(#name, #encoded); })
                } else {
                    let json = self.json(value);
                    quote!(object.push(#name, #json);)
                }
            });
        quote!({
            let mut object = rt::Object::new();
            #(#pushed)*
            rt::Json::Object(object)
        })
    }
}

/// Returns code that converts a borrowed value to JSON.
fn encoded(lent: &TokenStream, ty: &Type) -> TokenStream {
    match (class(ty), ty) {
        (Class::Text, _) => quote!(rt::Json::from(#lent)),
        (Class::Copied, _) => quote!(rt::Value::encode(&#lent)),
        (Class::List, _) => quote!(rt::encode_all(#lent)),
        (Class::Borrowed, Type::Json) => quote!((#lent).clone()),
        (Class::Borrowed, _) => quote!(rt::Value::encode(#lent)),
    }
}
