//! One function per handler: it checks the bounds of the payload and of the context, checks the token, and chooses an
//! alternative.

use proc_macro2::TokenStream;
use quote::quote;

use super::declare::is_reviewed;
use super::dispatch;
use super::expr::Scope;
use super::names;
use super::reply;
use super::transition::{Kind, event_of, fallible, kind, payload};
use crate::lower::bounds::bounded;
use crate::lower::faults::can_fail;
use crate::model::machine::{Fate, HandlerKind, Machine, Next};
use crate::model::{EventId, HandlerId, StateId, TransitionId};

/// Returns the functions of all handlers.
pub(super) fn all(machine: &Machine) -> TokenStream {
    let functions = (0..machine.handlers.len())
        .map(HandlerId::at)
        .filter_map(|id| function(machine, id));
    let host_tools = dispatch::host_tools(machine);
    quote! {
        /// How each state handles each of its events.
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
        pub(super) fn #name(#record #event cx: &mut Cx) -> Result<StepEnd, rt::DenialReason> {
            #checks
            #choice
        }
    })
}

/// Returns the checks of the payload, the context and the token, which come before all alternatives.
pub(super) fn checks(machine: &Machine, event: EventId, in_none: bool) -> TokenStream {
    let declared = machine.event(event);
    let own = !machine.is_host_tool(event) && bounded(machine, &declared.input);
    let payload = own.then(|| quote!(event.check(cx)?;));
    let has_context = machine.timer(event).is_none() && bounded(machine, &machine.context);
    let context = has_context.then(|| quote!(check_context(cx)?;));
    let token = (is_reviewed(declared) && !in_none).then(|| {
        quote! {
            if !cx.trusts(event.token, || token(record)) {
                return Err(rt::DenialReason::stale(event.token));
            }
        }
    });
    quote!(#payload #context #token)
}

/// Returns code that takes the first alternative whose condition holds.
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
            code.extend(if transition.fate == Fate::Deny {
                quote!(Err(rt::DenialReason::denied_call(&event.tool, &[#(#texts),*])))
            } else {
                taken
            });
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
    quote!(#code Err(rt::DenialReason::needs_one_of(&[#(#texts),*])))
}

/// Returns code that takes a transition and builds the reply.
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
        (Kind::Starts, _) => quote!(StepEnd::starts(created, answer)),
        (Kind::Succeeds, _) => quote!(StepEnd::succeeded(created, answer)),
        (_, Some(Next::None)) => quote!(StepEnd::released(answer)),
        _ => quote!(StepEnd::stays(answer)),
    };
    let (before, answer) = answer(machine, id, kind, &record, &after);
    let runs = match transition.fate {
        Fate::Count => Some(quote!(cx.count_call(seal::Seal(()), event)?;)),
        Fate::Run => Some(quote!(cx.run_call(seal::Seal(()), event)?;)),
        Fate::Accept | Fate::Deny => None,
    };
    quote! {
        #runs
        #before
        #take
        #answer
        Ok(#gives)
    }
}

/// Returns two pieces of code: the first saves the data needed for a rollback, and the second stores the answer in the
/// variable `answer`.
fn answer(
    machine: &Machine,
    id: TransitionId,
    kind: Kind,
    record: &TokenStream,
    after: &TokenStream,
) -> (TokenStream, TokenStream) {
    let none = TokenStream::new();
    let Some(reply) = reply::of(machine, id) else {
        return (none, quote!(let answer = rt::PendingReply::State;));
    };
    if reply::is_late(machine, id) {
        let number = id.0;
        return (
            none,
            quote!(let answer = rt::PendingReply::Late(#number as u16);),
        );
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
            quote!(#check let answer = rt::PendingReply::Lent(|record: &Record| #lent);),
        );
    }
    let call = reply.call(record, &quote!(event), after);
    let answer = reply.answer();
    if !reply.fails {
        return (none, quote!(let reply = #call; let answer = #answer;));
    }
    if !reply.undoes {
        let reply = quote!(let reply = #call.map_err(rt::Fault::in_reply)?;);
        return (none, quote!(#reply let answer = #answer;));
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
                    cx.reset(seal::Seal(()), mark);
                    return Err(fault.in_reply());
                }
            };
        },
    )
}
