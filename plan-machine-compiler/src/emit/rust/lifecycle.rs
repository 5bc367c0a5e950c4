//! The implementation of the runtime's traits for a machine.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::declare::{has_payload, is_reviewed};
use super::dispatch::{entry_points, event_places, late_replies};
use super::floor::could_run;
use super::{names, timers};
use crate::lower::bounds::{bounded, holds_json};
use crate::model::machine::Machine;
use crate::model::{FieldId, StateId};

/// Returns the type `Machine`, the aliases of the runtime's types for this machine, and the function `step`.
pub(super) fn lifecycle(machine: &Machine) -> TokenStream {
    let held = if machine.is_many() {
        quote!(Plans)
    } else {
        quote!(Slot)
    };
    let (check_context, implementation) = (check_context(machine), implementation(machine));
    let timers = timers::count(machine).map(|count| quote!(, #count));
    quote! {
        /// The machine itself, for sessions, stores and tests.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Machine;

        /// Contains the type `Seal`, whose values only this machine's module can create.
        mod seal {
            /// Proves that the caller is the machine's own module, because no other module can create this value.
            #[derive(Debug)]
            pub struct Seal(pub(super) ());
        }

        /// A plan in the form in which it is stored.
        pub type Record = rt::Record<Machine>;
        /// The context of a step.
        pub type Cx = rt::Cx<Machine>;
        /// The plans of this machine that a session holds.
        pub type HeldPlans = rt::#held<Machine>;
        /// The result of an accepted event.
        pub type AcceptedStep<'h> = rt::AcceptedStep<'h, Machine>;
        type StepEnd = rt::StepEnd<Machine>;
        type PendingReply = rt::PendingReply<Machine>;

        /// Applies an event to the plans: an accepted event changes them, a denied one does not.
        ///
        /// # Errors
        ///
        /// Returns the denial if the event is denied.
        #[inline]
        pub fn step<'h>(held: &'h mut HeldPlans, event: Event, cx: &mut Cx) -> Result<AcceptedStep<'h>, rt::DeniedStep> {
            held.step(event, cx)
        }

        #check_context
        rt::event_through_json!(Event, Machine #timers);
        #implementation
    }
}

/// Returns the function that checks the bounds of the context. A host that builds the typed context itself could exceed
/// these bounds.
fn check_context(machine: &Machine) -> Option<TokenStream> {
    bounded(machine, &machine.context).then(|| {
        quote! {
            fn check_context(cx: &Cx) -> Result<(), rt::DenialReason> {
                let mut problems = cx.problems();
                rt::Value::inner_bounds(&cx.context, &rt::ValuePath::Context, &mut problems);
                if problems.is_empty() { Ok(()) } else { Err(rt::DenialReason::invalid(problems)) }
            }
        }
    })
}

/// Returns whether the bounds that a replayed step checks depend on the version that recorded the step.
fn has_default_bounds(machine: &Machine) -> bool {
    let mut own = machine.event_ids().filter(|id| !machine.is_host_tool(*id));
    holds_json(machine, &machine.data)
        || holds_json(machine, &machine.context)
        || own.any(|id| holds_json(machine, &machine.event(id).input))
}

/// Returns the implementations of the traits that the runtime requires of a machine.
fn implementation(machine: &Machine) -> TokenStream {
    let (lists, reviews) = (machine.lists_plans(), !machine.review.is_empty());
    let counts = reviews || has_default_bounds(machine);
    let (states, events) = (states(machine), events(machine));
    let (entry_points, late_replies) = (entry_points(machine), late_replies(machine));
    let (lacks, could_run) = (lacks(machine), could_run(machine));
    let fire = timers::fire(machine);
    let wording = machine.wording_reads_context().then(|| {
        quote!(
            const WORDING_READS_CONTEXT: bool = true;
        )
    });
    let meaning = &machine.meaning;
    let summary = machine.summary.iter();
    let summary: Vec<Ident> = summary.map(|id| names::of_data(machine, *id)).collect();
    quote! {
        #[automatically_derived]
        impl rt::MachineTypes for Machine {
            type State = State;
            type Data = Data;
            type Event = Event;
            type Effect = Effect;
            type Context = Context;
            type Summary = Summary;
            type Seal = seal::Seal;

            const MACHINE: &'static rt::Description = &MACHINE;
            const MEANING: &'static str = #meaning;
            const REVIEWS: bool = #reviews;
            const COUNTS: bool = #counts;
            const LISTS: bool = #lists;
            #wording

            #states
            #events
            fn summary(data: &Data) -> Summary {
                Summary { #(#summary: data.#summary.clone()),* }
            }
            fn effect_fields(effect: &Effect) -> (&'static str, rt::Object) {
                effect.named()
            }
        }

        #[automatically_derived]
        impl rt::Steps for Machine {
            #entry_points
            #late_replies
            #fire
            #could_run

            fn token(record: &Record) -> rt::Token {
                token(record)
            }
            #lacks
        }

        #[automatically_derived]
        impl rt::Lifecycle for Machine {
            type HeldPlans = HeldPlans;
            type Typed = Typed;

            fn typed(plan: rt::AnyPlan<Machine>) -> Typed {
                typed(plan)
            }
        }
    }
}

fn states(machine: &Machine) -> TokenStream {
    let leaves = machine
        .leaves()
        .enumerate()
        .filter(|(_, leaf)| *leaf != StateId::NONE);
    let (places, states): (Vec<u16>, Vec<Ident>) = leaves
        .map(|(at, leaf)| {
            (
                u16::try_from(at).unwrap_or(u16::MAX),
                names::of_state(machine, leaf),
            )
        })
        .unzip();
    quote! {
        #[inline]
        fn state_name(state: State) -> &'static str {
            state.as_str()
        }
        #[inline]
        fn state_index(state: State) -> u16 {
            match state { #(State::#states => #places,)* }
        }
        fn state_at(index: u16) -> Option<State> {
            match index { #(#places => Some(State::#states),)* _ => None }
        }
    }
}

fn events(machine: &Machine) -> TokenStream {
    let all = event_places(machine);
    let index = all.iter().map(|(id, place)| {
        let name = names::of_event(machine, *id);
        let payload = has_payload(machine.event(*id)).then(|| quote!((_)));
        quote!(Event::#name #payload => #place)
    });
    let decode = all.iter().map(|(id, place)| {
        let name = names::of_event(machine, *id);
        if has_payload(machine.event(*id)) {
            quote!(#place => event::#name::decode(with, token, problems).map(Event::#name))
        } else {
            quote!(#place => { rt::known(with, &[], &rt::ValuePath::Payload, problems); Some(Event::#name) })
        }
    });
    let encode = all.iter().map(|(id, _)| {
        let name = names::of_event(machine, *id);
        if has_payload(machine.event(*id)) {
            quote!(Event::#name(event) => event.encode())
        } else {
            quote!(Event::#name => rt::Json::Object(rt::Object::new()))
        }
    });
    let reviewed = all.iter().filter(|(id, _)| is_reviewed(machine.event(*id)));
    let tokens = reviewed.map(|(id, _)| {
        let name = names::of_event(machine, *id);
        quote!(Event::#name(event) => Some(event.token))
    });
    let discarded = all.iter().map(|(id, _)| {
        // Each arm moves the payload out of the event, so that the arm drops only the fields of this payload.
        let payload = has_payload(machine.event(*id)).then(|| quote!((_event)));
        let name = names::of_event(machine, *id);
        quote!(Event::#name #payload)
    });
    quote! {
        #[inline]
        fn event_index(event: &Event) -> u16 {
            match event {
                #(#index,)*
                Event::HostTool(event) => rt::host_tool_index(&MACHINE, event),
            }
        }
        fn decode(index: u16, with: &rt::Object, token: rt::Token, problems: &mut rt::Problems) -> Option<Event> {
            match index {
                #(#decode,)*
                _ => None,
            }
        }
        fn encode(event: &Event) -> Option<rt::Json> {
            Some(match event {
                #(#encode,)*
                Event::HostTool(_) => return None,
            })
        }
        #[inline]
        fn host_tool(event: &mut Event) -> Option<&mut rt::HostTool> {
            match event {
                Event::HostTool(event) => Some(event),
                _ => None,
            }
        }
        fn token_of(event: &Event) -> Option<rt::Token> {
            match event {
                #(#tokens,)*
                _ => None,
            }
        }
        fn of_host_tool(call: rt::HostTool) -> Event {
            Event::from(call)
        }
        #[inline]
        fn discard(event: Event) {
            match event {
                #(#discarded => {})*
                Event::HostTool(call) => rt::discard_host_tool(call),
            }
        }
    }
}

/// Returns the function that lists the fields that a record's state requires but that are not set.
fn lacks(machine: &Machine) -> TokenStream {
    let arms = machine.leaves_of_records().filter_map(|leaf| {
        let mut has: Vec<FieldId> = machine.has(leaf).collect();
        has.sort();
        has.dedup();
        let state = names::of_state(machine, leaf);
        let checks = has.iter().map(|id| {
            let (name, text) = (names::of_data(machine, *id), &machine.field(*id).name);
            quote!(if record.data.#name.is_none() { lacking.push(#text); })
        });
        (!has.is_empty()).then(|| quote!(State::#state => { #(#checks)* }))
    });
    quote! {
        fn lacks(record: &Record) -> Vec<&'static str> {
            let mut lacking = Vec::new();
            match record.state { #(#arms)* _ => {} }
            lacking
        }
    }
}
