//! The Rust code of a session: the modules of its machines, and a function that combines them into
//! a gate.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::model::{Member, Origin, Session, SessionCalls};
use crate::calls;
use crate::emit::rust;
use crate::emit::rust::docs;
use crate::emit::rust::names::module;
use crate::model::Checked;
use crate::model::names::value_name;

/// Returns the module of a session. `krate` is the path of the runtime crate, and `specs` that of `plan-specs`.
#[must_use]
pub fn rust(session: &Checked<Session>, krate: &TokenStream, specs: &TokenStream) -> TokenStream {
    let name = module(&session.name);
    let doc = docs::doc(&docs::or(session.doc.as_deref(), "A session."));
    let machines = session.members.iter();
    let machines = machines.map(|member| machine(member, krate, specs));
    let names = session.members.iter().map(|member| module(&member.name));
    let prefix = session.prefix.as_char().to_string();
    let calls = session.calls.as_ref();
    let document = calls.map(|calls| calls_of(calls, krate));
    let project = calls.map(|_| quote!(project: #krate::calls::Project));
    let classifier = calls.map(|_| quote!(.calls(calls::classifier(project))));
    let allowed = rust::allowed(
        &["unreachable_pub", "unused_imports"],
        "generated code: its names and texts come from a session document, and not every program uses all of it",
    );
    quote! {
        #doc
        #allowed
        pub mod #name {
            #(#machines)*
            #document

            /// Returns a builder for the gate of this session, with all of its machines.
            pub fn gate(#project) -> #krate::gate::GateBuilder {
                let prefix = #krate::gate::CommandPrefix::parse(#prefix).unwrap_or_default();
                #krate::gate::Gate::builder() #(.with(#names::Machine))* .command_prefix(prefix) #classifier
            }
        }
    }
}

/// Returns the module of a session that has errors, so that its uses do not cause further errors.
#[must_use]
pub fn skeleton(name: &str, has_calls: bool, krate: &TokenStream) -> TokenStream {
    let name = module(name);
    let project = has_calls.then(|| quote!(_: #krate::calls::Project));
    quote! {
        #[doc(hidden)]
        pub mod #name {
            pub fn gate(#project) -> #krate::gate::GateBuilder {
                #krate::gate::Gate::builder()
            }
        }
    }
}

/// Returns the module of the calls document, under the name `calls`.
fn calls_of(calls: &SessionCalls, krate: &TokenStream) -> TokenStream {
    let name = module(&calls.calls.document.name);
    let code = calls::emit::rust(&calls.calls, krate);
    quote! {
        #[doc(hidden)]
        mod __calls {
            #code
        }
        #[doc(inline)]
        pub use __calls::#name as calls;
    }
}

/// Returns the module of a machine, under its name in the session.
fn machine(member: &Member, krate: &TokenStream, specs: &TokenStream) -> TokenStream {
    let name = module(&member.name);
    let own = module(&member.machine.name);
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
                pub use #inner::#own as #name;
            }
        }
        Origin::Shipped(shipped) => {
            let shipped = module(shipped);
            let fingerprint = &member.machine.fingerprint;
            let problem = format!(
                "the `plan-specs` version of `{shipped}` differs from the one that this session was compiled with: use \
                 the version of `plan-specs` that matches `plan-machine`, or generate this code again"
            );
            quote! {
                #[doc(inline)]
                pub use #specs::#shipped as #name;
                // The proofs about the session hold only for the version of the machine that was compiled with the
                // session.
                const _: () = ::core::assert!(
                    #krate::__private::is_same_text(#name::MACHINE.fingerprint, #fingerprint),
                    #problem
                );
            }
        }
    }
}
