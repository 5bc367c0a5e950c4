//! The types of the spec as Rust types, and how their values are borrowed and owned.

use proc_macro2::TokenStream;
use quote::quote;

use super::names;
use crate::model::machine::Machine;
use crate::model::types::Type;

/// How values of a type are handled in generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Copied: numbers, booleans, instants and enums.
    Copied,
    /// Borrowed as `&str`, owned as `String`.
    Text,
    /// Borrowed as a slice, owned as `Vec`.
    List,
    /// Borrowed by reference, owned by cloning: ids, records and JSON.
    Borrowed,
}

/// Returns how values of a type are handled; an optional is handled like the type that it contains.
pub(super) fn class(ty: &Type) -> Class {
    match ty.required() {
        Type::Int | Type::Bool | Type::Time | Type::Enum(_) => Class::Copied,
        Type::Text => Class::Text,
        Type::List(_) => Class::List,
        _ => Class::Borrowed,
    }
}

/// Returns the Rust type of a field, written so that no name in a spec can shadow it.
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

/// Returns the return type of an accessor that borrows a field.
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

/// Returns code that borrows a value from its place expression.
pub(super) fn lend(place: &TokenStream, ty: &Type) -> TokenStream {
    let optional = ty.is_optional();
    match class(ty) {
        Class::Copied => quote!(#place),
        Class::Text | Class::List if optional => quote!(#place.as_deref()),
        Class::Text => quote!(#place.as_str()),
        Class::List => quote!(#place.as_slice()),
        Class::Borrowed if optional => quote!(#place.as_ref()),
        Class::Borrowed => quote!(&#place),
    }
}

/// Returns code that makes an owned copy of a borrowed value.
pub(super) fn keep(lent: &TokenStream, ty: &Type) -> TokenStream {
    let optional = ty.is_optional();
    match class(ty) {
        Class::Copied => quote!(#lent),
        Class::Text if optional => quote!(#lent.map(str::to_owned)),
        Class::Text => quote!(#lent.to_owned()),
        Class::List if optional => quote!(#lent.map(<[_]>::to_vec)),
        Class::List => quote!(#lent.to_vec()),
        Class::Borrowed if optional => quote!(#lent.cloned()),
        Class::Borrowed => quote!((#lent).clone()),
    }
}
