//! Types of the spec as types of Rust, and how values of them are lent and kept.

use proc_macro2::TokenStream;
use quote::quote;

use super::names;
use crate::model::machine::Machine;
use crate::model::types::Type;

/// How values of a type are handled in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Copied: numbers, truth values, instants, enums.
    Copied,
    /// Lent as `&str`, kept as `String`.
    Text,
    /// Lent as a slice, kept as `Vec`.
    List,
    /// Lent by reference, kept by cloning: identities, records, JSON.
    Lent,
}

/// How values of a type are handled; an optional is handled as what it holds.
pub(super) fn class(ty: &Type) -> Class {
    match ty.required() {
        Type::Int | Type::Bool | Type::Time | Type::Enum(_) => Class::Copied,
        Type::Text => Class::Text,
        Type::List(_) => Class::List,
        _ => Class::Lent,
    }
}

/// The type of a field; written so that no name of a spec can come between.
pub(super) fn kept(machine: &Machine, ty: &Type, here: &TokenStream) -> TokenStream {
    match ty {
        Type::Text => quote!(::std::string::String),
        Type::Int => quote!(i64),
        Type::Bool => quote!(bool),
        Type::Time => quote!(#here rt::Instant),
        Type::Id => quote!(#here rt::Id),
        Type::List(item) => {
            let item = kept(machine, item, here);
            quote!(::std::vec::Vec<#item>)
        }
        Type::Optional(inner) => {
            let inner = kept(machine, inner, here);
            quote!(::core::option::Option<#inner>)
        }
        Type::Enum(id) | Type::Record(id) => {
            let name = names::of_type(machine, *id);
            quote!(#here types::#name)
        }
        _ => quote!(#here rt::Json),
    }
}

/// The type of an accessor that lends a field.
pub(super) fn lent(machine: &Machine, ty: &Type) -> TokenStream {
    if let Type::Optional(inner) = ty {
        let inner = lent(machine, inner);
        return quote!(Option<#inner>);
    }
    match (class(ty), ty) {
        (Class::Text, _) => quote!(&str),
        (Class::List, Type::List(item)) => {
            let item = kept(machine, item, &TokenStream::new());
            quote!(&[#item])
        }
        (Class::Copied, _) => kept(machine, ty, &TokenStream::new()),
        _ => {
            let kept = kept(machine, ty, &TokenStream::new());
            quote!(&#kept)
        }
    }
}

/// A place that holds a value, lent.
pub(super) fn lend(place: &TokenStream, ty: &Type) -> TokenStream {
    let optional = ty.is_optional();
    match class(ty) {
        Class::Copied => quote!(#place),
        Class::Text | Class::List if optional => quote!(#place.as_deref()),
        Class::Text => quote!(#place.as_str()),
        Class::List => quote!(#place.as_slice()),
        Class::Lent if optional => quote!(#place.as_ref()),
        Class::Lent => quote!(&#place),
    }
}

/// A value that is lent, kept.
pub(super) fn keep(lent: &TokenStream, ty: &Type) -> TokenStream {
    let optional = ty.is_optional();
    match class(ty) {
        Class::Copied => quote!(#lent),
        Class::Text if optional => quote!(#lent.map(str::to_owned)),
        Class::Text => quote!(#lent.to_owned()),
        Class::List if optional => quote!(#lent.map(<[_]>::to_vec)),
        Class::List => quote!(#lent.to_vec()),
        Class::Lent if optional => quote!(#lent.cloned()),
        Class::Lent => quote!((#lent).clone()),
    }
}
