//! The token of the content that a person reviews; the content is written piece by piece into a digest.

use proc_macro2::TokenStream;
use quote::quote;

use super::names;
use super::record::member_key;
use crate::model::FieldId;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type};

/// Returns the function `token`, which combines the edition with a digest of the reviewed content. The digested object
/// has the same structure as the data.
pub(super) fn token(machine: &Machine) -> TokenStream {
    let paths: Vec<Vec<FieldId>> = machine
        .review
        .iter()
        .map(|path| {
            std::iter::once(path.field)
                .chain(path.parts.iter().copied())
                .collect()
        })
        .collect();
    let paths: Vec<&[FieldId]> = paths.iter().map(Vec::as_slice).collect();
    let members = members(machine, &machine.data, &paths, &quote!(record.data));
    quote! {
        /// Returns the token of the part of a record that a person reviews.
        fn token(record: &Record) -> rt::Token {
            let mut digester = rt::Digester::default();
            let out = &mut digester;
            #members
            digester.token(record.edition)
        }
    }
}

/// Returns code that digests an object with the fields at which the paths start; the keys are sorted at compile time.
fn members(
    machine: &Machine,
    fields: &[Field],
    paths: &[&[FieldId]],
    owner: &TokenStream,
) -> TokenStream {
    let mut kept: Vec<(usize, &Field)> = fields
        .iter()
        .enumerate()
        .filter(|(at, _)| {
            paths
                .iter()
                .any(|path| path.first() == Some(&FieldId::at(*at)))
        })
        .collect();
    kept.sort_by(|(_, one), (_, other)| one.name.encode_utf16().cmp(other.name.encode_utf16()));
    let written = kept.into_iter().map(|(at, field)| {
        let inner = paths
            .iter()
            .filter(|path| path.first() == Some(&FieldId::at(at)));
        let inner: Vec<&[FieldId]> = inner.map(|path| &path[1..]).collect();
        let (key, name) = (member_key(field), names::field(&field.name));
        let value = value(machine, field.ty.required(), &inner);
        if field.ty.is_optional() {
            quote!(if let Some(value) = &#owner.#name {
                let out = members.key(#key);
                #value
            })
        } else {
            quote!({
                let value = &#owner.#name;
                let out = members.key(#key);
                #value
            })
        }
    });
    quote! {
        let mut members = rt::Members::begin(out);
        #(#written)*
        members.end();
    }
}

/// Returns code that digests the parts of the variable `value` that the paths select; an empty path selects the whole
/// value.
fn value(machine: &Machine, ty: &Type, paths: &[&[FieldId]]) -> TokenStream {
    if paths.iter().any(|path| path.is_empty()) {
        return quote!(rt::Value::digest(value, out););
    }
    match ty {
        Type::List(item) => {
            let item = value_of_item(machine, item, paths);
            quote!(rt::digest_list(value, out, |value, out| { #item });)
        }
        Type::Record(id) => members(
            machine,
            machine.type_def(*id).fields(),
            paths,
            &quote!(value),
        ),
        _ => quote!(rt::Value::digest(value, out);),
    }
}

fn value_of_item(machine: &Machine, item: &Type, paths: &[&[FieldId]]) -> TokenStream {
    value(machine, item.required(), paths)
}
