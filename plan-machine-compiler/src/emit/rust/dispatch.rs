//! The dispatch of events to handlers: one function per state, which passes events that the state does not handle to
//! the function of the enclosing state.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::declare::{has_payload, own_events};
use super::names;
use super::reply;
use super::transition::event_of;
use crate::model::machine::{EventKind, HandlerKind, Machine};
use crate::model::{EventId, HandlerId, StateId, TransitionId};

/// Returns the functions that dispatch events to handlers.
pub(super) fn dispatch(machine: &Machine) -> TokenStream {
    let speaking = |id: &StateId| !own_entries(machine, *id).is_empty();
    let functions = machine
        .state_ids()
        .filter(speaking)
        .map(|id| dispatcher(machine, id));
    quote! {
        /// One function per state that handles events itself. A function passes events that its
        /// state does not handle to the function of the enclosing state.
        mod dispatch {
            use super::*;
            #(#functions)*
        }
    }
}

/// Returns the entries that a state itself declares for the machine's own events, apart from timers.
fn own_entries(machine: &Machine, state: StateId) -> Vec<(EventId, HandlerId)> {
    let on = &machine.state(state).on;
    on.iter()
        .copied()
        .filter(|(event, _)| !machine.is_host_tool(*event) && machine.timer(*event).is_none())
        .collect()
}

/// Returns the name of the function to which the events of a state are passed first.
pub(super) fn first_dispatcher(machine: &Machine, state: StateId) -> Option<Ident> {
    let speaking = machine
        .ancestry(state)
        .find(|id| !own_entries(machine, *id).is_empty());
    speaking.map(|id| names::dispatcher(machine, id))
}

