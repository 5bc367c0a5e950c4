//! Field accessors: they return the plain value if the state guarantees that the field is set, and an optional
//! otherwise.

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

/// Returns the leaves in which a field is guaranteed to be set.
fn having(machine: &Machine, field: FieldId) -> Vec<StateId> {
    machine
        .leaves()
        .filter(|leaf| machine.has(*leaf).any(|has| has == field))
        .collect()
}

/// Returns the accessors that every plan has, apart from those for its data fields.
pub(super) fn common(machine: &Machine) -> TokenStream {
    let due = machine.has_timers().then(due);
    quote! {
        /// The record of the plan.
        #[must_use]
        pub fn record(&self) -> &Record {
            &self.record
        }

        /// The id of the plan.
        #[must_use]
        pub fn id(&self) -> &rt::Id {
            &self.record.id
        }

        /// The revision of the plan: 1 at first, and one more after each step that moves or changes the plan.
        #[must_use]
        pub fn revision(&self) -> u64 {
            self.record.revision
        }

        /// The edition of the plan, which increases with each step that writes a reviewed field.
        #[must_use]
        pub fn edition(&self) -> u64 {
            self.record.edition
        }

        /// The id of the plan that this plan succeeded, if there is one.
        #[must_use]
        pub fn previous(&self) -> Option<&rt::Id> {
            self.record.previous.as_ref()
        }

        /// The current state of the plan.
        #[must_use]
        pub fn state(&self) -> State {
            self.record.state
        }

        /// The data of the plan.
        #[must_use]
        pub fn data(&self) -> &Data {
            &self.record.data
        }

        /// The token of the content that a person reviews: a decision on the plan must carry this token.
        #[must_use]
        pub fn token(&self) -> rt::Token {
            token(&self.record)
        }

        #due
    }
}

fn due() -> TokenStream {
    quote! {
        /// The instant at which the next timer of the plan is due; `None` if no timer is running.
        #[must_use]
        pub fn due(&self) -> Option<rt::Instant> {
            self.record.due()
        }
    }
}

/// Returns the accessors of the fields that have the same type in every state.
pub(super) fn of_all(machine: &Machine) -> TokenStream {
    let same = fields(machine).filter(|(id, _)| having(machine, *id).is_empty());
    let accessors = same.map(|(_, field)| accessor(machine, field, &docs::of_field(field)));
    quote!(#(#accessors)*)
}

/// Returns a leaf's accessors for the fields that are guaranteed to be set in at least one state.
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
            "{}\n\nThe field is always set in {}.",
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
