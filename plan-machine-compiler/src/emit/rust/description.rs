//! The constant `MACHINE`: the tables of the machine.

use plan_machine_kernel::tables::{Argument, Handling, Next, TextPart};
use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::json_schema::{context_schema, input_schema};
use crate::lower::{EventRow, Sender, StateRow, Tables, TransitionRow, UnavailableRow, tables};
use crate::model::machine::{Instances, Machine};
use crate::model::{Checked, EventId};

fn text(text: &str) -> TokenStream {
    quote!(#text)
}

fn doc(doc: Option<&String>) -> TokenStream {
    text(doc.map_or("", |doc| doc.trim()))
}

fn place(event: EventId) -> u16 {
    u16::try_from(event.index()).unwrap_or(u16::MAX)
}

/// Returns the declaration of `MACHINE`.
pub(super) fn description(machine: &Checked<Machine>) -> TokenStream {
    let tables = tables(machine);
    let (name, about) = (text(&machine.name), doc(machine.doc.as_ref()));
    let (version, fingerprint) = (machine.version, text(&machine.fingerprint));
    let earlier_fingerprint = text(&machine.earlier_fingerprint);
    let instances = match tables.instances {
        Instances::One => quote!(rt::Instances::One),
        Instances::Many { max_live: None } => quote!(rt::Instances::Many { max_live: None }),
        Instances::Many {
            max_live: Some(max),
        } => quote!(rt::Instances::Many { max_live: Some(#max) }),
    };
    let states = tables.states.iter().map(|row| state(machine, row));
    let events = tables.events.iter().map(|row| event(machine, row));
    let transitions = tables.transitions.iter().map(transition);
    let context = text(&context_schema(machine).to_string());
    let effects = tables.effects.iter().map(|row| {
        let (name, doc, external) = (text(&row.name), text(row.doc.trim()), row.external);
        quote!(rt::Effect { name: #name, doc: #doc, external: #external })
    });
    let wording = wording(&tables);
    quote! {
        /// The machine as tables: its states, its events, its tools with their schemas, and its prompts.
        pub static MACHINE: rt::Description = rt::Description {
            name: #name,
            doc: #about,
            version: #version,
            fingerprint: #fingerprint,
            earlier_fingerprint: #earlier_fingerprint,
            instances: #instances,
            states: &[#(#states),*],
            events: &[#(#events),*],
            transitions: &[#(#transitions),*],
            context: #context,
            effects: &[#(#effects),*],
            wording: #wording,
        };
    }
}

/// Returns the titles of states and the texts for events that are not available.
fn wording(tables: &Tables) -> TokenStream {
    if tables.titles.is_empty() && tables.unavailable.is_empty() {
        return quote!(&rt::Wording::NONE);
    }
    let titles = tables
        .titles
        .iter()
        .map(|(at, title)| quote!((#at, #title)));
    let unavailable = tables.unavailable.iter().map(unavailable);
    quote! {
        &rt::Wording {
            titles: &[#(#titles),*],
            unavailable: &[#(#unavailable),*],
        }
    }
}

fn unavailable(row: &UnavailableRow) -> TokenStream {
    let (event, states) = (place(row.event), &row.states);
    let parts = row.text.iter().map(|part| match part {
        TextPart::Literal(text) => quote!(rt::TextPart::Literal(#text)),
        TextPart::Context { field, otherwise } => {
            let otherwise = if let Some(text) = otherwise {
                quote!(Some(#text))
            } else {
                quote!(None)
            };
            quote!(rt::TextPart::Context { field: #field, otherwise: #otherwise })
        }
    });
    quote!(rt::Unavailable { event: #event, states: &[#(#states),*], text: &[#(#parts),*] })
}

fn state(machine: &Machine, row: &StateRow) -> TokenStream {
    let state = machine.state(row.id);
    let (name, doc, prompt) = (
        text(&state.name),
        doc(state.doc.as_ref()),
        text(&row.prompt),
    );
    let within = row.within.iter().map(|name| text(name));
    let (is_final, can_hold) = (state.is_final, row.can_hold);
    let advertised = row.advertised.iter().map(|tool| place(*tool));
    let handling = row.handling.iter().map(|handling| match handling {
        Handling::Takes => quote!(rt::Handling::Takes),
        Handling::MayRun => quote!(rt::Handling::MayRun),
        Handling::MayRecord => quote!(rt::Handling::MayRecord),
        Handling::Runs => quote!(rt::Handling::Runs),
        Handling::Denies => quote!(rt::Handling::Denies),
        Handling::Nothing => quote!(rt::Handling::Nothing),
    });
    quote! {
        rt::State {
            name: #name,
            doc: #doc,
            within: &[#(#within),*],
            is_final: #is_final,
            can_hold: #can_hold,
            prompt: #prompt,
            advertised: &[#(#advertised),*],
            handling: &[#(#handling),*],
        }
    }
}

fn transition(row: &TransitionRow) -> TokenStream {
    let (event, when) = (place(row.event), text(&row.when));
    let from = &row.from;
    let (require, writes, emits) = (&row.require, &row.writes, &row.emits);
    let to = if let Some(to) = row.to {
        quote!(Some(#to))
    } else {
        quote!(None)
    };
    let next = match row.next {
        Next::Same => quote!(rt::Next::Same),
        Next::Nothing => quote!(rt::Next::Nothing),
        Next::Copy(leaf) => quote!(rt::Next::Copy(#leaf)),
        Next::Fresh(leaf) => quote!(rt::Next::Fresh(#leaf)),
    };
    quote! {
        rt::Transition {
            event: #event,
            from: &[#(#from),*],
            when: #when,
            require: &[#(#require),*],
            to: #to,
            next: #next,
            writes: &[#(#writes),*],
            emits: &[#(#emits),*],
        }
    }
}

fn event(machine: &Checked<Machine>, row: &EventRow) -> TokenStream {
    let event = machine.event(row.id);
    let (name, doc) = (text(&event.name), doc(event.doc.as_ref()));
    let schema = text(&input_schema(machine, row.id).to_string());
    let kind = match &row.sender {
        Sender::Command {
            text: line,
            reviewed,
            shared,
            each,
            arguments,
        } => {
            let line = text(line);
            let arguments = arguments.iter().map(|(name, argument)| {
                let name = text(name);
                let argument = match argument {
                    Argument::Int => quote!(rt::Argument::Int),
                    Argument::Bool => quote!(rt::Argument::Bool),
                };
                quote!((#name, #argument))
            });
            quote!(rt::EventKind::Command {
                text: #line,
                reviewed: #reviewed,
                shared: #shared,
                each: #each,
                arguments: &[#(#arguments),*],
            })
        }
        Sender::Tool { read, external } => {
            quote!(rt::EventKind::Tool { read: #read, external: #external })
        }
        Sender::Signal => quote!(rt::EventKind::Signal),
        Sender::Timer { period, of_leaf } => {
            let seconds = period.seconds();
            quote!(rt::EventKind::Timer { period: rt::Period::of_seconds_or_one(#seconds), of_leaf: #of_leaf })
        }
        Sender::External => quote!(rt::EventKind::External),
        Sender::OtherTools => quote!(rt::EventKind::OtherTools),
    };
    quote!(rt::Event { name: #name, doc: #doc, kind: #kind, schema: #schema })
}
