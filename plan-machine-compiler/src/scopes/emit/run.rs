//! The generated kinds of runs: one type per kind, whose methods express what a run of this kind is allowed to do.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::identity::{self, promotion};
use super::keys::{field, key_of};
use super::level::{Variant, names};
use super::words::{doc, doc_with, ident, listed, number};
use crate::model::names::type_name;
use crate::scopes::model::{Level, LevelId, Run, RunId, Scopes, Write};
use crate::scopes::names::{id_method, id_type, read_method, write_method};
use crate::source::Spanned;

/// Returns an enum of the kinds of runs, or nothing if the document declares no runs.
pub(super) fn kinds(scopes: &Scopes) -> TokenStream {
    if scopes.runs.is_empty() {
        return TokenStream::new();
    }
    let variants = scopes.runs.iter().map(|run| -> Variant<'_> {
        let about = doc(&format!("`{}`.", run.name));
        (ident(&type_name(&run.name)), &run.name, about)
    });
    let variants: Vec<_> = variants.collect();
    let enumeration = names(&ident("RunKind"), "A kind of run.", &variants);
    let chains = scopes.runs.iter().map(|run| {
        let kind = ident(&type_name(&run.name));
        let levels = run.reads.iter().map(|level| &scopes[level.node]);
        let levels = levels.map(|level| ident(&type_name(&level.name)));
        quote!(Self::#kind => &[#(Level::#levels),*])
    });
    quote! {
        #enumeration

        impl RunKind {
            /// Returns the levels that a run of this kind reads, starting with the nearest.
            #[must_use]
            pub const fn reads(self) -> &'static [Level] {
                match self {
                    #(#chains,)*
                }
            }
        }
    }
}

pub(super) fn runs(scopes: &Scopes) -> TokenStream {
    let runs = scopes.run_ids().map(|id| run(scopes, id));
    runs.collect()
}

/// One id of a run: its field, its type, and its name in the document.
struct IdOf<'a> {
    field: Ident,
    ty: Ident,
    name: &'a str,
}

fn ids_of<'a>(scopes: &'a Scopes, run: &Run) -> Vec<IdOf<'a>> {
    let ids = run.ids.iter().map(|id| IdOf {
        field: field(scopes, *id),
        ty: format_ident!("{}", id_type(&scopes[*id].name)),
        name: &scopes[*id].name,
    });
    ids.collect()
}

fn run(scopes: &Scopes, id: RunId) -> TokenStream {
    let run = &scopes[id];
    let ty = ident(&type_name(&run.name));
    let about = doc_with(&what_it_does(scopes, run), run.doc.as_ref());
    let ids = ids_of(scopes, run);
    let (fields, types): (Vec<_>, Vec<_>) = ids.iter().map(|id| (&id.field, &id.ty)).unzip();
    let accessors = ids.iter().map(accessor);
    let reads = run
        .reads
        .iter()
        .map(|level| read(scopes, &scopes[level.node]));
    let writes = run.writes.iter().map(|class| write(scopes, class));
    let promoted = scopes.level_ids().filter(|to| scopes.promotes(id, *to));
    let promotions = promoted.map(|to| {
        let key = own_key(scopes, &scopes[to]);
        promotion(&scopes[to], &key, &quote!(self.identity.partition))
    });
    let chain = chain(scopes, run);
    let serial = serial(scopes, run, &ids);
    quote! {
        #about
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct #ty {
            identity: Identity,
            #(#fields: #types,)*
        }

        impl #ty {
            /// The kind of this run.
            pub const KIND: RunKind = RunKind::#ty;

            /// Creates a run in the session of `identity`.
            #[must_use]
            pub fn new(identity: Identity #(, #fields: #types)*) -> Self {
                Self { identity #(, #fields)* }
            }

            /// Returns the identity of the session that the run belongs to.
            #[must_use]
            pub fn identity(&self) -> &Identity {
                &self.identity
            }

            #(#accessors)*
            #chain
            #(#reads)*
            #(#writes)*
            #(#promotions)*
        }

        #serial
    }
}

