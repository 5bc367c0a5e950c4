//! The typed machine as Rust: one function per generated item, assembled in this module.

mod changes;
mod declare;
mod description;
mod dispatch;
pub(crate) mod docs;
mod expr;
mod floor;
mod handler;
mod lifecycle;
pub(crate) mod names;
mod record;
mod reply;
mod scenarios;
mod skeleton;
mod timers;
mod token;
mod transition;
mod typed;
mod types;
mod values;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Checked;
use crate::model::machine::Machine;
use crate::model::names::{type_name, value_name};

pub use skeleton::skeleton;

/// Returns the module of a machine. `krate` is the path of the runtime crate, normally
/// `::plan_machine`.
#[must_use]
pub fn rust(machine: &Checked<Machine>, krate: &TokenStream) -> TokenStream {
    let module = names::ident(&value_name(&machine.name));
    let plan = names::ident(&type_name(&machine.name));
    let ours = format!("The machine `{}`.", machine.name);
    let doc = docs::doc(&docs::or(machine.doc.as_deref(), &ours));
    let parts = [
        lifecycle::lifecycle(machine),
        declare::states(machine, &plan),
        declare::data(machine),
        declare::events(machine),
        declare::effects(machine),
        declare::types(machine),
        typed::all(machine, &plan),
        dispatch::dispatch(machine),
        handler::all(machine),
        typed::answers(machine),
        transition::all(machine),
        reply::all(machine),
        token::token(machine),
        description::description(machine),
        scenarios::tests(machine),
    ];
    let others = [
        "non_camel_case_types",
        "non_snake_case",
        "unreachable_pub",
        "unused_imports",
        "unused_mut",
        "unused_parens",
        "unused_variables",
    ];
    let allowed = allowed(
        &others,
        "generated code: not every spec uses all of it, and its names and texts come from the spec",
    );
    quote! {
        #doc
        #allowed
        pub mod #module {
            use #krate::__private as rt;

            #(#parts)*
        }
    }
}

/// Returns the attribute that silences lints in a generated module: the lints that concern all generated code, and
/// `others`.
pub(crate) fn allowed(others: &[&str], reason: &str) -> TokenStream {
    let others = others.iter().map(|lint| names::ident(lint));
    quote! {
        #[allow(
            clippy::all,
            clippy::pedantic,
            rustdoc::all,
            dead_code,
            #(#others,)*
            reason = #reason
        )]
    }
}
