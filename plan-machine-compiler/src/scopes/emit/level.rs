//! The generated levels: as types, for levels that are known at compile time, and as an enum, for levels that are known
//! only at run time.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::texts;
use super::words::{doc_with, ident, number};
use crate::model::names::type_name;
use crate::scopes::model::{Level, Scopes};

/// A variant of an enum of names: its Rust name, its name in the document and its documentation.
pub(super) type Variant<'a> = (Ident, &'a str, TokenStream);

pub(super) fn levels(scopes: &Scopes, krate: &TokenStream) -> TokenStream {
    let types = scopes.levels.iter().map(|level| {
        let (ty, name, about) = variant(scopes, level);
        quote! {
            #about
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct #ty;

            #[automatically_derived]
            impl ScopeLevel for #ty {
                const NAME: &'static str = #name;
                type Seal = super::seal::Seal;
            }
        }
    });
    let variants: Vec<_> = scopes
        .levels
        .iter()
        .map(|level| variant(scopes, level))
        .collect();
    let by_name = names(&ident("Level"), "A level of memory.", &variants);
    quote! {
        /// The levels as types.
        pub mod level {
            use #krate::scope::ScopeLevel;

            #(#types)*
        }

        #by_name
    }
}

fn variant<'a>(scopes: &Scopes, level: &'a Level) -> Variant<'a> {
    let key = scopes.key_text(level);
    let promoted = match level.promoted {
        Some(_) => ", written only by promotion",
        None => "",
    };
    let about = format!(
        "The level `{}`, with the key `{key}`{promoted}.",
        level.name
    );
    let about = doc_with(&about, level.doc.as_ref());
    (ident(&type_name(&level.name)), &level.name, about)
}

/// Returns an enum with these variants, whose names come from the document.
pub(super) fn names(ty: &Ident, about: &str, variants: &[Variant<'_>]) -> TokenStream {
    let about = doc_with(about, None);
    let idents: Vec<&Ident> = variants.iter().map(|(ident, ..)| ident).collect();
    let texts = variants.iter().map(|(_, text, _)| text);
    let docs = variants.iter().map(|(.., doc)| doc);
    let count = number(variants.len());
    let read = quote!(__private::read_choice(
        deserializer,
        &Self::ALL,
        Self::as_str
    ));
    let serial = texts::impls(ty, &quote!(self.as_str()), &read);
    quote! {
        #about
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum #ty {
            #(#docs #idents,)*
        }

        impl #ty {
            /// All variants, in the order of the document.
            pub const ALL: [Self; #count] = [#(Self::#idents),*];

            /// Returns the name in the document.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#idents => #texts,)*
                }
            }
        }

        #serial
    }
}
