//! The types of a machine: its own, its data, events, effects, states and names.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::docs;
use super::names;
use super::record::{bound, checks, decode, definition, encode, of_self, value_impl};
use super::types::kept;
use crate::lower::refusal::bounded;
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::types::{Field, TypeDefKind};
use crate::model::{EffectId, EventId, StateId, TypeId};

/// `types`: the spec's own enums and records.
pub(super) fn types(machine: &Machine) -> TokenStream {
    let ids = || (0..machine.types.len()).map(TypeId::at);
    let definitions = ids().map(|id| {
        let def = machine.type_def(id);
        let name = names::of_type(machine, id);
        let doc = docs::or(
            def.doc.as_deref(),
            &format!("The type `{}` of the spec.", def.name),
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

/// An enum whose values have names.
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

            /// The name in the spec.
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
            fn decode(json: &rt::Json, at: &rt::At<'_>, problems: &mut rt::Problems) -> Option<Self> {
                rt::named(json, Self::ALL, Self::as_str, at, problems)
            }
            fn digest(&self, out: &mut rt::Digester) {
                rt::digest_text(self.as_str(), out);
            }
        }
    }
}

/// `Data`, `Context` and `Summary`.
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
        "What a plan holds.",
        &here,
    );
    let context = definition(
        machine,
        &quote!(Context),
        &machine.context,
        "What the host sends with every event.",
        &here,
    );
    let shown = definition(
        machine,
        &quote!(Summary),
        &summary,
        "What lists of plans show.",
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

/// A context that can be left out altogether.
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

/// `State` and the markers in `state`.
pub(super) fn states(machine: &Machine, plan: &Ident) -> TokenStream {
    let leaves: Vec<StateId> = machine
        .leaves()
        .filter(|leaf| *leaf != StateId::NONE)
        .collect();
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

            /// The name in the spec.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #texts,)* }
            }
        }
        #value
        rt::through_json!(State);

        /// The states as types: `state::X` says that a plan is in X.
        pub mod state {
            #(#docs #[derive(Clone, Copy, Debug)] pub struct #variants;)*
        }
        #(
            #[automatically_derived]
            impl rt::InState<Machine> for state::#variants {
                const STATE: State = State::#variants;
                type Plan = #plan<state::#variants>;
                fn assume(record: Box<Record>) -> Self::Plan {
                    known(record)
                }
            }
        )*
    }
}

pub(super) fn state_doc(machine: &Machine, state: StateId) -> String {
    let declared = machine.state(state);
    let ours = if declared.is_final {
        format!("`{}`, in which a plan never changes again.", declared.name)
    } else {
        format!("`{}`.", declared.name)
    };
    docs::or(declared.doc.as_deref(), &ours)
}

/// Whether an event carries something.
pub(super) fn has_payload(event: &Event) -> bool {
    !event.input.is_empty() || is_reviewed(event)
}

/// Whether an event carries the token of what was shown.
pub(super) fn is_reviewed(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Command(command) if command.reviewed)
}

/// The events that the machine defines itself.
pub(super) fn own_events(machine: &Machine) -> Vec<EventId> {
    machine
        .event_ids()
        .filter(|id| !machine.is_host_tool(*id))
        .collect()
}

pub(super) fn event_doc(machine: &Machine, id: EventId) -> String {
    let event = machine.event(id);
    let ours = match &event.kind {
        EventKind::Command(command) => format!("The command `{}`.", command.pattern.text()),
        EventKind::Tool { .. } => format!("The tool `{}`.", event.name),
        _ => format!("The signal `{}`.", event.name),
    };
    docs::or(event.doc.as_deref(), &ours)
}

