//! Handlers whose reply is returned by a typed method: handlers that leave the plan in its state.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::handler::{checks, choose};
use super::super::names;
use super::super::reply::{self, Reply};
use super::super::transition::{Kind, event_of, kind, payload};
use crate::model::machine::{HandlerKind, Machine};
use crate::model::types::Type;
use crate::model::{HandlerId, StateId, TransitionId};

/// The value that a typed method returns.
#[derive(Clone)]
pub(super) enum ReturnedValue {
    /// A string borrowed from the plan.
    Borrowed,
    /// An owned string.
    Text,
    /// A JSON value.
    Json,
    /// A value of another type.
    Other(TokenStream),
}

impl ReturnedValue {
    /// Returns the type of the value; `life` is the lifetime of a borrowed value.
    pub(super) fn ty(&self, life: Option<&TokenStream>) -> TokenStream {
        match self {
            ReturnedValue::Borrowed => quote!(&#life str),
            ReturnedValue::Text => quote!(String),
            ReturnedValue::Json => quote!(rt::Json),
            ReturnedValue::Other(ty) => ty.clone(),
        }
    }
}

/// The reply of a typed method.
pub(super) struct TypedReply {
    /// The returned value.
    pub(super) given: ReturnedValue,
    /// Whether the method only reads the plan.
    pub(super) looks: bool,
}

fn alternatives(machine: &Machine, handler: HandlerId) -> &[TransitionId] {
    match &machine.handler(handler).kind {
        HandlerKind::Transitions(all) => all,
        _ => &[],
    }
}

/// Returns the reply of a handler that leaves the plan in its state, if at least one alternative has a reply.
pub(super) fn typed(machine: &Machine, handler: HandlerId) -> Option<TypedReply> {
    let all = alternatives(machine, handler);
    let kinds: Vec<Kind> = all
        .iter()
        .map(|id| kind(machine, machine.transition(*id)))
        .collect();
    let stays = all.iter().zip(&kinds).all(|(id, kind)| {
        let transition = machine.transition(*id);
        let stays = transition.to.is_none() && transition.next.is_none();
        stays && matches!(kind, Kind::Answers | Kind::Looks | Kind::Goes)
    });
    let replies: Vec<Reply<'_>> = all
        .iter()
        .filter_map(|id| reply::of(machine, *id))
        .collect();
    let first = replies.first().filter(|_| stays)?;
    let looks = kinds.iter().all(|kind| matches!(kind, Kind::Looks));
    let same = replies
        .iter()
        .all(|reply| reply.spec_type() == first.spec_type());
    let lent =
        looks && replies.len() == all.len() && replies.iter().all(|reply| reply.lent().is_some());
    let given = if !same || first.is_json() {
        ReturnedValue::Json
    } else if lent {
        ReturnedValue::Borrowed
    } else if *first.spec_type() == Type::Text {
        ReturnedValue::Text
    } else {
        ReturnedValue::Other(first.ty())
    };
    Some(TypedReply { given, looks })
}

/// Returns the module `answer`, which contains the handlers whose reply a typed method returns.
pub(in super::super) fn all(machine: &Machine) -> TokenStream {
    let functions = (0..machine.handlers.len())
        .map(HandlerId::at)
        .filter_map(|id| function(machine, id));
    quote! {
        /// The handlers that return a reply.
        mod answer {
            use super::*;
            #(#functions)*
        }
    }
}

fn function(machine: &Machine, id: HandlerId) -> Option<TokenStream> {
    let handler = machine.handler(id);
    if machine.is_host_tool(handler.event) {
        return None;
    }
    let TypedReply { given, looks } = typed(machine, id)?;
    let name = names::handler(machine, id);
    let in_none = handler.state == StateId::NONE;
    let (record, cx) = match (in_none, looks) {
        (true, _) => (None, quote!(cx: &mut Cx)),
        (false, true) => (Some(quote!(record: &'p Record,)), quote!(cx: &Cx)),
        (false, false) => (Some(quote!(record: &'p mut Record,)), quote!(cx: &mut Cx)),
    };
    let event = payload(machine, handler.event).map(|payload| quote!(event: &mut #payload,));
    let checks = checks(machine, handler.event, in_none);
    let each = alternatives(machine, id)
        .iter()
        .map(|id| (*id, finish(machine, *id, &given, in_none)));
    let choice = choose(machine, each.collect(), in_none);
    let lifetime = (!in_none).then(|| quote!(<'p>));
    let ty = given.ty(Some(&quote!('p)));
    Some(quote! {
        pub(super) fn #name #lifetime(#record #event #cx) -> Result<#ty, rt::DenialReason> {
            #checks
            #choice
        }
    })
}

fn finish(
    machine: &Machine,
    id: TransitionId,
    given: &ReturnedValue,
    in_none: bool,
) -> TokenStream {
    let transition = machine.transition(id);
    let name = names::transition(machine, id);
    let event = payload(machine, event_of(machine, transition)).map(|_| quote!(event,));
    let record = (!in_none).then(|| quote!(record,));
    let take = quote!(transition::#name(#record #event cx)?;);
    let Some(reply) = reply::of(machine, id) else {
        let state = if in_none {
            quote!("none")
        } else {
            quote!(record.state.as_str())
        };
        let state = if let ReturnedValue::Json = given {
            quote!(rt::Json::from(#state))
        } else {
            quote!(#state.to_owned())
        };
        return quote!(#take Ok(#state));
    };
    let after = if in_none {
        quote!(&[])
    } else {
        quote!(&[&*record])
    };
    let call = reply.call(&quote!(record), &quote!(event), &after);
    let value = converted(&reply, given);
    let changes = kind(machine, transition) == Kind::Goes && reply.undoes;
    if !reply.fails {
        return quote!(#take let reply = #call; Ok(#value));
    }
    let before = changes.then(|| quote!(let before = record.clone(); let mark = cx.mark();));
    let restore = changes.then(|| quote!(*record = before; cx.reset(seal::Seal(()), mark);));
    if changes {
        return quote! {
            #before
            #take
            let made = #call.map(|reply| #value);
            if made.is_err() {
                #restore
            }
            made.map_err(rt::Fault::in_reply)
        };
    }
    quote!(#take let reply = #call.map_err(rt::Fault::in_reply)?; Ok(#value))
}

/// Returns code that converts the reply in the variable `reply` to the type that all alternatives
/// return.
fn converted(reply: &Reply<'_>, given: &ReturnedValue) -> TokenStream {
    match given {
        ReturnedValue::Text if reply.lent().is_some() => quote!(reply.to_owned()),
        ReturnedValue::Json if reply.lent().is_some() => quote!(rt::Json::from(reply)),
        ReturnedValue::Json if !reply.is_json() => quote!(rt::Value::encode(&reply)),
        _ => quote!(reply),
    }
}
