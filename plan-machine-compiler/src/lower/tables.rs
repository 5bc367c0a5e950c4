//! The tables that describe a machine. A compiled machine contains them as constants; an interpreted machine builds
//! them when its spec is loaded.

use plan_machine_kernel::tables::{self, Argument, Handling, Next, TextPart};

use crate::model::machine::{self, Condition, EventKind, Fate, HandlerKind, Instances, Machine};
use crate::model::types::Type;
use crate::model::{Checked, Decision, EventId, HandlerId, StateId, TransitionId};

/// A machine as tables.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The states: first `none`, then the leaves in the order of the spec.
    pub states: Vec<StateRow>,
    /// The commands, signals, tools, timers and host tools, each kind in the order of the spec; `other_tools` is the
    /// last event.
    pub events: Vec<EventRow>,
    /// Every alternative of every handler, in the order of the spec.
    pub transitions: Vec<TransitionRow>,
    /// The effects in the order of the spec.
    pub effects: Vec<EffectRow>,
    /// How many records a session can have.
    pub instances: Instances,
    /// The titles of states, each with the index of the state in `states`.
    pub titles: Vec<(u16, String)>,
    /// The texts for events that are not available.
    pub unavailable: Vec<UnavailableRow>,
}

/// The text for an event in the states that deny it with this text.
#[derive(Clone, Debug)]
pub struct UnavailableRow {
    /// The event.
    pub event: EventId,
    /// The states, given by their indices in [`Tables::states`].
    pub states: Vec<u16>,
    /// The text.
    pub text: Vec<TextPart<String>>,
}

/// A leaf, or `none`.
#[derive(Clone, Debug)]
pub struct StateRow {
    /// The id of the state.
    pub id: StateId,
    /// The composites that contain the state, outermost first.
    pub within: Vec<String>,
    /// Whether a record in this state can be in the slot.
    pub can_hold: bool,
    /// The prompt for the model.
    pub prompt: String,
    /// The tools that the model sees, sorted by name.
    pub advertised: Vec<EventId>,
    /// How the state handles each event.
    pub handling: Vec<Handling>,
}

/// The kind of an event, which determines its sender, with owned strings from the spec.
pub type Sender = tables::EventKind<String, Vec<(String, Argument)>>;

/// An event.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// The id of the event.
    pub id: EventId,
    /// The kind of the event, which determines its sender.
    pub sender: Sender,
}

/// One alternative. Its states are given by their indices in [`Tables::states`].
#[derive(Clone, Debug)]
pub struct TransitionRow {
    /// The event that the alternative handles.
    pub event: EventId,
    /// The leaves in which the alternative applies.
    pub from: Vec<u16>,
    /// The condition as written; empty if there is none.
    pub when: String,
    /// The requirements as written.
    pub require: Vec<String>,
    /// The leaf that the record moves to.
    pub to: Option<u16>,
    /// The content of the slot after the step.
    pub next: Next,
    /// The fields that the alternative writes.
    pub writes: Vec<String>,
    /// The effects that the alternative itself emits.
    pub emits: Vec<String>,
}

/// An effect.
#[derive(Clone, Debug)]
pub struct EffectRow {
    /// The name of the effect.
    pub name: String,
    /// The documentation of the effect.
    pub doc: String,
    /// Whether the effect changes the outside world.
    pub external: bool,
}

/// Returns the tables of a machine.
#[must_use]
pub fn tables(machine: &Checked<Machine>) -> Tables {
    let effects = machine.effects.iter().map(|effect| EffectRow {
        name: effect.name.clone(),
        doc: effect.doc.clone().unwrap_or_default(),
        external: effect.external,
    });
    Tables {
        states: machine.leaves().map(|leaf| state(machine, leaf)).collect(),
        events: machine.event_ids().map(|id| event(machine, id)).collect(),
        transitions: machine
            .transition_ids()
            .map(|id| transition(machine, id))
            .collect(),
        effects: effects.collect(),
        instances: machine.instances,
        titles: titles(machine),
        unavailable: unavailable(machine),
    }
}

fn titles(machine: &Machine) -> Vec<(u16, String)> {
    let leaves = (0_u16..).zip(machine.leaves());
    let titles = leaves.filter_map(|(at, leaf)| Some((at, machine.state(leaf).title.clone()?)));
    titles.collect()
}

