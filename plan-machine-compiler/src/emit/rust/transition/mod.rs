//! One function per transition, used by both typed methods and the dynamic step: requirements, changes and effects.

mod effects;
mod require;
mod work;

pub(super) use require::fallible;
pub(super) use work::event_of;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::Scope;
use super::names;
use crate::lower::faults::reads_event;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{ChangeKind, EventKind, Fate, Machine, Next, Transition, Which};
use crate::model::{EventId, FieldId, StateId, TransitionId};

/// The kinds of transitions, which determine the parameters and results of their functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// There is no record, and none is started: the event can only emit effects and get a reply.
    Answers,
    /// A record is started.
    Starts,
    /// A record is read, and nothing changes.
    Looks,
    /// A record stays in its state, moves to another state, or leaves the slot.
    Goes,
    /// A record ends, and another record replaces it.
    Succeeds,
}

pub(super) fn kind(machine: &Machine, transition: &Transition) -> Kind {
    let from_none = machine.handler(transition.handler).state == StateId::NONE;
    match (from_none, transition.to, transition.next) {
        (true, None, _) => Kind::Answers,
        (true, Some(_), _) => Kind::Starts,
        (false, _, Some(Next::Copy(_) | Next::Fresh(_))) => Kind::Succeeds,
        (false, None, None) if transition.changes.is_empty() && transition.emit.is_empty() => {
            Kind::Looks
        }
        _ => Kind::Goes,
    }
}

/// Returns the type of an event's payload; `None` if the event has no payload.
pub(super) fn payload(machine: &Machine, id: EventId) -> Option<TokenStream> {
    let event = machine.event(id);
    if matches!(event.kind, EventKind::External | EventKind::Other) {
        return Some(quote!(rt::HostTool));
    }
    let name = names::of_event(machine, id);
    super::declare::has_payload(event).then(|| quote!(event::#name))
}

/// Returns the functions of all transitions.
pub(super) fn all(machine: &Machine) -> TokenStream {
    // An alternative with `deny` is never taken, so it needs no function.
    let taken = |id: &TransitionId| machine.transition(*id).fate != Fate::Deny;
    let functions = machine
        .transition_ids()
        .filter(taken)
        .map(|id| function(machine, id));
    quote! {
        /// The requirements, changes and effects of each transition.
        mod transition {
            use super::*;
            #(#functions)*
        }
    }
}

fn function(machine: &Machine, id: TransitionId) -> TokenStream {
    let transition = machine.transition(id);
    let event = event_of(machine, transition);
    let name = names::transition(machine, id);
    let kind = kind(machine, transition);
    let payload = payload(machine, event).map(|payload| quote!(event: &mut #payload,));
    let scope = Scope {
        taken: taken(transition),
        ..Scope::new(machine).with_event(event)
    };
    let scope = if matches!(kind, Kind::Answers | Kind::Starts) {
        scope
    } else {
        scope.with_record("record")
    };
    let require = require::require(transition, &scope);
    let work = work::Work {
        machine,
        transition,
        scope,
    };
    let (record, gives, body) = match kind {
        Kind::Answers => (None, quote!(()), work.answers()),
        Kind::Starts => (None, quote!(Box<Record>), work.starts()),
        Kind::Looks => (Some(quote!(record: &Record,)), quote!(()), quote!(Ok(()))),
        Kind::Goes => (Some(quote!(record: &mut Record,)), quote!(()), work.goes()),
        Kind::Succeeds => (
            Some(quote!(record: &mut Record,)),
            quote!(Box<Record>),
            work.succeeds(),
        ),
    };
    let cx = if kind == Kind::Looks {
        quote!(cx: &Cx)
    } else {
        quote!(cx: &mut Cx)
    };
    let payload = match kind {
        Kind::Looks => payload_of_look(machine, event),
        _ => payload,
    };
    quote! {
        #[inline]
        pub(super) fn #name(#record #payload #cx) -> Result<#gives, rt::DenialReason> {
            #require
            #body
        }
    }
}

fn payload_of_look(machine: &Machine, event: EventId) -> Option<TokenStream> {
    payload(machine, event).map(|payload| quote!(event: &#payload,))
}

/// Returns the payload fields that only one change reads and that nothing reads after that change.
fn taken(transition: &Transition) -> BTreeSet<FieldId> {
    let mut counts = std::collections::BTreeMap::new();
    let mut count = |expr: &Expr, weight: usize| {
        expr.walk(&mut |inner| {
            if let ExprKind::Event(field) = inner.kind {
                *counts.entry(field).or_insert(0) += weight;
            }
        });
    };
    for change in &transition.changes {
        match &change.kind {
            ChangeKind::Set(value) | ChangeKind::Append(value) => count(value, 1),
            ChangeKind::Clear => {}
            ChangeKind::Remove(at) => count(at, 1),
            ChangeKind::Insert(at, value) => {
                count(at, 1);
                count(value, 1);
            }
            // The values of an update may be computed once per item.
            ChangeKind::Update { which, set, .. } => {
                match which {
                    Which::At(expr) | Which::Where(expr) | Which::First(expr) => count(expr, 2),
                }
                for (_, value) in set {
                    count(value, 2);
                }
            }
        }
    }
    let once = counts
        .into_iter()
        .filter(|(_, times)| *times == 1)
        .map(|(field, _)| field);
    let later = |field: &FieldId| {
        let emitted = transition
            .emit
            .iter()
            .flat_map(|emit| emit.fields.iter().flatten());
        let mut all = emitted.chain(&transition.reply);
        all.any(|expr| reads_event(expr, *field))
    };
    once.filter(|field| !later(field)).collect()
}
