//! Code for values that must be built: records, lists, and strings with placeholders.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::names;
use super::super::types::{Class, class};
use super::super::values::start;
use super::Scope;
use crate::model::expr::{Expr, ExprKind, Part};
use crate::model::types::Type;

impl Scope<'_> {
    /// Returns code that moves a field out of the payload instead of cloning it, if nothing else reads the field.
    pub(super) fn taken_out(&self, expr: &Expr) -> Option<TokenStream> {
        if let ExprKind::Proved(inner) = &expr.kind {
            let inner = self.taken_out(inner)?;
            return Some(quote!(#inner.ok_or(rt::Fault::Unset)?));
        }
        let ExprKind::Event(field) = expr.kind else {
            return None;
        };
        let has_default =
            expr.ty.is_optional() || matches!(expr.ty, Type::Text | Type::List(_) | Type::Json);
        if !self.taken.contains(&field) || !has_default || class(&expr.ty) == Class::Copied {
            return None;
        }
        let place = self.place(expr)?;
        Some(quote!(::core::mem::take(&mut #place)))
    }

    pub(super) fn record_value(&self, fields: &[Option<Expr>], ty: &Type) -> TokenStream {
        let Type::Record(id) = ty.required() else {
            return self.object(fields, ty);
        };
        let name = names::of_type(self.machine, *id);
        let declared = self.machine.type_def(*id).fields();
        let names = declared.iter().map(|field| names::field(&field.name));
        let values = declared
            .iter()
            .zip(fields)
            .map(|(field, value)| match value {
                Some(expr) => self.kept_as(expr, &field.ty),
                None => start(self.machine, field),
            });
        quote!(types::#name { #(#names: #values),* })
    }

    pub(super) fn list_value(&self, items: &[Expr], ty: &Type) -> TokenStream {
        let Type::List(item) = ty.required() else {
            return quote!(Vec::new());
        };
        if matches!(**item, Type::Shape(_) | Type::Data | Type::Plans) {
            let items = items.iter().map(|item| self.json(item));
            return quote!(::std::vec![#(#items),*]);
        }
        if items.is_empty() {
            return quote!(Vec::new());
        }
        let items = items.iter().map(|value| self.kept_as(value, item));
        quote!(::std::vec![#(#items),*])
    }

    /// Returns code that builds a string from its parts.
    pub(super) fn template(&self, parts: &[Part]) -> TokenStream {
        let mut pattern = String::new();
        let mut arguments = Vec::new();
        for part in parts {
            match part {
                Part::Literal(text) => {
                    pattern.push_str(&text.replace('{', "{{").replace('}', "}}"));
                }
                Part::Expr(expr) => {
                    pattern.push_str("{}");
                    arguments.push(self.shown(expr));
                }
            }
        }
        if arguments.is_empty() {
            let text = pattern.replace("{{", "{").replace("}}", "}");
            return quote!(String::from(#text));
        }
        let text = quote!(::std::format!(#pattern, #(#arguments),*));
        if self.stores && parts.iter().any(Part::is_unbounded) {
            quote!(rt::stored_text(#text)?)
        } else {
            text
        }
    }

    /// Returns code for a value as part of a string; lists, records and JSON are shown as canonical JSON.
    pub(super) fn shown(&self, expr: &Expr) -> TokenStream {
        match &expr.ty {
            Type::Text | Type::Int | Type::Bool | Type::Time | Type::Id => self.lent(expr),
            Type::Enum(_) => {
                let value = self.lent(expr);
                quote!(#value.as_str())
            }
            _ => {
                let json = self.json(expr);
                quote!(#json.canonical())
            }
        }
    }

    /// Returns code for the string that an expression evaluates to, as an owned string.
    pub(in super::super) fn text(&self, expr: &Expr) -> TokenStream {
        if let ExprKind::Template(parts) = &expr.kind {
            self.template(parts)
        } else {
            let shown = self.shown(expr);
            quote!(#shown.to_string())
        }
    }
}
