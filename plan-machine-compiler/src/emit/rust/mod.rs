//! The typed machine as Rust: one function per artifact, assembled here.

mod changes;
mod declare;
mod description;
mod docs;
mod expr;
mod handler;
mod lifecycle;
mod names;
mod record;
mod reply;
mod scenarios;
mod token;
mod transition;
mod typed;
mod types;
mod values;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::machine::Machine;
use crate::model::names::{type_name, value_name};
use crate::model::{Checked, Outline};

/// The module of a machine. `krate` is the path of the runtime crate, normally `::plan_machine`.
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
        handler::dispatch(machine),
        handler::all(machine),
        typed::answers(machine),
        transition::all(machine),
        reply::all(machine),
        token::token(machine),
        description::description(machine),
        scenarios::tests(machine),
    ];
    quote! {
        #doc
        #[allow(
            clippy::all,
            clippy::pedantic,
            dead_code,
            unused_imports,
            unused_mut,
            unused_parens,
            unused_variables,
            reason = "generated: one shape of code serves every spec, and not every spec uses all of it"
        )]
        pub mod #module {
            use #krate::__private as rt;

            #(#parts)*
        }
    }
}

/// What stands in for a machine whose spec has errors: the names that code around it imports, so
/// that the mistake is told once and not again at every use.
#[must_use]
pub fn skeleton(outline: &Outline) -> TokenStream {
    let name = if outline.machine.is_empty() {
        "machine"
    } else {
        &outline.machine
    };
    let module = names::ident(&value_name(name));
    let plan = names::ident(&type_name(name));
    let any = quote::format_ident!("Any{}", type_name(name));
    let states = outline
        .states
        .iter()
        .map(|state| names::ident(&type_name(state)));
    let doc = docs::doc("The machine could not be compiled: see the error.");
    quote! {
        #doc
        #[allow(dead_code, missing_docs, reason = "stands in for a machine whose spec has errors")]
        pub mod #module {
            pub struct #plan<S>(::core::marker::PhantomData<S>);
            pub struct #any;
            pub struct NoPlan;
            pub struct Machine;
            pub struct Event;
            pub struct Tool;
            pub struct Command;
            pub struct Effect;
            pub struct State;
            pub struct Data;
            pub struct Held;
            pub struct Cx;
            pub mod state { #(pub struct #states;)* }
            pub mod event {}
            pub mod types {}
        }
    }
}
