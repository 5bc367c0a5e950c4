//! The generated types of a machine: the types of the spec, data, events, effects, states and names.

mod effects;
mod events;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

pub(super) use effects::effects;
pub(super) use events::{event_doc, events, has_payload, is_reviewed, own_events};

use super::docs;
use super::names;
use super::record::{definition, value_impl};
use crate::model::machine::Machine;
use crate::model::types::{Field, TypeDefKind};
use crate::model::{StateId, TypeId};

/// Returns the module `types`, with the enums and records that the spec declares.
pub(super) fn types(machine: &Machine) -> TokenStream {
    let ids = || (0..machine.types.len()).map(TypeId::at);
    let definitions = ids().map(|id| {
        let def = machine.type_def(id);
        let name = names::of_type(machine, id);
        let doc = docs::or(
            def.doc.as_deref(),
            &format!("The `{}` type from the spec.", def.name),
        );
        match &def.kind {
            TypeDefKind::Record(fields) => {
                definition(machine, &quote!(#name), fields, &doc, &quote!(super::))
            }
            TypeDefKind::Enum(values) => named_enum(&name, values, &doc),
        }
    });
    let impls = ids().map(|id| {
        let name = names::of_type(machine, id);
        match &machine.type_def(id).kind {
            TypeDefKind::Record(fields) => {
                value_impl(machine, &quote!(types::#name), fields, false)
            }
            TypeDefKind::Enum(_) => enum_value_impl(&quote!(types::#name)),
        }
    });
    let paths = ids().map(|id| names::of_type(machine, id));
    quote! {
        /// The types that the spec declares.
        pub mod types {
            #(#definitions)*
        }
        #(#impls)*
        rt::through_json!(#(types::#paths),*);
    }
}

/// Returns an enum whose variants have names in the spec.
fn named_enum(name: &Ident, values: &[String], doc: &str) -> TokenStream {
    let doc = docs::doc(doc);
    let variants: Vec<Ident> = values.iter().map(|value| names::of_value(value)).collect();
    let docs = values.iter().map(|value| docs::doc(&format!("`{value}`.")));
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum #name { #(#docs #variants,)* }
        impl #name {
            /// Every value, in the order of the spec.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// Returns the name of this value in the spec.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #values,)* }
            }
        }
    }
}

fn enum_value_impl(path: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl rt::Value for #path {
            fn encode(&self) -> rt::Json {
                rt::Json::from(self.as_str())
            }
            fn decode(json: &rt::Json, at: &rt::ValuePath<'_>, problems: &mut rt::Problems) -> Option<Self> {
                rt::named(json, Self::ALL, Self::as_str, at, problems)
            }
            fn digest(&self, out: &mut rt::Digester) {
                rt::digest_text(self.as_str(), out);
            }
        }
    }
}

/// Returns the types `Data`, `Context` and `Summary`.
pub(super) fn data(machine: &Machine) -> TokenStream {
    let here = TokenStream::new();
    let summary: Vec<Field> = machine
        .summary
        .iter()
        .map(|id| machine.field(*id).clone())
        .collect();
    let data = definition(
        machine,
        &quote!(Data),
        &machine.data,
        "The data of a plan.",
        &here,
    );
    let context = definition(
        machine,
        &quote!(Context),
        &machine.context,
        "The context that the host sends with every event.",
        &here,
    );
    let shown = definition(
        machine,
        &quote!(Summary),
        &summary,
        "The fields that are shown in lists of plans.",
        &here,
    );
    let impls = [
        value_impl(machine, &quote!(Data), &machine.data, true),
        value_impl(machine, &quote!(Context), &machine.context, false),
        value_impl(machine, &quote!(Summary), &summary, true),
    ];
    let default = context_default(machine);
    quote! {
        #data
        #context
        #shown
        #(#impls)*
        #default
        rt::through_json!(Data, Context, Summary);
    }
}

/// Returns the implementation of `Default` for the context, if every field of the context can be omitted.
fn context_default(machine: &Machine) -> Option<TokenStream> {
    let fields = &machine.context;
    let optional = |field: &Field| field.ty.is_optional() || field.default.is_some();
    if !fields.iter().all(optional) {
        return None;
    }
    let names = fields.iter().map(|field| names::field(&field.name));
    let starts = fields
        .iter()
        .map(|field| super::values::start(machine, field));
    Some(quote! {
        #[automatically_derived]
        impl Default for Context {
            fn default() -> Self {
                Self { #(#names: #starts),* }
            }
        }
    })
}

/// Returns the type `State` and the marker types in the module `state`.
pub(super) fn states(machine: &Machine, plan: &Ident) -> TokenStream {
    let leaves: Vec<StateId> = machine.leaves_of_records().collect();
    let variants: Vec<Ident> = leaves
        .iter()
        .map(|leaf| names::of_state(machine, *leaf))
        .collect();
    let texts: Vec<&str> = leaves
        .iter()
        .map(|leaf| machine.state(*leaf).name.as_str())
        .collect();
    let docs: Vec<TokenStream> = leaves
        .iter()
        .map(|leaf| docs::doc(&state_doc(machine, *leaf)))
        .collect();
    let value = enum_value_impl(&quote!(State));
    quote! {
        /// The states that a plan can be in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum State { #(#docs #variants,)* }
        impl State {
            /// Every state, in the order of the spec.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// Returns the name of this state in the spec.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #texts,)* }
            }
        }
        #value
        rt::through_json!(State);

        /// The states as types: `state::X` means that a plan is in X.
        pub mod state {
            #(#docs #[derive(Clone, Copy, Debug)] pub struct #variants;)*
        }
        #(
            #[automatically_derived]
            impl rt::StateMarker<Machine> for state::#variants {
                const STATE: State = State::#variants;
                type Plan = #plan<state::#variants>;
                fn of(plan: rt::AnyPlan<Machine>) -> Result<Self::Plan, rt::AnyPlan<Machine>> {
                    only(plan)
                }
            }
        )*
    }
}

pub(super) fn state_doc(machine: &Machine, state: StateId) -> String {
    let declared = machine.state(state);
    let ours = if declared.is_final {
        format!(
            "`{}`, a final state: a plan in this state never changes again.",
            declared.name
        )
    } else {
        format!("`{}`.", declared.name)
    };
    docs::or(declared.doc.as_deref(), &ours)
}
