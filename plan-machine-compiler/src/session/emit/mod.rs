//! The Rust code of a session: the modules of its machines, and a function that joins them to a gate.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::model::{Member, Origin, Session};
use crate::emit::rust;
use crate::model::Checked;
use crate::model::names::{is_never_a_name, is_word_of_rust, value_name};

/// Returns the module of a session. `krate` is the path of the runtime crate, and `specs` that of `plan-specs`.
#[must_use]
pub fn rust(session: &Checked<Session>, krate: &TokenStream, specs: &TokenStream) -> TokenStream {
    let name = ident(&session.name);
    let doc = session.doc.as_deref().unwrap_or("A session.");
    let machines = session.members.iter();
    let machines = machines.map(|member| machine(member, krate, specs));
    let names = session.members.iter().map(|member| ident(&member.name));
    let prefix = session.prefix.as_char().to_string();
    quote! {
        #[doc = #doc]
        pub mod #name {
            #(#machines)*

            /// Returns a builder for the gate of this session, with all of its machines.
            pub fn gate() -> #krate::gate::GateBuilder {
                let prefix = #krate::gate::CommandPrefix::parse(#prefix).unwrap_or_default();
                #krate::gate::Gate::builder() #(.with(#names::Machine))* .command_prefix(prefix)
            }
        }
    }
}

/// Returns the module of a session that has errors, so that its uses do not cause further errors.
#[must_use]
pub fn skeleton(name: &str, krate: &TokenStream) -> TokenStream {
    let name = ident(name);
    quote! {
        #[doc(hidden)]
        pub mod #name {
            pub fn gate() -> #krate::gate::GateBuilder {
                #krate::gate::Gate::builder()
            }
        }
    }
}

/// Returns the module of a machine, under its name in the session.
fn machine(member: &Member, krate: &TokenStream, specs: &TokenStream) -> TokenStream {
    let name = ident(&member.name);
    let module = ident(&member.machine.name);
    match &member.origin {
        Origin::File(_) => {
            let code = rust::rust(&member.machine, krate);
            let inner = format_ident!("__{}", value_name(&member.name));
            quote! {
                #[doc(hidden)]
                mod #inner {
                    #code
                }
                #[doc(inline)]
                pub use #inner::#module as #name;
            }
        }
        Origin::Shipped(shipped) => {
            let shipped = ident(shipped);
            let fingerprint = &member.machine.fingerprint;
            let problem = format!(
                "`plan-specs` has another version of `{shipped}` than the compiler of this session"
            );
            quote! {
                #[doc(inline)]
                pub use #specs::#shipped as #name;
                // What was proved about the session is true only for the machine that was proved.
                const _: () = ::core::assert!(
                    #krate::__private::is_same_text(#name::MACHINE.fingerprint, #fingerprint),
                    #problem
                );
            }
        }
    }
}

/// Returns the Rust identifier of a name.
fn ident(name: &str) -> Ident {
    let name = value_name(name);
    if is_never_a_name(&name) {
        format_ident!("{name}_")
    } else if is_word_of_rust(&name) {
        Ident::new_raw(&name, Span::call_site())
    } else {
        Ident::new(&name, Span::call_site())
    }
}
