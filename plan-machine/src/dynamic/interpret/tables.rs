//! The tables of a spec that is read at run time.
//!
//! Descriptions are `'static`, so the description of an interpreted spec is created once and leaked. If the same spec
//! is loaded again, it shares the existing tables.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use plan_machine_compiler::emit::json_schema::{context_schema, input_schema};
use plan_machine_compiler::lower::{self, EventRow, StateRow, Tables, TransitionRow};
use plan_machine_compiler::model::{Checked, EventId, Machine as Model};
use plan_machine_kernel::digest::sha256_hex;

use crate::core::description::{
    Argument, Description, Effect, Event, EventKind, State, TextPart, Transition, Unavailable,
    Wording,
};

static KEPT: Mutex<BTreeMap<(String, String), Vec<CachedTables>>> = Mutex::new(BTreeMap::new());

/// The tables of a model, and the model from which they were created.
struct CachedTables {
    model: Checked<Model>,
    /// The digest of the whole model, which is needed only if another model has the same fingerprint.
    whole: OnceLock<String>,
    description: &'static Description,
}

/// Returns the tables of a model.
pub(super) fn kept(model: &Checked<Model>) -> &'static Description {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (model.name.clone(), model.fingerprint.clone());
    let known = kept.entry(key).or_default();
    if !known.is_empty() {
        // The fingerprint does not cover texts such as prompts.
        let whole = whole(model);
        let same =
            |known: &&CachedTables| *known.whole.get_or_init(|| self::whole(&known.model)) == whole;
        if let Some(found) = known.iter().find(same) {
            return found.description;
        }
    }
    let description = Box::leak(Box::new(description(model)));
    known.push(CachedTables {
        model: model.clone(),
        whole: OnceLock::new(),
        description,
    });
    description
}

/// Returns the digest of a whole model.
fn whole(model: &Checked<Model>) -> String {
    sha256_hex(&format!("{model:?}"))
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

fn place(event: EventId) -> u16 {
    u16::try_from(event.index()).unwrap_or(u16::MAX)
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
        earlier_fingerprint: text(&model.earlier_fingerprint),
        instances: tables.instances,
        states: list(tables.states.iter().map(|row| state(model, row))),
        events: list(tables.events.iter().map(|row| event(model, row))),
        transitions: list(tables.transitions.iter().map(transition)),
        context: text(&context_schema(model).to_string()),
        effects: list(tables.effects.iter().map(|row| Effect {
            name: text(&row.name),
            doc: text(row.doc.trim()),
            external: row.external,
        })),
        wording: wording(&tables),
    }
}

fn wording(tables: &Tables) -> &'static Wording {
    let titles = tables.titles.iter();
    let unavailable = tables.unavailable.iter().map(|row| Unavailable {
        event: place(row.event),
        states: list(row.states.iter().copied()),
        text: list(row.text.iter().map(|part| match part {
            TextPart::Literal(literal) => TextPart::Literal(text(literal)),
            TextPart::Context { field, otherwise } => TextPart::Context {
                field: text(field),
                otherwise: otherwise.as_deref().map(text),
            },
        })),
    });
    Box::leak(Box::new(Wording {
        titles: list(titles.map(|(at, title)| (*at, text(title)))),
        unavailable: list(unavailable),
    }))
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
        handling: list(row.handling.iter().copied()),
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
            let argument = |(name, argument): &(String, Argument)| (text(name), *argument);
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
        lower::Sender::Timer { period, of_leaf } => EventKind::Timer {
            period: *period,
            of_leaf: *of_leaf,
        },
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
        from: list(row.from.iter().copied()),
        when: text(&row.when),
        require: texts(&row.require),
        to: row.to,
        next: row.next,
        writes: texts(&row.writes),
        emits: texts(&row.emits),
    }
}
