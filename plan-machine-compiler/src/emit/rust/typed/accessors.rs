//! Field accessors: plain if the state has the field, optional otherwise.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs;
use super::super::names;
use super::super::types::{lend, lent};
use crate::model::machine::Machine;
use crate::model::types::Field;
use crate::model::{FieldId, StateId};

fn fields(machine: &Machine) -> impl Iterator<Item = (FieldId, &Field)> {
    machine
        .data
        .iter()
        .enumerate()
        .map(|(at, field)| (FieldId::at(at), field))
}

/// Returns the leaves in which a field is certain to be set.
fn having(machine: &Machine, field: FieldId) -> Vec<StateId> {
    machine
        .leaves()
        .filter(|leaf| machine.has(*leaf).any(|has| has == field))
        .collect()
}

/// Returns the accessors of every plan, apart from those for its data.
pub(super) fn common() -> TokenStream {
    quote! {
        /// The record.
        #[must_use]
        pub fn record(&self) -> &Record {
            &self.record
        }

        /// Its identity.
        #[must_use]
        pub fn id(&self) -> &rt::Id {
            &self.record.id
        }

        /// How many times it has changed.
        #[must_use]
        pub fn revision(&self) -> u64 {
            self.record.revision
        }

        /// How many times a reviewed field has changed.
        #[must_use]
        pub fn edition(&self) -> u64 {
            self.record.edition
        }

        /// The plan it succeeded.
        #[must_use]
        pub fn previous(&self) -> Option<&rt::Id> {
            self.record.previous.as_ref()
        }

        /// The state it is in.
        #[must_use]
        pub fn state(&self) -> State {
            self.record.state
        }

        /// Its data.
        #[must_use]
        pub fn data(&self) -> &Data {
            &self.record.data
        }

        /// The token of what a person would see now: a decision must carry it.
        #[must_use]
        pub fn token(&self) -> rt::Token {
            token(&self.record)
        }
    }
}

/// Returns the accessors of fields that are the same in every state.
pub(super) fn of_all(machine: &Machine) -> TokenStream {
    let same = fields(machine).filter(|(id, _)| having(machine, *id).is_empty());
    let accessors = same.map(|(_, field)| accessor(machine, field, &docs::of_field(field)));
    quote!(#(#accessors)*)
}

/// Returns a leaf's accessors of fields that are certain to be set in some state.
pub(super) fn of_leaf(machine: &Machine, leaf: StateId) -> TokenStream {
    let accessors = fields(machine).filter_map(|(id, field)| {
        let having = having(machine, id);
        if having.is_empty() {
            return None;
        }
        if having.contains(&leaf) {
            return Some(certain(machine, field));
        }
        let states = having
            .iter()
            .map(|leaf| format!("`{}`", machine.state(*leaf).name));
        let states: Vec<String> = states.collect();
        let doc = format!(
            "{}\n\nIt is always set in {}.",
            docs::of_field(field),
            states.join(", ")
        );
        Some(accessor(machine, field, &doc))
    });
    quote!(#(#accessors)*)
}

fn accessor(machine: &Machine, field: &Field, doc: &str) -> TokenStream {
    let (name, ty, doc) = (
        names::field(&field.name),
        lent(machine, &field.ty),
        docs::doc(doc),
    );
    let value = lend(&quote!(self.record.data.#name), &field.ty);
    quote! {
        #doc
        #[must_use]
        pub fn #name(&self) -> #ty {
            #value
        }
    }
}

fn certain(machine: &Machine, field: &Field) -> TokenStream {
    let (name, ty) = (
        names::field(&field.name),
        lent(machine, field.ty.required()),
    );
    let doc = docs::doc(&docs::of_field(field));
    let value = lend(&quote!(self.record.data.#name), &field.ty);
    quote! {
        #doc
        #[must_use]
        pub fn #name(&self) -> #ty {
            rt::certain(#value)
        }
    }
}
