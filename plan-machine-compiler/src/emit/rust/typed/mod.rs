//! Plans whose state is known at compile time: an event has a method only in the states that handle the event.

mod accessors;
mod answers;
mod method;
mod outcome;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs;
use super::names;
use crate::model::machine::Machine;
use crate::model::{EventId, StateId};

pub(super) use answers::all as answers;

/// Returns the types of a plan in a known state, of a missing plan and of a plan in any state, with their methods.
pub(super) fn all(machine: &Machine, plan: &Ident) -> TokenStream {
    let leaves: Vec<StateId> = machine.leaves_of_records().collect();
    let any = format_ident!("Any{plan}");
    let definition = definition(machine, plan, &any);
    let none = methods(machine, StateId::NONE, plan);
    let by_leaf = leaves.iter().map(|leaf| {
        let state = names::of_state(machine, *leaf);
        let accessors = accessors::of_leaf(machine, *leaf);
        let methods = methods(machine, *leaf, plan);
        quote!(impl #plan<state::#state> { #accessors #methods })
    });
    let typed = typed_enum(machine, &leaves, plan);
    let outcomes = outcome::all(machine, plan);
    quote! {
        #definition
        /// The absence of a plan. There is a method for each event that starts a plan, or that gets
        /// a reply without a plan.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct NoPlan;
        impl NoPlan { #none }
        #(#by_leaf)*
        #typed
        #outcomes
    }
}

fn methods(machine: &Machine, leaf: StateId, plan: &Ident) -> TokenStream {
    let handled = super::declare::own_events(machine);
    let handled = handled
        .into_iter()
        .filter(|event| machine.alternatives(leaf, *event).is_some());
    let methods = handled.map(|event: EventId| method::of(machine, leaf, event, plan));
    quote!(#(#methods)*)
}

fn definition(machine: &Machine, plan: &Ident, any: &Ident) -> TokenStream {
    let ours = format!("A plan of the machine `{}`.", machine.name);
    let words = docs::or(machine.doc.as_deref(), &ours);
    let doc = docs::doc(&format!(
        "{words}\n\nThe type parameter is the state that the plan is in: see [`state`]."
    ));
    let (common, accessors) = (accessors::common(machine), accessors::of_all(machine));
    let any_doc = docs::doc(&format!(
        "A [`{plan}`] whose state is known only at run time."
    ));
    quote! {
        #doc
        #[must_use]
        pub struct #plan<S> {
            record: Box<Record>,
            state: ::core::marker::PhantomData<S>,
        }

        #any_doc
        pub type #any = rt::AnyPlan<Machine>;

        fn known<S>(record: Box<Record>) -> #plan<S> {
            #plan { record, state: ::core::marker::PhantomData }
        }

        fn only<S: rt::StateMarker<Machine>>(plan: #any) -> Result<#plan<S>, #any> {
            if plan.state() == S::STATE { Ok(known(plan.into_record())) } else { Err(plan) }
        }

        impl<S> #plan<S> {
            #common
            #accessors
        }

        #[automatically_derived]
        impl<S> ::core::fmt::Debug for #plan<S> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.record, f)
            }
        }

        #[automatically_derived]
        impl<S> From<#plan<S>> for #any {
            fn from(plan: #plan<S>) -> Self {
                rt::AnyPlan::untyped(seal::Seal(()), plan.record)
            }
        }
    }
}

/// Returns an enum with one variant per state, which contains the typed plan of that state.
fn typed_enum(machine: &Machine, leaves: &[StateId], plan: &Ident) -> TokenStream {
    let states: Vec<Ident> = leaves
        .iter()
        .map(|leaf| names::of_state(machine, *leaf))
        .collect();
    let docs = leaves
        .iter()
        .map(|leaf| docs::doc(&super::declare::state_doc(machine, *leaf)));
    quote! {
        /// A plan in any state, with one variant per state.
        #[derive(Debug)]
        #[must_use]
        pub enum Typed { #(#docs #states(#plan<state::#states>),)* }

        fn typed(plan: rt::AnyPlan<Machine>) -> Typed {
            let record = plan.into_record();
            match record.state { #(State::#states => Typed::#states(known(record)),)* }
        }
    }
}