fn dispatcher(machine: &Machine, state: StateId) -> TokenStream {
    let name = names::dispatcher(machine, state);
    let in_none = state == StateId::NONE;
    let arms = own_entries(machine, state)
        .into_iter()
        .map(|(event, handler)| {
            let variant = names::of_event(machine, event);
            let has_payload = has_payload(machine.event(event));
            if !matches!(machine.handler(handler).kind, HandlerKind::Transitions(_)) {
                let payload = has_payload.then(|| quote!((_)));
                return quote!(Event::#variant #payload => Err(rt::DenialReason::not_allowed()));
            }
            let handler = names::handler(machine, handler);
            let record = (!in_none).then(|| quote!(record,));
            let (payload, event) = if has_payload {
                (Some(quote!((event))), Some(quote!(event,)))
            } else {
                (None, None)
            };
            quote!(Event::#variant #payload => handler::#handler(#record #event cx))
        });
    let record = (!in_none).then(|| quote!(record: &mut Record,));
    let outer = machine
        .state(state)
        .parent
        .and_then(|parent| first_dispatcher(machine, parent));
    let rest = if let Some(outer) = outer {
        quote!(#outer(record, event, cx))
    } else {
        quote!(Err(rt::DenialReason::not_allowed()))
    };
    quote! {
        #[inline]
        pub(super) fn #name(#record event: &mut Event, cx: &mut Cx) -> Result<StepEnd, rt::DenialReason> {
            match event {
                #(#arms,)*
                _ => #rest,
            }
        }
    }
}

/// Returns code that dispatches recorded calls to host tools: to the entry of the tool, which may be inherited, or else
/// to the entry `other_tools`.
pub(super) fn host_tools(machine: &Machine) -> TokenStream {
    let externals = machine
        .event_ids()
        .filter(|id| matches!(machine.event(*id).kind, EventKind::External));
    let leaves: Vec<StateId> = machine.leaves_of_records().collect();
    let by_record = |event: EventId| {
        let mut groups: Vec<(HandlerId, Vec<StateId>)> = Vec::new();
        for leaf in &leaves {
            let Some(first) = machine
                .taken_for(*leaf, event)
                .and_then(<[TransitionId]>::first)
            else {
                continue;
            };
            let handler = machine.transition(*first).handler;
            match groups.iter_mut().find(|(known, _)| *known == handler) {
                Some((_, leaves)) => leaves.push(*leaf),
                None => groups.push((handler, vec![*leaf])),
            }
        }
        let arms = groups.iter().map(|(handler, leaves)| {
            let name = names::handler(machine, *handler);
            let leaves = leaves.iter().map(|leaf| names::of_state(machine, *leaf));
            quote!(#(State::#leaves)|* => #name(record, event, cx))
        });
        if groups.is_empty() {
            quote!(Err(rt::DenialReason::not_allowed()))
        } else {
            quote!(match record.state { #(#arms,)* _ => Err(rt::DenialReason::not_allowed()) })
        }
    };
    let in_none = |event: EventId| {
        let first = machine
            .taken_for(StateId::NONE, event)
            .and_then(<[TransitionId]>::first);
        if let Some(first) = first {
            let name = names::handler(machine, machine.transition(*first).handler);
            quote!(#name(event, cx))
        } else {
            quote!(Err(rt::DenialReason::not_allowed()))
        }
    };
    let externals: Vec<EventId> = externals.collect();
    let texts: Vec<&str> = externals
        .iter()
        .map(|id| machine.event(*id).name.as_str())
        .collect();
    let records = externals.iter().map(|id| by_record(*id));
    let nones = externals.iter().map(|id| in_none(*id));
    let (other_record, other_none) = (
        by_record(machine.other_tools()),
        in_none(machine.other_tools()),
    );
    quote! {
        pub(super) fn host_tool(record: &mut Record, event: &mut rt::HostTool, cx: &mut Cx) -> Result<StepEnd, rt::DenialReason> {
            match event.decided_by() {
                #(#texts => #records,)*
                _ => #other_record,
            }
        }

        pub(super) fn host_tool_without_plan(event: &mut rt::HostTool, cx: &mut Cx) -> Result<StepEnd, rt::DenialReason> {
            match event.decided_by() {
                #(#texts => #nones,)*
                _ => #other_none,
            }
        }
    }
}

/// Returns the step functions for a record and for `none`.
pub(super) fn entry_points(machine: &Machine) -> TokenStream {
    let leaves = machine.leaves_of_records();
    let arms = leaves.map(|leaf| {
        let state = names::of_state(machine, leaf);
        let code = if let Some(name) = first_dispatcher(machine, leaf) {
            quote!(dispatch::#name(record, event, cx))
        } else {
            quote!(Err(rt::DenialReason::not_allowed()))
        };
        quote!(State::#state => #code)
    });
    let none = if let Some(name) = first_dispatcher(machine, StateId::NONE) {
        quote!(dispatch::#name(event, cx))
    } else {
        quote!(Err(rt::DenialReason::not_allowed()))
    };
    quote! {
        #[inline]
        fn in_record(record: &mut Record, event: &mut Event, cx: &mut Cx, _: rt::Runtime<Self>) -> Result<StepEnd, rt::DenialReason> {
            if let Event::HostTool(event) = event {
                return handler::host_tool(record, event, cx);
            }
            match record.state { #(#arms,)* }
        }

        #[inline]
        fn in_none(event: &mut Event, cx: &mut Cx, _: rt::Runtime<Self>) -> Result<StepEnd, rt::DenialReason> {
            if let Event::HostTool(event) = event {
                return handler::host_tool_without_plan(event, cx);
            }
            #none
        }
    }
}

/// Returns the function that builds the replies of commands that go to every record.
pub(super) fn late_replies(machine: &Machine) -> TokenStream {
    let late = machine.transition_ids().filter_map(|id| {
        let event = event_of(machine, machine.transition(id));
        let reply = reply::of(machine, id).filter(|_| reply::is_late(machine, id))?;
        let (number, variant) = (id.0, names::of_event(machine, event));
        let payload = reply.of_event().then(|| quote!((event)));
        let call = reply.call(&quote!(record), &quote!(event), &quote!(&[record]));
        let call = if reply.fails {
            quote!(#call.map_err(rt::Fault::in_reply)?)
        } else {
            call
        };
        let answer = reply.answer();
        Some(quote!((#number, Event::#variant #payload) => { let reply = #call; Ok(#answer) }))
    });
    quote! {
        fn late_reply(taken: u16, record: &Record, event: &Event, cx: &Cx) -> Result<PendingReply, rt::DenialReason> {
            match (u32::from(taken), event) {
                #(#late)*
                _ => Ok(rt::PendingReply::State),
            }
        }
    }
}

/// Returns the machine's own events except for timers, each with its index in the tables, in the order of the tables.
pub(super) fn event_places(machine: &Machine) -> Vec<(EventId, u16)> {
    let place = |id: &EventId| u16::try_from(id.index()).unwrap_or(u16::MAX);
    own_events(machine)
        .into_iter()
        .map(|id| (id, place(&id)))
        .collect()
}
