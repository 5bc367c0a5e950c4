//! Generates the code that formats, serializes and reads the generated types that consist of one string.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Returns the impls of a type that is written as one string: `text` is the string, and `read` is the code that reads the
/// value from `deserializer`.
pub(super) fn impls(ty: &Ident, text: &TokenStream, read: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::core::fmt::Display for #ty {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(#text)
            }
        }

        #[automatically_derived]
        impl serde::Serialize for #ty {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(#text)
            }
        }

        #[automatically_derived]
        impl<'de> serde::Deserialize<'de> for #ty {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                #read
            }
        }
    }
}