/// `Event`, the payloads in `event`, and the names `Tool` and `Command`.
pub(super) fn events(machine: &Machine) -> TokenStream {
    let own = own_events(machine);
    let variants = own.iter().map(|id| {
        let (name, doc) = (
            names::of_event(machine, *id),
            docs::doc(&event_doc(machine, *id)),
        );
        let payload = has_payload(machine.event(*id)).then(|| quote!((event::#name)));
        quote!(#doc #name #payload)
    });
    let with_payload: Vec<EventId> = own
        .iter()
        .copied()
        .filter(|id| has_payload(machine.event(*id)))
        .collect();
    let payloads = with_payload.iter().map(|id| payload(machine, *id));
    let impls = with_payload.iter().map(|id| payload_impl(machine, *id));
    let named = |wanted: fn(&EventKind) -> bool| -> Vec<String> {
        let ids = own.iter().filter(|id| wanted(&machine.event(**id).kind));
        ids.map(|id| machine.event(*id).name.clone()).collect()
    };
    let tools = named(|kind| matches!(kind, EventKind::Tool { .. }));
    let commands = named(|kind| matches!(kind, EventKind::Command(_)));
    let tools = names_enum(&quote!(Tool), &tools, "The tools that the machine defines.");
    let commands = names_enum(
        &quote!(Command),
        &commands,
        "The commands that the machine defines.",
    );
    quote! {
        /// What can be sent to the machine.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            #(#variants,)*
            /// A tool that the machine does not define.
            HostTool(rt::HostTool),
        }
        /// What events carry.
        pub mod event {
            #(#payloads)*
        }
        #(#impls)*
        #tools
        #commands
    }
}

/// An enum of names; where there are none, it has no values.
fn names_enum(name: &TokenStream, values: &[String], doc: &str) -> TokenStream {
    let name = names::ident(&name.to_string());
    if !values.is_empty() {
        let definition = named_enum(&name, values, doc);
        let value = enum_value_impl(&quote!(#name));
        return quote!(#definition #value rt::through_json!(#name););
    }
    let doc = docs::doc(doc);
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum #name {}
    }
}

fn payload(machine: &Machine, id: EventId) -> TokenStream {
    let event = machine.event(id);
    let name = names::of_event(machine, id);
    let doc = docs::doc(&event_doc(machine, id));
    let token = is_reviewed(event).then(|| {
        quote! {
            /// The token of what was shown.
            pub token: super::rt::Token,
        }
    });
    let fields = event.input.iter().map(|field| {
        let doc = docs::doc(&docs::of_field(field));
        let (name, ty) = (
            names::field(&field.name),
            kept(machine, &field.ty, &quote!(super::)),
        );
        quote!(#doc pub #name: #ty,)
    });
    quote! {
        #doc
        #[derive(Clone, Debug, PartialEq)]
        pub struct #name { #token #(#fields)* }
    }
}

/// How a payload is read, written and bounded.
fn payload_impl(machine: &Machine, id: EventId) -> TokenStream {
    let event = machine.event(id);
    let name = names::of_event(machine, id);
    let fields = &event.input;
    let field_names = fields.iter().map(|field| names::field(&field.name));
    let read_names = fields.iter().map(|field| names::read(&field.name));
    let (encode, decode) = (encode(fields, of_self), decode(machine, fields, false));
    let reviewed = is_reviewed(event);
    let token = reviewed.then(|| quote!(token,));
    let push_token = reviewed.then(|| quote!(object.push("token", self.token.to_string());));
    let check = bounded(machine, fields).then(|| {
        let checks = checks(machine, fields, of_self);
        quote! {
            fn check(&self) -> Result<(), rt::Refusal> {
                let (at, mut found) = (&rt::At::Payload, rt::Problems::None);
                let problems = &mut found;
                #checks
                if found.is_empty() { Ok(()) } else { Err(rt::Refusal::invalid(found)) }
            }
        }
    });
    quote! {
        impl event::#name {
            #check
            fn encode(&self) -> rt::Json {
                let mut object = rt::Object::new();
                #push_token
                #encode
                rt::Json::Object(object)
            }
            fn decode(object: &rt::Object, token: rt::Token, problems: &mut rt::Problems) -> Option<Self> {
                let at = &rt::At::Payload;
                #decode
                Some(Self { #token #(#field_names: #read_names?),* })
            }
        }
    }
}

/// `Effect`.
pub(super) fn effects(machine: &Machine) -> TokenStream {
    let ids = || (0..machine.effects.len()).map(EffectId::at);
    if machine.effects.is_empty() {
        return quote! {
            /// What the machine puts out: nothing.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum Effect {}
            #[automatically_derived]
            impl rt::Value for Effect {
                fn encode(&self) -> rt::Json { match *self {} }
                fn decode(_: &rt::Json, at: &rt::At<'_>, problems: &mut rt::Problems) -> Option<Self> {
                    rt::no_effect(at, problems)
                }
                fn digest(&self, _: &mut rt::Digester) { match *self {} }
            }
            rt::through_json!(Effect);
        };
    }
    let variants = ids().map(|id| {
        let effect = machine.effect(id);
        let ours = format!("The effect `{}`.", effect.name);
        let doc = docs::doc(&docs::or(effect.doc.as_deref(), &ours));
        let name = names::of_effect(machine, id);
        let fields = effect.fields.iter().map(|field| {
            let doc = docs::doc(&docs::of_field(field));
            let (name, ty) = (
                names::field(&field.name),
                kept(machine, &field.ty, &TokenStream::new()),
            );
            quote!(#doc #name: #ty)
        });
        if effect.fields.is_empty() {
            quote!(#doc #name)
        } else {
            quote!(#doc #name { #(#fields),* })
        }
    });
    let patterns: Vec<TokenStream> = ids().map(|id| pattern(machine, id)).collect();
    let texts = machine.effects.iter().map(|effect| &effect.name);
    let encodes = ids().map(|id| encode(&machine.effect(id).fields, bound));
    let decodes = ids().zip(&patterns).map(|(id, pattern)| {
        let effect = machine.effect(id);
        let (text, decode) = (&effect.name, decode(machine, &effect.fields, false));
        let fields = effect.fields.iter().map(|field| names::read(&field.name));
        let fields: Vec<Ident> = fields.collect();
        quote!(#text => {
            #decode
            #(let #fields = #fields?;)*
            Some(#pattern)
        })
    });
    let bounded_effects = machine
        .effects
        .iter()
        .any(|effect| bounded(machine, &effect.fields));
    let inner_bounds = bounded_effects.then(|| {
        let arms = ids().zip(&patterns).map(|(id, pattern)| {
            let checks = checks(machine, &machine.effect(id).fields, bound);
            quote!(#pattern => { #checks })
        });
        quote! {
            const BOUNDED: bool = true;
            fn inner_bounds(&self, at: &rt::At<'_>, problems: &mut rt::Problems) {
                match self { #(#arms)* }
            }
        }
    });
    quote! {
        /// What the machine puts out, for the host to do.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Effect { #(#variants,)* }
        #[automatically_derived]
        impl rt::Value for Effect {
            #inner_bounds
            fn encode(&self) -> rt::Json {
                let mut object = rt::Object::new();
                let name = match self {
                    #(#patterns => { #encodes #texts })*
                };
                rt::tagged(name, object)
            }
            fn decode(json: &rt::Json, at: &rt::At<'_>, problems: &mut rt::Problems) -> Option<Self> {
                let (name, object) = rt::tag(json, at, problems)?;
                let at = &at.member(name);
                match name {
                    #(#decodes)*
                    _ => rt::no_effect(at, problems),
                }
            }
            fn digest(&self, out: &mut rt::Digester) {
                rt::Value::digest(&self.encode(), out);
            }
        }
        rt::through_json!(Effect);
    }
}

/// `Self::PlanReady { plan: read_plan, token: read_token }`.
fn pattern(machine: &Machine, id: EffectId) -> TokenStream {
    let name = names::of_effect(machine, id);
    let fields = &machine.effect(id).fields;
    let names = fields.iter().map(|field| names::field(&field.name));
    let read = fields.iter().map(|field| names::read(&field.name));
    if fields.is_empty() {
        quote!(Self::#name)
    } else {
        quote!(Self::#name { #(#names: #read),* })
    }
}
