//! Builds the code of a transition, piece by piece.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::changes::{Base, Changes};
use super::super::expr::Scope;
use super::super::{names, timers};
use crate::model::machine::{Machine, Next, Transition};
use crate::model::{EventId, StateId};

/// Returns the event whose payload a transition reads: the event of its entry.
pub(in crate::emit::rust) fn event_of(machine: &Machine, transition: &Transition) -> EventId {
    machine.handler(transition.handler).event
}

/// The code of a transition, piece by piece.
pub(super) struct Work<'m> {
    pub(super) machine: &'m Machine,
    pub(super) transition: &'m Transition,
    pub(super) scope: Scope<'m>,
}

impl Work<'_> {
    fn changes(&self, base: Base) -> Changes<'_> {
        Changes {
            machine: self.machine,
            all: &self.transition.changes,
            base,
            scope: self.scope.clone().storing(true),
        }
    }

    pub(super) fn answers(&self) -> TokenStream {
        let scope = Scope::new(self.machine).with_event(event_of(self.machine, self.transition));
        let effects = self.effects_of(&self.transition.emit, &scope, None);
        if effects.is_empty() {
            return quote!(Ok(()));
        }
        quote! {
            let mark = cx.mark();
            let emitted = (|| -> Result<(), rt::DenialReason> { #effects Ok(()) })();
            if emitted.is_err() {
                cx.reset(seal::Seal(()), mark);
            }
            emitted
        }
    }

    pub(super) fn starts(&self) -> TokenStream {
        let scope = Scope {
            starting: true,
            ..self.scope.clone()
        };
        let changes = Changes {
            scope: scope.storing(true),
            ..self.changes(Base::Start)
        };
        let (find, bounds, data) = (changes.find(), changes.bounds(), changes.data());
        let leaf = self
            .transition
            .to
            .map_or(StateId::NONE, |to| self.machine.state(to).initial_leaf);
        let state = names::of_state(self.machine, leaf);
        let written = self.machine.writes_reviewed(self.transition);
        let (edition, keep) = self.edition(quote!(cx.first_edition(#written)));
        let effects = self.effects_of(
            &self.transition.emit,
            &self.seeing("created"),
            Some("created"),
        );
        let entries = self.entries_of_new(leaf, "created");
        let settle = settle(&quote!(#effects #entries), self.effects_fail(), None);
        let timers = timers::started(self.machine);
        quote! {
            let id = cx.new_id();
            #find
            #bounds
            let created = Record::start(seal::Seal(()), id, State::#state, #data, #edition) #timers;
            #settle
            #keep
            Ok(created)
        }
    }

    pub(super) fn goes(&self) -> TokenStream {
        let changes = self.changes(Base::Own);
        let (find, bounds, write) = (changes.find(), changes.bounds(), changes.write());
        let transition = self.transition;
        let grows = transition.to.is_some() || !transition.changes.is_empty();
        let revision = grows.then(|| quote!(open.revision += 1;));
        let written = self.machine.writes_reviewed(transition);
        let edition = written.then(|| quote!(open.edition = cx.edition_after(open.edition);));
        let keep = written.then(|| quote!(cx.keep_edition(seal::Seal(()), record.edition);));
        let moved = self.moved();
        let (from, exits, entries) = self.on_the_way();
        let own = self.effects_of(&transition.emit, &self.seeing("record"), Some("record"));
        let settle = settle(&quote!(#exits #own #entries), self.effects_fail(), Some(()));
        let before = before(self.effects_fail());
        let open = grows.then(open);
        let timers = timers::moved(self.machine, transition);
        quote! {
            #find
            #bounds
            #before
            #from
            #open
            #write
            #revision
            #edition
            #moved
            #timers
            #settle
            #keep
            Ok(())
        }
    }

    pub(super) fn succeeds(&self) -> TokenStream {
        let base = match self.transition.next {
            Some(Next::Fresh(_)) => Base::Start,
            _ => Base::Copy,
        };
        let changes = self.changes(base);
        let (find, bounds, data) = (changes.find(), changes.bounds(), changes.data());
        let leaf = self
            .machine
            .successor(self.transition)
            .unwrap_or(StateId::NONE);
        let state = names::of_state(self.machine, leaf);
        let written = self.machine.writes_reviewed(self.transition);
        let edition = quote!(cx.succeeding_edition(record.edition, #written));
        let (edition, keep) = self.edition(edition);
        let revision = self.transition.to.map(|_| quote!(open.revision += 1;));
        let moved = self.moved();
        let (from, exits, entries) = self.on_the_way();
        let own = self.effects_of(
            &self.transition.emit,
            &self.seeing("created"),
            Some("created"),
        );
        let first = self.entries_of_new(leaf, "created");
        let settle = settle(
            &quote!(#exits #own #entries #first),
            self.effects_fail(),
            Some(()),
        );
        let before = before(self.effects_fail());
        let open = self.transition.to.map(|_| open());
        let (started, ended) = (
            timers::started(self.machine),
            timers::moved(self.machine, self.transition),
        );
        quote! {
            #find
            #bounds
            let data = #data;
            let id = cx.new_id();
            let created = record.succeed(seal::Seal(()), id, State::#state, data, #edition) #started;
            #before
            #from
            #open
            #revision
            #moved
            #ended
            #settle
            #keep
            Ok(created)
        }
    }

    /// Returns code for the edition of the created record, and code that marks this edition as used. In a machine
    /// without reviewed data, the edition is always 0.
    fn edition(&self, edition: TokenStream) -> (TokenStream, Option<TokenStream>) {
        if self.machine.review.is_empty() {
            return (quote!(0), None);
        }
        let keep = quote!(cx.keep_edition(seal::Seal(()), created.edition););
        (edition, Some(keep))
    }
}

/// Returns code that makes the record's fields writable in the variable `open`.
fn open() -> TokenStream {
    quote!(let open = record.open(seal::Seal(()));)
}

/// Returns code that saves the record, so that a step whose effects fail can be rolled back.
fn before(fails: bool) -> Option<TokenStream> {
    fails.then(|| quote!(let before = record.clone();))
}

/// Returns code that emits effects and, if one of them fails, rolls the step back.
fn settle(effects: &TokenStream, fails: bool, record: Option<()>) -> TokenStream {
    if !fails {
        return quote!(#effects);
    }
    let restore = record.map(|()| quote!(*record = before;));
    quote! {
        let mark = cx.mark();
        let emitted = (|| -> Result<(), rt::DenialReason> { #effects Ok(()) })();
        if let Err(reason) = emitted {
            #restore
            cx.reset(seal::Seal(()), mark);
            return Err(reason);
        }
    }
}