/// Returns the texts for events that are not available; states with the same text share a row.
fn unavailable(machine: &Machine) -> Vec<UnavailableRow> {
    let mut rows: Vec<UnavailableRow> = Vec::new();
    for event in machine.event_ids() {
        let first = rows.len();
        for (at, leaf) in (0_u16..).zip(machine.leaves()) {
            if !machine.denies(leaf, event) {
                continue;
            }
            let Some(text) = machine.unavailable(leaf, event) else {
                continue;
            };
            match rows[first..].iter_mut().find(|row| row.text == text) {
                Some(row) => row.states.push(at),
                None => rows.push(UnavailableRow {
                    event,
                    states: vec![at],
                    text,
                }),
            }
        }
    }
    rows
}

fn state(machine: &Machine, leaf: StateId) -> StateRow {
    let mut within: Vec<String> = machine
        .ancestry(leaf)
        .skip(1)
        .map(|id| machine.state(id).name.clone())
        .collect();
    within.reverse();
    StateRow {
        id: leaf,
        within,
        can_hold: machine.can_hold(leaf),
        prompt: machine.prompt(leaf),
        advertised: machine.advertised(leaf),
        handling: machine
            .event_ids()
            .map(|event| handling(machine, leaf, event))
            .collect(),
    }
}

fn handling(machine: &Machine, leaf: StateId, event: EventId) -> Handling {
    let denies = |id| matches!(machine.handler(id).kind, HandlerKind::Deny);
    if !machine.is_host_tool(event) {
        return match machine.alternatives(leaf, event) {
            Some(_) => Handling::Takes,
            None => Handling::Nothing,
        };
    }
    match machine.decision(leaf, event) {
        Decision::Run => Handling::Runs,
        Decision::Record(_) => Handling::Takes,
        Decision::Choose(id) if records_some(machine, id) => Handling::MayRecord,
        Decision::Choose(_) => Handling::MayRun,
        Decision::Deny if machine.entry(leaf, event).is_some_and(denies) => Handling::Denies,
        Decision::Deny => Handling::Nothing,
    }
}

/// Returns whether an alternative of a handler records calls.
fn records_some(machine: &Machine, handler: HandlerId) -> bool {
    let HandlerKind::Transitions(all) = &machine.handler(handler).kind else {
        return false;
    };
    let mut all = all.iter().map(|id| machine.transition(*id));
    all.any(|transition| transition.fate == Fate::Accept)
}

fn transition(machine: &Machine, id: TransitionId) -> TransitionRow {
    let transition = machine.transition(id);
    let place = |leaf: StateId| machine.place(leaf);
    let target = |state: StateId| place(machine.state(state).initial_leaf);
    let text = |condition: &Condition| condition.text.clone();
    let written = transition.changes.iter();
    let emitted = transition.emit.iter();
    TransitionRow {
        event: machine.handler(transition.handler).event,
        from: machine
            .users(transition.handler)
            .into_iter()
            .map(place)
            .collect(),
        when: transition.when.as_ref().map(text).unwrap_or_default(),
        require: transition
            .require
            .iter()
            .map(|require| text(&require.that))
            .collect(),
        to: transition.to.map(target),
        next: match transition.next {
            None => Next::Same,
            Some(machine::Next::None) => Next::Nothing,
            Some(machine::Next::Copy(state)) => Next::Copy(target(state)),
            Some(machine::Next::Fresh(state)) => Next::Fresh(target(state)),
        },
        writes: written
            .map(|change| machine.field(change.field).name.clone())
            .collect(),
        emits: emitted
            .map(|emit| machine.effect(emit.effect).name.clone())
            .collect(),
    }
}

fn event(machine: &Machine, id: EventId) -> EventRow {
    let event = machine.event(id);
    let sender = match &event.kind {
        EventKind::Command(command) => Sender::Command {
            text: command.pattern.text().to_owned(),
            reviewed: command.reviewed,
            shared: command.shared,
            each: command.each,
            arguments: event
                .input
                .iter()
                .filter_map(|field| match field.ty.required() {
                    Type::Int => Some((field.name.clone(), Argument::Int)),
                    Type::Bool => Some((field.name.clone(), Argument::Bool)),
                    _ => None,
                })
                .collect(),
        },
        EventKind::Tool { read, external } => Sender::Tool {
            read: *read,
            external: *external,
        },
        EventKind::Signal => Sender::Signal,
        EventKind::Timer(timer) => Sender::Timer {
            period: timer.period,
            of_leaf: machine.state(timer.state).is_leaf(),
        },
        EventKind::External => Sender::External,
        EventKind::Other => Sender::OtherTools,
    };
    EventRow { id, sender }
}
