//! The replacement that is emitted for a machine whose spec has errors.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{docs, names};
use crate::model::names::{type_name, value_name};
use crate::model::outline::{Outline, Shape};

/// The names of types that every machine has.
const TYPES: [&str; 10] = [
    "Event",
    "Tool",
    "Command",
    "State",
    "Typed",
    "Record",
    "Cx",
    "HeldPlans",
    "Machine",
    "NoPlan",
];
/// The names of values that every machine has.
const VALUES: [&str; 4] = ["Machine", "NoPlan", "MACHINE", "step"];
/// The names of types whose declarations need more than the name.
const OTHERS: [&str; 6] = [
    "AcceptedStep",
    "Broken",
    "Context",
    "Data",
    "Effect",
    "Summary",
];

/// Returns definitions of the names that the surrounding code uses. Their types contain `error`, a call to
/// `compile_error!`, so that the compiler reports this error once, and reports no further errors where the names are
/// used.
#[must_use]
pub fn skeleton(outline: &Outline, error: &TokenStream) -> TokenStream {
    let name = match outline.machine.as_str() {
        "" => "machine",
        name => name,
    };
    let module = names::ident(&value_name(name));
    let doc = docs::doc("The machine could not be compiled: see the errors in its spec.");
    let (types, values) = (TYPES.map(names::ident), VALUES.map(names::ident));
    let plan = plan(name);
    let own = [
        ("Data", &outline.data),
        ("Context", &outline.context),
        ("Summary", &outline.summary),
    ];
    let own = structs(&own.map(|(name, fields)| Shape {
        name: name.to_owned(),
        fields: fields.clone(),
    }));
    let (effects, payloads) = (effects(&outline.effects), structs(&outline.payloads));
    let (enums, records) = (idents(&outline.enums), structs(&outline.records));
    let states = idents(&outline.states);
    quote! {
        #doc
        #[allow(
            dead_code,
            missing_docs,
            non_upper_case_globals,
            unused_imports,
            unreachable_pub,
            clippy::all,
            clippy::pedantic,
            reason = "replaces a machine whose spec has errors"
        )]
        pub mod #module {
            type Broken = [(); #error];
            #(pub type #types = Broken;)*
            #(pub const #values: Broken = ::core::panic!();)*
            pub type AcceptedStep<'h> = (Broken, &'h ());
            #plan
            #own
            #effects
            pub mod state {
                use super::Broken;
                #(pub type #states = Broken;)*
                #(pub const #states: Broken = ::core::panic!();)*
            }
            pub mod event {
                use super::Broken;
                #payloads
            }
            pub mod types {
                use super::Broken;
                #(pub type #enums = Broken;)*
                #records
            }
        }
    }
}

/// Returns the aliases that replace the types of the plan; `None` if the machine has the name of another generated
/// type: this conflict is one of the reported errors.
fn plan(machine: &str) -> Option<TokenStream> {
    let name = type_name(machine);
    let (plan, any) = (names::ident(&name), format_ident!("Any{name}"));
    let taken = TYPES.contains(&name.as_str()) || OTHERS.contains(&name.as_str());
    (!taken).then(|| quote!(pub type #plan<S> = (Broken, S); pub type #any = Broken;))
}

/// Returns the names as identifiers, without duplicates, because a duplicate name may be the error that is being
/// reported.
fn idents<'a>(all: impl IntoIterator<Item = &'a String>) -> BTreeSet<Ident> {
    let all = all.into_iter().map(|name| type_name(name));
    all.map(|name| names::ident(&name)).collect()
}

fn fields(all: &[String]) -> BTreeSet<Ident> {
    all.iter().map(|name| names::field(name)).collect()
}

/// Returns the shapes by their Rust names, without duplicates.
fn distinct(all: &[Shape]) -> BTreeMap<Ident, BTreeSet<Ident>> {
    let all = all.iter();
    all.map(|shape| (names::of_value(&shape.name), fields(&shape.fields)))
        .collect()
}

/// Returns structs with their fields, so that code can build and destructure them. A struct without fields becomes an
/// alias of `Broken`.
fn structs(all: &[Shape]) -> TokenStream {
    let all = distinct(all);
    let shapes = all.iter().filter(|(_, fields)| !fields.is_empty());
    let definitions = shapes.map(|(name, fields)| {
        let fields = fields.iter();
        quote!(pub struct #name<B> { #(pub #fields: B),* })
    });
    let types = all.iter().map(|(name, fields)| {
        if fields.is_empty() {
            quote!(pub type #name = Broken;)
        } else {
            quote!(pub type #name = shape::#name<Broken>;)
        }
    });
    quote! {
        mod shape { #(#definitions)* }
        #(#types)*
    }
}

/// Returns the effects in a form that code can destructure.
fn effects(all: &[Shape]) -> TokenStream {
    let all = distinct(all);
    if all.values().all(BTreeSet::is_empty) {
        return quote!(
            pub type Effect = Broken;
        );
    }
    let variants = all.iter().map(|(name, fields)| {
        let all = fields.iter();
        let fields = (!fields.is_empty()).then(|| quote!({ #(#all: B),* }));
        quote!(#name #fields)
    });
    quote! {
        mod effect { pub enum Effect<B> { #(#variants),* } }
        pub type Effect = effect::Effect<Broken>;
    }
}
