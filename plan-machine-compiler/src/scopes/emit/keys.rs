//! The generated code that creates keys: a pattern and a function for each level. No other part of the generated module
//! creates keys.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::words::{doc, ident, number};
use crate::model::names::{type_name, value_name};
use crate::scopes::model::{Level, RunPartId, Scopes, Segment};
use crate::scopes::names::id_type;

/// Returns a call that creates the key of a level from an identity and the ids that `id` returns.
pub(super) fn key_of(
    scopes: &Scopes,
    level: &Level,
    identity: &TokenStream,
    id: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let function = ident(&value_name(&level.name));
    let ids = level.ids().map(|part| id(&field(scopes, part.node)));
    quote!(key::#function(#identity #(, #ids)*))
}

/// Returns the name of an id, used for a field and a parameter.
pub(super) fn field(scopes: &Scopes, id: RunPartId) -> Ident {
    ident(&value_name(&scopes[id].name))
}

/// Returns the name of a level's pattern.
fn pattern_name(level: &Level) -> Ident {
    format_ident!("{}", value_name(&level.name).to_uppercase())
}

pub(super) fn keys(scopes: &Scopes) -> TokenStream {
    let patterns = scopes.levels.iter().map(|level| pattern(scopes, level));
    let functions = scopes.levels.iter().map(|level| function(scopes, level));
    let table = scopes.levels.iter().map(|level| {
        let variant = ident(&type_name(&level.name));
        let pattern = pattern_name(level);
        quote!((Level::#variant, #pattern))
    });
    let count = number(scopes.levels.len());
    let ids = scopes
        .ids
        .iter()
        .map(|id| format_ident!("{}", id_type(&id.name)));
    quote! {
        /// The constructors of keys; nothing else creates keys.
        mod key {
            use super::__private::{KeyPattern, Segment::{Part, Word}};
            use super::{Identity, Level, ScopeKey #(, #ids)*};

            #(#patterns)*

            /// The levels with the patterns of their keys, which are used to parse stored keys.
            pub(super) const LEVELS: [(Level, KeyPattern); #count] = [#(#table),*];

            #(#functions)*
        }
    }
}

fn pattern(scopes: &Scopes, level: &Level) -> TokenStream {
    let segments = level.key.iter().map(|segment| match &segment.node {
        Segment::Word(word) => quote!(Word(#word)),
        Segment::Identity(part) => {
            let name = &scopes[*part].name;
            quote!(Part(#name))
        }
        Segment::Id(id) => {
            let name = &scopes[*id].name;
            quote!(Part(#name))
        }
    });
    let (constant, name) = (pattern_name(level), &level.name);
    let (make, whose) = if level.is_shared() {
        (format_ident!("shared"), "all sessions share its keys")
    } else {
        (format_ident!("new"), "each session has its own keys")
    };
    let about = doc(&format!(
        "The pattern `{}`; {whose}.",
        scopes.key_text(level)
    ));
    quote! {
        #about
        const #constant: KeyPattern = KeyPattern::#make(#name, &[#(#segments),*]);
    }
}

fn function(scopes: &Scopes, level: &Level) -> TokenStream {
    let values = level.key.iter().filter_map(|segment| match &segment.node {
        Segment::Word(_) => None,
        Segment::Identity(part) => {
            let field = ident(&value_name(&scopes[*part].name));
            Some(quote!(&identity.#field))
        }
        Segment::Id(id) => {
            let field = field(scopes, *id);
            Some(quote!(#field.as_str()))
        }
    });
    let ids = level.ids().map(|id| {
        let (field, ty) = (field(scopes, id.node), id_type(&scopes[id.node].name));
        let ty = format_ident!("{ty}");
        quote!(#field: &#ty)
    });
    let (name, constant) = (ident(&value_name(&level.name)), pattern_name(level));
    quote! {
        pub(super) fn #name(identity: &Identity #(, #ids)*) -> ScopeKey {
            #constant.key(&identity.partition, &[#(#values),*])
        }
    }
}
