//! The tables of a spec that was read at run time.
//!
//! Whoever reads a description reads constants; those of an interpreted spec are made once and kept
//! for as long as the program runs. A spec that is loaded again shares the tables it had.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use plan_machine_compiler::emit::json_schema::{context_schema, input_schema};
use plan_machine_compiler::lower::{self, EventRow, StateRow, TransitionRow};
use plan_machine_compiler::model::machine::Instances as Count;
use plan_machine_compiler::model::{Checked, EventId, Machine as Model};
use plan_machine_kernel::digest::sha256_hex;

use crate::description::{
    Argument, Description, Effect, Event, EventKind, Handling, Instances, Next, State, Transition,
};

static KEPT: Mutex<BTreeMap<String, &'static Description>> = Mutex::new(BTreeMap::new());

/// The tables of a model.
pub(super) fn kept(model: &Checked<Model>) -> &'static Description {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = sha256_hex(&format!("{model:?}"));
    kept.entry(whole)
        .or_insert_with(|| Box::leak(Box::new(description(model))))
}

fn text(text: &str) -> &'static str {
    Box::leak(text.into())
}

fn list<T>(items: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::leak(items.into_iter().collect())
}

fn texts(items: &[String]) -> &'static [&'static str] {
    list(items.iter().map(|item| text(item)))
}

fn small(place: usize) -> u16 {
    u16::try_from(place).unwrap_or(u16::MAX)
}

fn place(event: EventId) -> u16 {
    small(event.index())
}

fn doc(doc: Option<&String>) -> &'static str {
    text(doc.map_or("", |doc| doc.trim()))
}

fn description(model: &Checked<Model>) -> Description {
    let tables = lower::tables(model);
    Description {
        name: text(&model.name),
        doc: doc(model.doc.as_ref()),
        version: model.version,
        fingerprint: text(&model.fingerprint),
        instances: match tables.instances {
            Count::One => Instances::One,
            Count::Many { max_live } => Instances::Many { max_live },
        },
        states: list(tables.states.iter().map(|row| state(model, row))),
        events: list(tables.events.iter().map(|row| event(model, row))),
        transitions: list(tables.transitions.iter().map(transition)),
        context: text(&context_schema(model).to_string()),
        effects: list(tables.effects.iter().map(|row| Effect {
            name: text(&row.name),
            doc: text(row.doc.trim()),
            external: row.external,
        })),
    }
}

fn state(model: &Model, row: &StateRow) -> State {
    let declared = model.state(row.id);
    State {
        name: text(&declared.name),
        doc: doc(declared.doc.as_ref()),
        within: texts(&row.within),
        is_final: declared.is_final,
        can_hold: row.can_hold,
        prompt: text(&row.prompt),
        advertised: list(row.advertised.iter().map(|tool| place(*tool))),
        handling: list(row.handling.iter().map(|handling| match handling {
            lower::Handling::Takes => Handling::Takes,
            lower::Handling::Runs => Handling::Runs,
            lower::Handling::Denies => Handling::Denies,
            lower::Handling::Nothing => Handling::Nothing,
        })),
    }
}

fn event(model: &Checked<Model>, row: &EventRow) -> Event {
    let declared = model.event(row.id);
    let kind = match &row.sender {
        lower::Sender::Command {
            text: line,
            reviewed,
            shared,
            each,
            arguments,
        } => {
            let argument = |(name, argument): &(String, lower::Argument)| {
                let argument = match argument {
                    lower::Argument::Int => Argument::Int,
                    lower::Argument::Bool => Argument::Bool,
                };
                (text(name), argument)
            };
            EventKind::Command {
                text: text(line),
                reviewed: *reviewed,
                shared: *shared,
                each: *each,
                arguments: list(arguments.iter().map(argument)),
            }
        }
        lower::Sender::Tool { read, external } => EventKind::Tool {
            read: *read,
            external: *external,
        },
        lower::Sender::Signal => EventKind::Signal,
        lower::Sender::External => EventKind::External,
        lower::Sender::OtherTools => EventKind::OtherTools,
    };
    Event {
        name: text(&declared.name),
        doc: doc(declared.doc.as_ref()),
        kind,
        schema: text(&input_schema(model, row.id).to_string()),
    }
}

fn transition(row: &TransitionRow) -> Transition {
    Transition {
        event: place(row.event),
        from: list(row.from.iter().map(|leaf| small(*leaf))),
        when: text(&row.when),
        require: texts(&row.require),
        to: row.to.map(small),
        next: match row.next {
            lower::Next::Same => Next::Same,
            lower::Next::Nothing => Next::Nothing,
            lower::Next::Copy(leaf) => Next::Copy(small(leaf)),
            lower::Next::Fresh(leaf) => Next::Fresh(small(leaf)),
        },
        writes: texts(&row.writes),
        emits: texts(&row.emits),
    }
}
