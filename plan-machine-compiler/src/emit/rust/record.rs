//! Structs with fields: records, data, payloads and the context. The generated code has the same form for all of them.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs;
use super::names;
use super::types::kept;
use super::values::start;
use crate::lower::bounds::bounded;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type};

/// Returns the expression for a field of `self`.
pub(super) fn of_self(field: &Field) -> TokenStream {
    let name = names::field(&field.name);
    quote!(self.#name)
}

/// Returns the expression for a field that a pattern has bound.
pub(super) fn bound(field: &Field) -> TokenStream {
    let name = names::read(&field.name);
    quote!(*#name)
}

/// Returns the definition of a struct; `here` is the path from the struct's module to the machine's module.
pub(super) fn definition(
    machine: &Machine,
    name: &TokenStream,
    fields: &[Field],
    doc: &str,
    here: &TokenStream,
) -> TokenStream {
    let doc = docs::doc(doc);
    let fields = fields.iter().map(|field| {
        let doc = docs::doc(&docs::of_field(field));
        let name = names::field(&field.name);
        let ty = kept(machine, &field.ty, here);
        quote!(#doc pub #name: #ty)
    });
    quote! {
        #doc
        #[derive(Clone, Debug, PartialEq)]
        pub struct #name { #(#fields,)* }
    }
}

/// Returns the code that reads, writes, checks and digests a struct. In `stored` data, missing lists get their initial
/// value: a payload must contain its lists, but an old record may lack them.
pub(super) fn value_impl(
    machine: &Machine,
    path: &TokenStream,
    fields: &[Field],
    stored: bool,
) -> TokenStream {
    let encode = encode(fields, of_self);
    let decode = decode(machine, fields, stored);
    let names = fields.iter().map(|field| names::field(&field.name));
    let read = fields.iter().map(|field| names::read(&field.name));
    let digest = digest(fields);
    let bounds = bounds(machine, fields);
    quote! {
        #[automatically_derived]
        impl rt::Value for #path {
            #bounds
            fn encode(&self) -> rt::Json {
                let mut object = rt::Object::new();
                #encode
                rt::Json::Object(object)
            }
            fn decode(json: &rt::Json, at: &rt::ValuePath<'_>, problems: &mut rt::Problems) -> Option<Self> {
                let object = rt::object(json, at, problems)?;
                #decode
                Some(Self { #(#names: #read?),* })
            }
            fn digest(&self, out: &mut rt::Digester) {
                #digest
            }
        }
    }
}

/// Returns code that adds fields to the object in the variable `object`; unset fields are omitted. `owner` returns the
/// place expression of a field.
pub(super) fn encode(fields: &[Field], owner: impl Fn(&Field) -> TokenStream) -> TokenStream {
    let pushed = fields.iter().map(|field| {
        let (key, place) = (&field.name, owner(field));
        if field.ty.is_optional() {
            quote!(if let Some(value) = &#place { object.push(#key, rt::Value::encode(value)); })
        } else {
            quote!(object.push(#key, rt::Value::encode(&#place));)
        }
    });
    quote!(#(#pushed)*)
}

/// Returns code that reads each field from the variable `object` into its own variable.
pub(super) fn decode(machine: &Machine, fields: &[Field], stored: bool) -> TokenStream {
    let keys = fields.iter().map(|field| &field.name);
    let read = fields.iter().map(|field| {
        let (key, name) = (&field.name, names::read(&field.name));
        let bounds = bounds_of(field);
        let default = field.default.is_some() || (stored && matches!(field.ty, Type::List(_)));
        let value = if default && !field.ty.is_optional() {
            let start = start(machine, field);
            quote!(rt::or_else(object, #key, #bounds, at, problems, || #start))
        } else if field.default.is_some() {
            let start = start(machine, field);
            quote!(rt::optional(object, #key, #bounds, at, problems).map(|value| value.or_else(|| #start)))
        } else if field.ty.is_optional() {
            quote!(rt::optional(object, #key, #bounds, at, problems))
        } else {
            quote!(rt::required(object, #key, #bounds, at, problems))
        };
        quote!(let #name = #value;)
    });
    quote! {
        rt::known(object, &[#(#keys),*], at, problems);
        #(#read)*
    }
}

/// Returns code for the bounds of a field.
pub(super) fn bounds_of(field: &Field) -> TokenStream {
    match (field.max, field.nonblank) {
        (None, false) => quote!(rt::Bounds::NONE),
        (None, true) => quote!(rt::Bounds::NONE.and_not_blank()),
        (Some(max), false) => quote!(rt::Bounds::at_most(#max)),
        (Some(max), true) => quote!(rt::Bounds::at_most(#max).and_not_blank()),
    }
}

/// Returns the key of a field in canonical JSON, followed by a colon; names in a spec never need escaping.
pub(super) fn member_key(field: &Field) -> String {
    format!("\"{}\":", field.name)
}

/// Returns code that digests canonical JSON. The keys are sorted at compile time, so that creating a token does not
/// sort anything.
fn digest(fields: &[Field]) -> TokenStream {
    let mut sorted: Vec<&Field> = fields.iter().collect();
    sorted.sort_by(|one, other| one.name.encode_utf16().cmp(other.name.encode_utf16()));
    let members = sorted.into_iter().map(|field| {
        let (key, name) = (member_key(field), names::field(&field.name));
        if field.ty.is_optional() {
            quote!(if let Some(value) = &self.#name { members.member(#key, value); })
        } else {
            quote!(members.member(#key, &self.#name);)
        }
    });
    quote! {
        let mut members = rt::Members::begin(out);
        #(#members)*
        members.end();
    }
}

fn bounds(machine: &Machine, fields: &[Field]) -> TokenStream {
    if !bounded(machine, fields) {
        return TokenStream::new();
    }
    let checks = checks(machine, fields, of_self);
    quote! {
        const BOUNDED: bool = true;
        fn inner_bounds(&self, at: &rt::ValuePath<'_>, problems: &mut rt::Problems) {
            #checks
        }
    }
}

/// Returns code that checks the fields that have bounds, or that contain values with bounds.
pub(super) fn checks(
    machine: &Machine,
    fields: &[Field],
    owner: impl Fn(&Field) -> TokenStream,
) -> TokenStream {
    let checks = fields
        .iter()
        .filter(|field| bounded(machine, std::slice::from_ref(field)));
    let checks = checks.map(|field| {
        let (key, place) = (&field.name, owner(field));
        check(field, &quote!(&#place), &quote!(&at.field(#key)))
    });
    quote!(#(#checks)*)
}

/// Returns code that checks one value; `value` is the code of a reference to it.
pub(super) fn check(field: &Field, value: &TokenStream, at: &TokenStream) -> TokenStream {
    let bounds = bounds_of(field);
    if field.ty.is_optional() {
        quote!(if let Some(value) = #value { rt::Value::check(value, #bounds, #at, problems); })
    } else {
        quote!(rt::Value::check(#value, #bounds, #at, problems);)
    }
}
