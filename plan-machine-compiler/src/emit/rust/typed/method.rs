//! The method for one event of a plan in one state.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::declare::{event_doc, has_payload, is_reviewed};
use super::super::docs;
use super::super::names;
use super::super::types::kept;
use super::{answers, outcome};
use crate::lower::denial::{can_deny, has_timer};
use crate::lower::outcome::Outcome;
use crate::model::machine::Machine;
use crate::model::names::value_name;
use crate::model::{EventId, HandlerId, StateId};

struct Method<'m> {
    machine: &'m Machine,
    leaf: StateId,
    event: EventId,
    handler: HandlerId,
    plan: &'m Ident,
    denies: bool,
}

/// Returns the method for an event in a leaf that handles this event.
pub(super) fn of(machine: &Machine, leaf: StateId, event: EventId, plan: &Ident) -> TokenStream {
    let Some(handler) = machine.entry(leaf, event) else {
        return TokenStream::new();
    };
    let method = Method {
        machine,
        leaf,
        event,
        handler,
        plan,
        denies: can_deny(machine, leaf, event),
    };
    match answers::typed(machine, handler) {
        Some(typed) => method.answering(&typed),
        None => method.moving(),
    }
}

impl Method<'_> {
    fn in_none(&self) -> bool {
        self.leaf == StateId::NONE
    }

    fn parameters(&self) -> TokenStream {
        let event = self.machine.event(self.event);
        let token = is_reviewed(event).then(|| quote!(token: rt::Token,));
        let fields = event.input.iter().map(|field| {
            let name = names::field(&field.name);
            let ty = kept(self.machine, &field.ty, &TokenStream::new());
            quote!(#name: #ty,)
        });
        quote!(#token #(#fields)*)
    }

    fn payload(&self) -> Option<TokenStream> {
        let event = self.machine.event(self.event);
        if !has_payload(event) {
            return None;
        }
        let name = names::of_event(self.machine, self.event);
        let token = is_reviewed(event).then(|| quote!(token,));
        let fields = event.input.iter().map(|field| names::field(&field.name));
        Some(quote!(&mut event::#name { #token #(#fields),* },))
    }

    /// Returns the name of the variable for the context; no input has a name that ends in `_`.
    fn cx(&self) -> Ident {
        let input = &self.machine.event(self.event).input;
        let taken = input.iter().any(|field| value_name(&field.name) == "cx");
        names::ident(if taken { "cx_" } else { "cx" })
    }

    /// Returns code that makes a call if no timer of the plan is due, and otherwise returns a denial.
    fn unless_due(&self, call: TokenStream) -> TokenStream {
        if !has_timer(self.machine, self.leaf) {
            return call;
        }
        let cx = self.cx();
        quote!(self.record.check_due(#cx).and_then(|()| #call))
    }

    fn doc(&self) -> TokenStream {
        let mut text = event_doc(self.machine, self.event);
        if self.denies {
            text.push_str(
                "\n\n# Errors\n\nReturns a denial if the event is denied. A denied event changes nothing.",
            );
            if has_timer(self.machine, self.leaf) {
                text.push_str(
                    " While a timer of the plan is due, every event is denied as `stale`.",
                );
            }
        }
        docs::doc(&text)
    }

    fn places(&self) -> (u16, u16) {
        let leaves = self.machine.leaves();
        let state = leaves
            .into_iter()
            .position(|leaf| leaf == self.leaf)
            .unwrap_or(0);
        (
            u16::try_from(state).unwrap_or(u16::MAX),
            u16::try_from(self.event.index()).unwrap_or(u16::MAX),
        )
    }

    /// Returns the method of an event that reads the plan or changes it within its state; the method returns the reply.
    fn answering(&self, typed: &answers::TypedReply) -> TokenStream {
        let (name, doc) = (names::method(self.machine, self.event), self.doc());
        let (parameters, payload) = (self.parameters(), self.payload());
        let answer = names::handler(self.machine, self.handler);
        let (receiver, record) = match (self.in_none(), typed.looks) {
            (true, _) => (quote!(self), None),
            (false, true) => (quote!(&self), Some(quote!(&self.record,))),
            (false, false) => (quote!(&mut self), Some(quote!(&mut self.record,))),
        };
        let around = self.cx();
        let cx = if typed.looks && !self.in_none() {
            quote!(#around: &Cx)
        } else {
            quote!(#around: &mut Cx)
        };
        let call = self.unless_due(quote!(answer::#answer(#record #payload #around)));
        let (state, event) = self.places();
        let ty = typed.given.ty(None);
        let (ty, body) = if self.denies {
            (
                quote!(Result<#ty, rt::DeniedStep>),
                quote!(#call.map_err(|reason| rt::denied::<Machine>(#state, #event, reason))),
            )
        } else {
            (quote!(#ty), quote!(rt::proved(#call)))
        };
        quote! {
            #doc
            pub fn #name(#receiver, #parameters #cx) -> #ty {
                #body
            }
        }
    }

    /// Returns the method of an event without a typed reply, such as one that moves, ends or starts the plan.
    fn moving(&self) -> TokenStream {
        let outcomes = outcome::distinct(self.machine, self.leaf, self.event);
        let stays = matches!(outcomes[..], [Outcome::Stays]);
        let (receiver, record, back) = match (self.in_none(), stays) {
            (true, _) => (quote!(self), None, None),
            (false, true) => (quote!(&mut self), Some(quote!(&mut self.record,)), None),
            (false, false) => (
                quote!(mut self),
                Some(quote!(&mut self.record,)),
                Some(quote!(let record = self.record;)),
            ),
        };
        let handler = names::handler(self.machine, self.handler);
        let (payload, around) = (self.payload(), self.cx());
        let call = self.unless_due(quote!(handler::#handler(#record #payload #around)));
        let (ty, made) = self.given(&outcomes);
        let after = after(&outcomes);
        let (ty, body) = if self.denies {
            let (error, denial) = self.denial(back.is_some());
            let body = quote! {
                match #call {
                    Ok(#after) => { #back Ok(#made) }
                    Err(reason) => Err(#denial),
                }
            };
            (quote!(Result<#ty, #error>), body)
        } else {
            (ty, quote!(let #after = rt::proved(#call); #back #made))
        };
        let gives = (ty.to_string() != "()").then(|| quote!(-> #ty));
        let (name, doc) = (names::method(self.machine, self.event), self.doc());
        let parameters = self.parameters();
        quote! {
            #doc
            pub fn #name(#receiver, #parameters #around: &mut Cx) #gives {
                #body
            }
        }
    }

    /// Returns the type of the method's result, and the code that builds the result.
    fn given(&self, outcomes: &[Outcome]) -> (TokenStream, TokenStream) {
        if let [only] = outcomes {
            return (outcome::ty(self.machine, *only, self.plan), single(*only));
        }
        let name = outcome::name(self.machine, self.leaf, self.event);
        let made = outcome::made(self.machine, self.leaf, self.event, outcomes);
        (quote!(outcome::#name), made)
    }

    /// Returns the type of a denial and the code that builds it; if the method consumes the plan, the denial contains
    /// the plan.
    fn denial(&self, consumes: bool) -> (TokenStream, TokenStream) {
        let (state, event) = self.places();
        let denied = quote!(rt::denied::<Machine>(#state, #event, reason));
        if consumes {
            let denial = quote!(rt::DeniedMove { plan: self, denied: #denied });
            (quote!(rt::DeniedMove<Self>), denial)
        } else {
            (quote!(rt::DeniedStep), denied)
        }
    }
}

/// Returns the pattern for a handler's result; the result is examined only if it contains a record or distinguishes
/// outcomes.
fn after(outcomes: &[Outcome]) -> TokenStream {
    let leaves_nothing = matches!(
        outcomes,
        [Outcome::Stays | Outcome::Answers | Outcome::Moves(_) | Outcome::Releases(_)]
    );
    if leaves_nothing {
        quote!(_)
    } else {
        quote!(after)
    }
}

/// Returns code for the value of the only outcome.
fn single(outcome: Outcome) -> TokenStream {
    let value = outcome::value(outcome);
    match outcome {
        Outcome::Starts(_) | Outcome::Succeeds(..) => {
            quote!({ let created = rt::created(after); #value })
        }
        _ => value,
    }
}
