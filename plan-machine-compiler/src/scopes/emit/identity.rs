//! The generated types for the identity of a session and for the ids of runs.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::keys::key_of;
use super::texts;
use super::words::{doc, ident, listed};
use crate::model::names::{type_name, value_name};
use crate::scopes::model::{Level, LevelId, Scopes};
use crate::scopes::names::{id_type, promote_method, read_method};

/// Returns the names of the identity's fields.
pub(super) fn fields(scopes: &Scopes) -> Vec<Ident> {
    let parts = scopes.identity.iter();
    parts.map(|part| ident(&value_name(&part.name))).collect()
}

/// Returns the type `Identity`; its methods create the scopes of all levels whose keys need only the identity.
pub(super) fn identity(scopes: &Scopes) -> TokenStream {
    let fields = fields(scopes);
    let names: Vec<&str> = scopes
        .identity
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    let about = doc(&format!(
        "The identity of a session: {}.\nDifferent identities share only the keys of levels that all sessions share.",
        listed(names.iter().copied())
    ));
    let accessors = fields.iter().zip(&names).map(|(field, name)| {
        let about = doc(&format!("Returns the `{name}` part of the identity."));
        quote! {
            #about
            #[must_use]
            pub fn #field(&self) -> &str {
                &self.#field
            }
        }
    });
    let own = scopes
        .level_ids()
        .filter(|id| scopes[*id].needs_only_the_identity());
    let own = own.map(|id| own_level(scopes, id));
    let serial = serial(&names, &fields);
    quote! {
        #about
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct Identity {
            #(#fields: ::std::sync::Arc<str>,)*
            /// All parts as one string, by which a store distinguishes sessions.
            partition: __private::Partition,
        }

        impl Identity {
            /// Creates the identity of a session.
            ///
            /// # Errors
            /// [`ScopeError::Blank`] if a part is blank.
            pub fn new(
                #(#fields: impl ::core::convert::Into<::std::sync::Arc<str>>),*
            ) -> ::core::result::Result<Self, ScopeError> {
                #(let #fields = __private::checked(#names, #fields)?;)*
                let partition = __private::partition(&[#(&#fields),*]);
                ::core::result::Result::Ok(Self { #(#fields,)* partition })
            }

            #(#accessors)*
            #(#own)*
        }

        #serial
    }
}

/// Returns the methods of `Identity` for a level whose key needs only the identity.
fn own_level(scopes: &Scopes, id: LevelId) -> TokenStream {
    let level = &scopes[id];
    let ty = ident(&type_name(&level.name));
    let method = format_ident!("{}", read_method(&level.name));
    let about = doc(&format!(
        "Returns the scope with which a session reads the level `{}`.",
        level.name
    ));
    let key = key_of(scopes, level, &quote!(self), |_| quote!());
    let promotion = promotion(level, &key, &quote!(self.partition));
    quote! {
        #about
        #[must_use]
        pub fn #method(&self) -> Scope<level::#ty> {
            __private::scope(#key, seal::Seal(()))
        }

        #promotion
    }
}

/// Returns the method that promotes an item to a level, or nothing if the level is not promoted. `partition` belongs to
/// the session in which an item is promoted.
pub(super) fn promotion(level: &Level, key: &TokenStream, partition: &TokenStream) -> TokenStream {
    if level.promoted.is_none() {
        return TokenStream::new();
    }
    let ty = ident(&type_name(&level.name));
    let method = format_ident!("{}", promote_method(&level.name));
    let about = doc(&format!(
        "Returns permission from the person `by` to write an item from the scope `from` to the level `{}`.\n\n\
         # Errors\n\
         [`ScopeError::OtherSession`] if `from` belongs to another session. [`ScopeError::Blank`]\n\
         if `by` is blank.",
        level.name
    ));
    quote! {
        #about
        pub fn #method<L>(
            &self,
            from: &Scope<L>,
            by: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Promotion<level::#ty>, ScopeError> {
            __private::promotion(&#partition, from, #key, by, seal::Seal(()))
        }
    }
}

fn serial(names: &[&str], fields: &[Ident]) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl serde::Serialize for Identity {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let texts = [#((#names, self.#fields())),*];
                __private::write_texts(serializer, "Identity", &texts)
            }
        }

        #[automatically_derived]
        impl<'de> serde::Deserialize<'de> for Identity {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let [#(#fields),*] =
                    __private::read_texts(deserializer, "Identity", &[#(#names),*])?;
                Self::new(#(#fields),*).map_err(serde::de::Error::custom)
            }
        }
    }
}

/// Returns a separate type for each id, so that ids cannot be confused with one another.
pub(super) fn ids(scopes: &Scopes) -> TokenStream {
    scopes.ids.iter().map(|id| self::id(&id.name)).collect()
}

fn id(name: &str) -> TokenStream {
    let ty = format_ident!("{}", id_type(name));
    let about = doc(&format!("The id of a `{name}`."));
    let read = quote! {
        let text = __private::read_text(deserializer)?;
        Self::new(text).map_err(serde::de::Error::custom)
    };
    let serial = texts::impls(&ty, &quote!(&self.0), &read);
    quote! {
        #about
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #ty(::std::sync::Arc<str>);

        impl #ty {
            /// Creates an id.
            ///
            /// # Errors
            /// [`ScopeError::Blank`] if `text` is blank.
            pub fn new(
                text: impl ::core::convert::Into<::std::sync::Arc<str>>,
            ) -> ::core::result::Result<Self, ScopeError> {
                __private::checked(#name, text).map(Self)
            }

            /// Returns the id as a string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        #serial
    }
}
