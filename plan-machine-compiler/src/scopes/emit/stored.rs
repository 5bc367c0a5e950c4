//! The generated type for the scopes of stored items.

use proc_macro2::TokenStream;
use quote::quote;

use super::identity::fields;
use super::keys::key_of;
use super::words::{doc, ident};
use crate::model::names::type_name;
use crate::scopes::model::Scopes;

/// Returns the type of stored scopes. It does not expose a `ScopeKey`, because a stored string is not a permission to
/// read.
pub(super) fn any_scope(scopes: &Scopes) -> TokenStream {
    let fields = fields(scopes);
    let names = scopes.identity.iter().map(|part| &part.name);
    let without = without(scopes);
    quote! {
        /// The scope that a stored item carries. It can be compared with the levels that a run reads, but it
        /// does not permit reading anything.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct AnyScope {
            level: Level,
            key: ScopeKey,
        }

        impl AnyScope {
            /// Reads the scope of an item that the session of `identity` stores.
            ///
            /// # Errors
            /// [`ScopeError::Unreadable`] if `text` is not a key of any level.
            /// [`ScopeError::OtherSession`] if it is a key of another session.
            pub fn parse(
                text: &str,
                identity: &Identity,
            ) -> ::core::result::Result<Self, ScopeError> {
                let parts = [#((#names, identity.#fields())),*];
                let (level, key) =
                    __private::parse(text, &key::LEVELS, &parts, &identity.partition)?;
                ::core::result::Result::Ok(Self { level, key })
            }

            #without

            /// Returns the level of the scope.
            #[must_use]
            pub fn level(&self) -> Level {
                self.level
            }

            /// Returns the key of the scope as a string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                self.key.as_str()
            }

            /// Returns whether the scope has this key.
            #[must_use]
            pub fn is(&self, key: &ScopeKey) -> bool {
                self.key == *key
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Display for AnyScope {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        #[automatically_derived]
        impl serde::Serialize for AnyScope {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    }
}

/// Returns the methods that handle items without a scope.
fn without(scopes: &Scopes) -> TokenStream {
    let read = |about: TokenStream, none: TokenStream| {
        quote! {
            #about
            pub fn read(
                text: ::core::option::Option<&str>,
                identity: &Identity,
            ) -> ::core::result::Result<Self, ScopeError> {
                match text {
                    ::core::option::Option::Some(text) => Self::parse(text, identity),
                    ::core::option::Option::None => #none,
                }
            }
        }
    };
    let Some(legacy) = scopes.legacy else {
        let about = doc(
            "Reads the optional scope of an item.\n\n# Errors\nThe errors of [`AnyScope::parse`], and \
             [`ScopeError::Missing`] if the item has no scope.",
        );
        let none = quote!(::core::result::Result::Err(ScopeError::Missing));
        return read(about, none);
    };
    let level = &scopes[legacy.node];
    let name = &level.name;
    let variant = ident(&type_name(name));
    let key = key_of(scopes, level, &quote!(identity), |_| quote!());
    let about = doc(&format!(
        "Returns the scope of an item that was stored without a scope: the level `{name}`."
    ));
    let read = read(
        doc(&format!(
            "Reads the optional scope of an item; an item without a scope belongs to the level `{name}`.\n\n\
             # Errors\nThe errors of [`AnyScope::parse`]."
        )),
        quote!(::core::result::Result::Ok(Self::legacy(identity))),
    );
    quote! {
        #about
        #[must_use]
        pub fn legacy(identity: &Identity) -> Self {
            Self {
                level: Level::#variant,
                key: #key,
            }
        }

        #read
    }
}
