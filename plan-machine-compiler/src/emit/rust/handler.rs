//! One function per handler: the payload's bounds, the token, the alternatives; and the dispatch of
//! events to handlers, one function per state.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::declare::{has_payload, is_reviewed, own_events};
use super::expr::Scope;
use super::names;
use super::reply;
use super::transition::{Kind, event_of, fallible, kind, payload};
use crate::lower::faults::can_fail;
use crate::lower::refusal::bounded;
use crate::model::machine::{EventKind, HandlerKind, Machine, Next};
use crate::model::{EventId, HandlerId, StateId, TransitionId};

/// The functions of all handlers.
pub(super) fn all(machine: &Machine) -> TokenStream {
    let functions = (0..machine.handlers.len())
        .map(HandlerId::at)
        .filter_map(|id| function(machine, id));
    let host_tools = host_tools(machine);
    quote! {
        /// What each state does with each event that it handles.
        mod handler {
            use super::*;
            #(#functions)*
            #host_tools
        }
    }
}

fn function(machine: &Machine, id: HandlerId) -> Option<TokenStream> {
    let handler = machine.handler(id);
    let HandlerKind::Transitions(alternatives) = &handler.kind else {
        return None;
    };
    let name = names::handler(machine, id);
    let in_none = handler.state == StateId::NONE;
    let record = (!in_none).then(|| quote!(record: &mut Record,));
    let event = payload(machine, handler.event).map(|payload| quote!(event: &mut #payload,));
    let checks = checks(machine, handler.event, in_none);
    let each = alternatives.iter().map(|id| (*id, finish(machine, *id)));
    let choice = choose(machine, each.collect(), in_none);
    Some(quote! {
        #[inline]
        pub(super) fn #name(#record #event cx: &mut Cx) -> Result<After, rt::Refusal> {
            #checks
            #choice
        }
    })
}

/// What must hold of the payload and the context before any alternative is looked at.
pub(super) fn checks(machine: &Machine, event: EventId, in_none: bool) -> TokenStream {
    let declared = machine.event(event);
    let own = !machine.is_host_tool(event) && bounded(machine, &declared.input);
    let payload = own.then(|| quote!(event.check()?;));
    let context = bounded(machine, &machine.context).then(|| quote!(check_context(cx)?;));
    let token = (is_reviewed(declared) && !in_none).then(|| {
        quote! {
            if !cx.trusts(event.token, || token(record)) {
                return Err(rt::Refusal::stale(event.token));
            }
        }
    });
    quote!(#payload #context #token)
}

/// The first alternative whose condition holds is taken.
pub(super) fn choose(
    machine: &Machine,
    each: Vec<(TransitionId, TokenStream)>,
    in_none: bool,
) -> TokenStream {
    let mut texts = Vec::new();
    let mut code = TokenStream::new();
    for (id, taken) in each {
        let transition = machine.transition(id);
        let Some(when) = &transition.when else {
            code.extend(taken);
            return code;
        };
        let mut scope = Scope::new(machine).with_event(event_of(machine, transition));
        if !in_none {
            scope = scope.with_record("record");
        }
        let holds = scope.truth(&when.expr);
        let fails = can_fail(&when.expr);
        let holds = if fails {
            let holds = fallible(&holds, true, &quote!(bool));
            quote!(rt::holds(#holds)?)
        } else {
            holds
        };
        code.extend(quote!(if #holds { return { #taken }; }));
        texts.push(&when.text);
    }
    quote!(#code Err(rt::Refusal::needs_one_of(&[#(#texts),*])))
}

/// Takes a transition and puts its answer together.
fn finish(machine: &Machine, id: TransitionId) -> TokenStream {
    let transition = machine.transition(id);
    let name = names::transition(machine, id);
    let event = payload(machine, event_of(machine, transition)).map(|_| quote!(event,));
    let kind = kind(machine, transition);
    let (take, record, after) = match kind {
        Kind::Answers => (
            quote!(transition::#name(#event cx)?;),
            quote!(()),
            quote!(&[]),
        ),
        Kind::Starts => (
            quote!(let created = transition::#name(#event cx)?;),
            quote!(&created),
            quote!(&[&created]),
        ),
        Kind::Looks | Kind::Goes => (
            quote!(transition::#name(record, #event cx)?;),
            quote!(record),
            quote!(&[&*record]),
        ),
        Kind::Succeeds => (
            quote!(let created = transition::#name(record, #event cx)?;),
            quote!(&created),
            quote!(&[&*record, &created]),
        ),
    };
    let gives = match (kind, transition.next) {
        (Kind::Starts, _) => quote!(After::starts(created, answer)),
        (Kind::Succeeds, _) => quote!(After::succeeded(created, answer)),
        (_, Some(Next::None)) => quote!(After::released(answer)),
        _ => quote!(After::stays(answer)),
    };
    let (before, answer) = answer(machine, id, kind, &record, &after);
    quote! {
        #before
        #take
        #answer
        Ok(#gives)
    }
}

/// The answer in the variable `answer`, and what must be kept beforehand in case it fails.
fn answer(
    machine: &Machine,
    id: TransitionId,
    kind: Kind,
    record: &TokenStream,
    after: &TokenStream,
) -> (TokenStream, TokenStream) {
    let none = TokenStream::new();
    let Some(reply) = reply::of(machine, id) else {
        return (none, quote!(let answer = rt::Answer::State;));
    };
    if is_late(machine, id) {
        let number = id.0;
        return (none, quote!(let answer = rt::Answer::Late(#number as u16);));
    }
    if let (Kind::Looks, Some(lent)) = (kind, reply.lent()) {
        let check = reply.fails.then(|| {
            quote! {
                if (#lent).is_none() {
                    return Err(rt::Fault::Unset.in_reply());
                }
            }
        });
        return (
            none,
            quote!(#check let answer = rt::Answer::Lent(|record: &Record| #lent);),
        );
    }
    let call = reply.call(record, &quote!(event), after);
    let answer = reply.answer();
    if !reply.fails {
        return (none, quote!(let reply = #call; let answer = #answer;));
    }
    let changes = matches!(kind, Kind::Goes | Kind::Succeeds);
    let before = changes.then(|| quote!(let before = record.clone();));
    let restore = changes.then(|| quote!(*record = before;));
    (
        quote!(#before let mark = cx.mark();),
        quote! {
            let answer = match #call {
                Ok(reply) => #answer,
                Err(fault) => {
                    #restore
                    cx.reset(mark);
                    return Err(fault.in_reply());
                }
            };
        },
    )
}

/// Whether a reply is made last, when every record has taken a command that goes to each of them.
fn is_late(machine: &Machine, id: TransitionId) -> bool {
    let handler = machine.handler(machine.transition(id).handler);
    let each =
        matches!(&machine.event(handler.event).kind, EventKind::Command(command) if command.each);
    each && handler.state != StateId::NONE
}

/// The dispatch of events to handlers.
pub(super) fn dispatch(machine: &Machine) -> TokenStream {
    let speaking = |id: &StateId| !own_entries(machine, *id).is_empty();
    let functions = machine
        .state_ids()
        .filter(speaking)
        .map(|id| dispatcher(machine, id));
    quote! {
        /// One function per state that handles something itself; what it does not handle goes to
        /// the state around it.
        mod dispatch {
            use super::*;
            #(#functions)*
        }
    }
}

/// What a state says itself of the machine's own events.
fn own_entries(machine: &Machine, state: StateId) -> Vec<(EventId, HandlerId)> {
    let on = &machine.state(state).on;
    on.iter()
        .copied()
        .filter(|(event, _)| !machine.is_host_tool(*event))
        .collect()
}

/// The function that a state's events go to first.
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
                return quote!(Event::#variant #payload => Err(rt::Refusal::not_allowed()));
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
        quote!(Err(rt::Refusal::not_allowed()))
    };
    quote! {
        #[inline]
        pub(super) fn #name(#record event: &mut Event, cx: &mut Cx) -> Result<After, rt::Refusal> {
            match event {
                #(#arms,)*
                _ => #rest,
            }
        }
    }
}

/// Tools of the host that are recorded: by their own entry, inherited too, else by `other_tools`.
fn host_tools(machine: &Machine) -> TokenStream {
    let externals = machine
        .event_ids()
        .filter(|id| matches!(machine.event(*id).kind, EventKind::External));
    let leaves: Vec<StateId> = machine
        .leaves()
        .filter(|leaf| *leaf != StateId::NONE)
        .collect();
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
            quote!(Err(rt::Refusal::not_allowed()))
        } else {
            quote!(match record.state { #(#arms,)* _ => Err(rt::Refusal::not_allowed()) })
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
            quote!(Err(rt::Refusal::not_allowed()))
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
        pub(super) fn host_tool(record: &mut Record, event: &mut rt::HostTool, cx: &mut Cx) -> Result<After, rt::Refusal> {
            match event.tool.as_str() {
                #(#texts => #records,)*
                _ => #other_record,
            }
        }

        pub(super) fn host_tool_without_plan(event: &mut rt::HostTool, cx: &mut Cx) -> Result<After, rt::Refusal> {
            match event.tool.as_str() {
                #(#texts => #nones,)*
                _ => #other_none,
            }
        }
    }
}

/// The step of a record and of `none`.
pub(super) fn entry_points(machine: &Machine) -> TokenStream {
    let leaves = machine.leaves().filter(|leaf| *leaf != StateId::NONE);
    let arms = leaves.map(|leaf| {
        let state = names::of_state(machine, leaf);
        let code = if let Some(name) = first_dispatcher(machine, leaf) {
            quote!(dispatch::#name(record, event, cx))
        } else {
            quote!(Err(rt::Refusal::not_allowed()))
        };
        quote!(State::#state => #code)
    });
    let none = if let Some(name) = first_dispatcher(machine, StateId::NONE) {
        quote!(dispatch::#name(event, cx))
    } else {
        quote!(Err(rt::Refusal::not_allowed()))
    };
    quote! {
        #[inline]
        fn in_record(record: &mut Record, event: &mut Event, cx: &mut Cx) -> Result<After, rt::Refusal> {
            if let Event::HostTool(event) = event {
                return handler::host_tool(record, event, cx);
            }
            match record.state { #(#arms,)* }
        }

        #[inline]
        fn in_none(event: &mut Event, cx: &mut Cx) -> Result<After, rt::Refusal> {
            if let Event::HostTool(event) = event {
                return handler::host_tool_without_plan(event, cx);
            }
            #none
        }
    }
}

/// The replies of commands that go to each record.
pub(super) fn late_replies(machine: &Machine) -> TokenStream {
    let late = machine.transition_ids().filter_map(|id| {
        let event = event_of(machine, machine.transition(id));
        let reply = reply::of(machine, id).filter(|_| is_late(machine, id))?;
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
        fn late_reply(taken: u16, record: &Record, event: &Event, cx: &Cx) -> Result<Answer, rt::Refusal> {
            match (u32::from(taken), event) {
                #(#late)*
                _ => Ok(rt::Answer::State),
            }
        }
    }
}

/// The events in the order of the tables, each with its place.
pub(super) fn event_places(machine: &Machine) -> Vec<(EventId, u16)> {
    let place = |id: &EventId| u16::try_from(id.index()).unwrap_or(u16::MAX);
    own_events(machine)
        .into_iter()
        .map(|id| (id, place(&id)))
        .collect()
}
