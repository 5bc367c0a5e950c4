//! Generates Rust from checked scopes: one module whose types enforce the rules.
//!
//! The methods of each run's type express what the run is allowed to do, and those of `Identity` what every session is
//! allowed to do. Code outside the module cannot create a key in any other way, so code with a forbidden access does
//! not compile.

mod identity;
mod keys;
mod level;
mod run;
mod stored;
mod texts;
mod words;

use proc_macro2::TokenStream;
use quote::quote;

use super::model::Scopes;
use crate::model::Checked;
use crate::model::names::value_name;
use words::{doc, ident};

/// Returns the module of these scopes. `krate` is the path of the runtime, normally
/// `::plan_machine`.
#[must_use]
pub fn rust(scopes: &Checked<Scopes>, krate: &TokenStream) -> TokenStream {
    let parts = [
        identity::identity(scopes),
        identity::ids(scopes),
        level::levels(scopes, krate),
        run::kinds(scopes),
        run::runs(scopes),
        stored::any_scope(scopes),
        keys::keys(scopes),
    ];
    let imports = quote! {
        pub use #krate::scope::{Promotion, Scope, ScopeError, ScopeKey, WriteScope};

        use #krate::scope::__private::{self, serde};

        /// Contains the type `Seal`, which only this module can create.
        mod seal {
            /// Proves that the caller is the module of the scopes, because no other module can create this value.
            #[derive(Debug)]
            pub struct Seal(pub(super) ());
        }
    };
    module(
        &scopes.name,
        &about(scopes),
        &quote! { #imports #(#parts)* },
    )
}

/// Returns a module with this name and the items that every scopes module has. The module is emitted together with the
/// errors of the document, so that code that uses the module does not cause further errors.
#[must_use]
pub fn skeleton(name: &str, krate: &TokenStream) -> TokenStream {
    let content = quote! {
        pub use #krate::scope::{Promotion, Scope, ScopeError, ScopeKey, WriteScope};

        /// The levels as types.
        pub mod level {}
        /// The identity of a session.
        pub struct Identity;
        /// A level of memory.
        pub enum Level {}
        /// A kind of run.
        pub enum RunKind {}
        /// The scope that a stored item carries.
        pub struct AnyScope;
    };
    let about = format!("The scopes `{name}`, which have errors.");
    module(name, &about, &content)
}

fn module(name: &str, about: &str, content: &TokenStream) -> TokenStream {
    let about = doc(about);
    let name = ident(&value_name(name));
    quote! {
        #about
        #[allow(
            dead_code,
            unreachable_pub,
            unused_imports,
            clippy::doc_markdown,
            clippy::enum_variant_names,
            clippy::many_single_char_names,
            clippy::similar_names,
            clippy::struct_field_names,
            clippy::too_many_arguments,
            rustdoc::all,
            reason = "generated code: its names and texts come from a scopes document, and not every program uses all of them"
        )]
        pub mod #name {
            #content
        }
    }
}

/// Returns the module's documentation.
fn about(scopes: &Scopes) -> String {
    let title = format!(
        "The scopes `{}`: which memory a run reads and writes.",
        scopes.name
    );
    let proved = scopes.invariants.iter().map(|invariant| {
        let words = scopes.invariant_text(invariant);
        format!("- `{}`: `{words}`", invariant.name)
    });
    let proved: Vec<String> = proved.collect();
    let proved = (!proved.is_empty()).then(|| format!("Invariants:\n\n{}", proved.join("\n")));
    let paragraphs = [Some(title), scopes.doc.clone(), proved];
    let paragraphs: Vec<String> = paragraphs.into_iter().flatten().collect();
    paragraphs.join("\n\n")
}
