//! The effects of a transition: its own effects, and the effects of the states that it leaves and enters.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::expr::Scope;
use super::super::values::start;
use super::super::{names, timers};
use super::require::fallible;
use super::work::Work;
use crate::lower::faults::can_fail;
use crate::lower::path::Path;
use crate::model::StateId;
use crate::model::bounds::states_bounds;
use crate::model::machine::Emit;

impl Work<'_> {
    pub(super) fn seeing(&self, record: &str) -> Scope<'_> {
        Scope {
            taken: BTreeSet::new(),
            ..self.scope.clone()
        }
        .with_record(record)
    }

    pub(super) fn moved(&self) -> Option<TokenStream> {
        let to = self.machine.state(self.transition.to?).initial_leaf;
        let state = names::of_state(self.machine, to);
        Some(quote!(open.state = State::#state;))
    }

    /// Returns code that stores the old state if it is needed, and code for the effects of the exit actions and of the
    /// entry actions, for all leaves that the record may come from.
    pub(super) fn on_the_way(&self) -> (Option<TokenStream>, TokenStream, TokenStream) {
        let machine = self.machine;
        let Some(to) = self.transition.to else {
            return (None, TokenStream::new(), TokenStream::new());
        };
        let to = machine.state(to).initial_leaf;
        let handler = self.transition.handler;
        let leaves = machine.users(handler);
        let speaks = |states: Vec<StateId>, exit: bool| -> Vec<StateId> {
            let emits = |id: &StateId| {
                let state = machine.state(*id);
                !(if exit { &state.exit } else { &state.enter }).is_empty()
            };
            states.into_iter().filter(emits).collect()
        };
        let exits: Vec<_> = leaves
            .iter()
            .map(|leaf| (*leaf, speaks(machine.path(*leaf, to).0, true)))
            .collect();
        let entries: Vec<_> = leaves
            .iter()
            .map(|leaf| (*leaf, speaks(machine.path(*leaf, to).1, false)))
            .collect();
        let exits = self.by_leaf(&exits, true);
        let entries = self.by_leaf(&entries, false);
        let differs = exits.1 || entries.1 || timers::reads_from(machine, self.transition);
        let from = differs.then(|| quote!(let from = record.state;));
        (from, exits.0, entries.0)
    }

    /// Returns code for the effects of the exit actions (if `exit` is true) or of the entry actions. The returned flag
    /// indicates whether the effects depend on the leaf.
    pub(super) fn by_leaf(
        &self,
        ways: &[(StateId, Vec<StateId>)],
        exit: bool,
    ) -> (TokenStream, bool) {
        let spoken = |states: &[StateId]| {
            let each = states.iter().map(|id| {
                let state = self.machine.state(*id);
                let emits = if exit { &state.exit } else { &state.enter };
                self.effects_of(emits, &self.without_event("record"), Some("record"))
            });
            quote!(#(#each)*)
        };
        let mut groups: Vec<(&[StateId], Vec<StateId>)> = Vec::new();
        for (leaf, way) in ways {
            match groups.iter_mut().find(|(known, _)| known == way) {
                Some((_, leaves)) => leaves.push(*leaf),
                None => groups.push((way, vec![*leaf])),
            }
        }
        if let [(way, _)] = &groups[..] {
            return (spoken(way), false);
        }
        let arms = groups
            .iter()
            .filter(|(way, _)| !way.is_empty())
            .map(|(way, leaves)| {
                let leaves = leaves
                    .iter()
                    .map(|leaf| names::of_state(self.machine, *leaf));
                let code = spoken(way);
                quote!(#(State::#leaves)|* => { #code })
            });
        (quote!(match from { #(#arms)* _ => {} }), true)
    }

    pub(super) fn without_event(&self, record: &str) -> Scope<'_> {
        Scope::new(self.machine).with_record(record)
    }

    pub(super) fn entries_of_new(&self, leaf: StateId, record: &str) -> TokenStream {
        let each = self.machine.entries_from_root(leaf).into_iter().map(|id| {
            let emits = &self.machine.state(id).enter;
            self.effects_of(emits, &self.without_event(record), Some(record))
        });
        quote!(#(#each)*)
    }

    /// Returns whether an effect can fail after the record has changed, for at least one leaf that takes the
    /// transition.
    pub(super) fn effects_fail(&self) -> bool {
        let leaves = self.machine.users(self.transition.handler).into_iter();
        let mut paths = leaves.map(|leaf| Path::new(self.machine, leaf, self.transition));
        paths.any(|path| path.effects_fail())
    }

    pub(super) fn effects_of(
        &self,
        emits: &[Emit],
        scope: &Scope<'_>,
        record: Option<&str>,
    ) -> TokenStream {
        let machine = self.machine;
        let each = emits.iter().map(|emit| {
            let declared = &machine.effect(emit.effect).fields;
            let fields = declared.iter().zip(&emit.fields).map(|(field, value)| {
                let name = names::field(&field.name);
                let key = &field.name;
                let value = match value {
                    Some(expr) if can_fail(expr) => {
                        let kept = scope.kept_as(expr, &field.ty);
                        let kept = fallible(&kept, true, &quote!(_));
                        quote!(#kept.map_err(|fault| fault.in_effect(#key))?)
                    }
                    Some(expr) => scope.kept_as(expr, &field.ty),
                    None => start(machine, field),
                };
                quote!(#name: #value)
            });
            let name = names::of_effect(machine, emit.effect);
            let made = if declared.is_empty() {
                quote!(Effect::#name)
            } else {
                quote!(Effect::#name { #(#fields),* })
            };
            let bounds = states_bounds(machine, declared).then(|| quote!(rt::in_bounds(&effect)?;));
            let put = if let Some(record) = record {
                let record = Ident::new(record, proc_macro2::Span::call_site());
                quote!(cx.emit(seal::Seal(()), &#record, effect);)
            } else {
                quote!(cx.emit_without_plan(seal::Seal(()), effect);)
            };
            quote! {{
                let effect = #made;
                #bounds
                #put
            }}
        });
        quote!(#(#each)*)
    }
}