fn what_it_does(scopes: &Scopes, run: &Run) -> String {
    let name_of = |level: &Spanned<LevelId>| scopes[level.node].name.as_str();
    let reads = listed(run.reads.iter().map(name_of));
    let order = if run.reads.len() > 1 {
        ", starting with the nearest level"
    } else {
        ""
    };
    let mut lines = vec![format!("A run of the kind `{}`:\n", run.name)];
    lines.push(format!("- The run reads {reads}{order}."));
    lines.extend(run.writes.iter().map(|write| {
        let level = name_of(&write.level);
        format!("- The run writes `{}` to `{level}`.", write.class)
    }));
    lines.join("\n")
}

fn accessor(id: &IdOf<'_>) -> TokenStream {
    let IdOf { field, ty, name } = id;
    let method = format_ident!("{}", id_method(name));
    let about = doc(&format!("Returns the id of the run's `{name}`."));
    quote! {
        #about
        #[must_use]
        pub fn #method(&self) -> &#ty {
            &self.#field
        }
    }
}

/// Returns code that creates the key of a level from a run's own fields.
fn own_key(scopes: &Scopes, level: &Level) -> TokenStream {
    key_of(
        scopes,
        level,
        &quote!(&self.identity),
        |id| quote!(&self.#id),
    )
}

fn chain(scopes: &Scopes, run: &Run) -> TokenStream {
    let count = number(run.reads.len());
    let methods = run.reads.iter().map(|level| &scopes[level.node].name);
    let methods = methods.map(|name| format_ident!("{}", read_method(name)));
    quote! {
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; #count] {
            [#(self.#methods().into_key()),*]
        }

        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
    }
}

fn read(scopes: &Scopes, level: &Level) -> TokenStream {
    let ty = ident(&type_name(&level.name));
    let method = format_ident!("{}", read_method(&level.name));
    let about = doc(&format!(
        "Returns the scope with which the run reads the level `{}`.",
        level.name
    ));
    let key = own_key(scopes, level);
    quote! {
        #about
        #[must_use]
        pub fn #method(&self) -> Scope<level::#ty> {
            __private::scope(#key, seal::Seal(()))
        }
    }
}

fn write(scopes: &Scopes, write: &Write) -> TokenStream {
    let level = &scopes[write.level.node];
    let ty = ident(&type_name(&level.name));
    let method = format_ident!("{}", write_method(&write.class));
    let words = format!(
        "Returns the scope for writing items of the class `{}` to the level `{}`.",
        write.class, level.name
    );
    let (about, key) = (doc(&words), own_key(scopes, level));
    quote! {
        #about
        #[must_use]
        pub fn #method(&self) -> WriteScope<level::#ty> {
            __private::write_scope(#key, seal::Seal(()))
        }
    }
}

/// Returns code that serializes a run as a record of strings: its kind, the parts of the identity and its ids.
fn serial(scopes: &Scopes, run: &Run, ids: &[IdOf<'_>]) -> TokenStream {
    let (ty, kind) = (ident(&type_name(&run.name)), &run.name);
    let record = ty.to_string();
    let parts = identity::fields(scopes);
    let part_names: Vec<_> = scopes.identity.iter().map(|part| &part.name).collect();
    let fields: Vec<_> = ids.iter().map(|id| &id.field).collect();
    let types = ids.iter().map(|id| &id.ty);
    let names: Vec<_> = ids.iter().map(|id| id.name).collect();
    quote! {
        #[automatically_derived]
        impl serde::Serialize for #ty {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let texts = [
                    ("run", #kind),
                    #((#part_names, self.identity.#parts()),)*
                    #((#names, self.#fields.as_str()),)*
                ];
                __private::write_texts(serializer, #record, &texts)
            }
        }

        #[automatically_derived]
        impl<'de> serde::Deserialize<'de> for #ty {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let names = &["run", #(#part_names,)* #(#names),*];
                let [run, #(#parts,)* #(#fields),*] =
                    __private::read_texts(deserializer, #record, names)?;
                __private::is_kind(&run, #kind)?;
                let identity = Identity::new(#(#parts),*).map_err(serde::de::Error::custom)?;
                #(let #fields = #types::new(#fields).map_err(serde::de::Error::custom)?;)*
                ::core::result::Result::Ok(Self::new(identity #(, #fields)*))
            }
        }
    }
}
