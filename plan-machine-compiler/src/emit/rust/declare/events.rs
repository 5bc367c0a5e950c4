//! The generated type `Event`, the payloads in the module `event`, and the names of tools and commands.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs;
use super::super::names;
use super::super::record::{checks, decode, encode, of_self};
use super::super::types::kept;
use super::{enum_value_impl, named_enum};
use crate::lower::bounds::bounded;
use crate::model::EventId;
use crate::model::machine::{Event, EventKind, Machine};

/// Returns whether an event has a payload.
pub(in super::super) fn has_payload(event: &Event) -> bool {
    !event.input.is_empty() || is_reviewed(event)
}

/// Returns whether an event carries the token of the content that was shown to a person for review.
pub(in super::super) fn is_reviewed(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Command(command) if command.reviewed)
}

/// Returns the events that the machine itself defines, except for timers, which have no sender.
pub(in super::super) fn own_events(machine: &Machine) -> Vec<EventId> {
    machine
        .event_ids()
        .filter(|id| !machine.is_host_tool(*id) && machine.timer(*id).is_none())
        .collect()
}

pub(in super::super) fn event_doc(machine: &Machine, id: EventId) -> String {
    let event = machine.event(id);
    let ours = match &event.kind {
        EventKind::Command(command) => format!("The command `{}`.", command.pattern.text()),
        EventKind::Tool { .. } => format!("The tool `{}`.", event.name),
        _ => format!("The signal `{}`.", event.name),
    };
    docs::or(event.doc.as_deref(), &ours)
}

/// Returns the type `Event`, the payloads in the module `event`, and the names `Tool` and `Command`.
pub(in super::super) fn events(machine: &Machine) -> TokenStream {
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
        /// The events of the machine.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            #(#variants,)*
            /// A call to a tool that the machine does not define; boxed to keep the other events small.
            HostTool(Box<rt::HostTool>),
        }
        #[automatically_derived]
        impl From<rt::HostTool> for Event {
            fn from(call: rt::HostTool) -> Self {
                Self::HostTool(Box::new(call))
            }
        }
        /// The payloads of events.
        pub mod event {
            #(#payloads)*
        }
        #(#impls)*
        #tools
        #commands
    }
}

/// Returns an enum with one variant per name; without names, it has no variants.
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
            /// The token of the content that was shown to the person.
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

/// Returns code that reads, writes and checks a payload.
fn payload_impl(machine: &Machine, id: EventId) -> TokenStream {
    let event = machine.event(id);
    let name = names::of_event(machine, id);
    let fields = &event.input;
    let field_names = fields.iter().map(|field| names::field(&field.name));
    let read_names = fields.iter().map(|field| names::read(&field.name));
    let (encode, decode) = (encode(fields, of_self), decode(machine, fields, false));
    let reviewed = is_reviewed(event);
    let token = reviewed.then(|| quote!(token,));
    let push_token = reviewed.then(|| quote!(object.push("token", String::from(self.token));));
    let check = bounded(machine, fields).then(|| {
        let checks = checks(machine, fields, of_self);
        quote! {
            fn check(&self, cx: &Cx) -> Result<(), rt::DenialReason> {
                let (at, mut found) = (&rt::ValuePath::Payload, cx.problems());
                let problems = &mut found;
                #checks
                if found.is_empty() { Ok(()) } else { Err(rt::DenialReason::invalid(found)) }
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
                let at = &rt::ValuePath::Payload;
                #decode
                Some(Self { #token #(#field_names: #read_names?),* })
            }
        }
    }
}
