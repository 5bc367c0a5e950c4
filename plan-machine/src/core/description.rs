//! A machine as tables: its states, events, tools and prompts.
//!
//! A compiled machine has them as a constant, and an interpreted one builds them when the spec is loaded; callers see
//! no difference.

use plan_machine_kernel::command::typed;
use plan_machine_kernel::tables;
pub use plan_machine_kernel::tables::{Argument, Handling, Instances, Next};

/// The sender of an event.
pub type EventKind = tables::EventKind<&'static str, &'static [(&'static str, Argument)]>;

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its name in the spec.
    pub name: &'static str,
    /// Its purpose.
    pub doc: &'static str,
    /// The version of its records.
    pub version: u64,
    /// A digest of everything that affects its meaning.
    pub fingerprint: &'static str,
    /// The digest that journals of earlier versions contain instead of the fingerprint.
    pub earlier_fingerprint: &'static str,
    /// Whether there is one record or many.
    pub instances: Instances,
    /// `none` first, then the leaf states in spec order.
    pub states: &'static [State],
    /// In spec order; host tools come last: those that the spec names, then all others.
    pub events: &'static [Event],
    /// Every alternative that a state has for an event, in spec order.
    pub transitions: &'static [Transition],
    /// The JSON schema of the context data that the host sends with every event.
    pub context: &'static str,
    /// The names and docs of the effects.
    pub effects: &'static [Effect],
}

/// A leaf state, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name in the spec.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// The composites that contain it, outermost first.
    pub within: &'static [&'static str],
    /// Whether a record in it never changes again.
    pub is_final: bool,
    /// Whether a record in it can be in the slot after a step.
    pub can_hold: bool,
    /// The text that the model reads, including the prompts of the composites.
    pub prompt: &'static str,
    /// The machine's own tools that the model sees, by their index in the events, sorted by name.
    pub advertised: &'static [u16],
    /// How the state handles each event, in the order of the events.
    pub handling: &'static [Handling],
}

/// One alternative that states have for an event. States and events are identified by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The event that it is declared for.
    pub event: u16,
    /// The states that have it.
    pub from: &'static [u16],
    /// Its condition, as written; empty if it has none.
    pub when: &'static str,
    /// Its requirements, as written.
    pub require: &'static [&'static str],
    /// The state that the record moves to.
    pub to: Option<u16>,
    /// The content of the slot afterwards.
    pub next: Next,
    /// The fields that it writes.
    pub writes: &'static [&'static str],
    /// The effects that it emits itself; entry and exit actions add theirs.
    pub emits: &'static [&'static str],
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name.
    pub name: &'static str,
    /// Its purpose.
    pub doc: &'static str,
    /// Its sender.
    pub kind: EventKind,
    /// The JSON schema of its payload.
    pub schema: &'static str,
}

impl Event {
    /// Returns the event as its sender knows it: a command as typed, everything else by name.
    #[must_use]
    pub fn shown_name(&self) -> &'static str {
        match self.kind {
            EventKind::Command { text, .. } => typed(text),
            _ => self.name,
        }
    }
}

/// An effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Its name.
    pub name: &'static str,
    /// Its purpose.
    pub doc: &'static str,
    /// Whether it changes the outside world.
    pub external: bool,
}

impl Description {
    /// Tells whether a stored fingerprint belongs to this machine, written by this version or an earlier one.
    #[must_use]
    pub fn is_of(&self, fingerprint: &str) -> bool {
        [self.fingerprint, self.earlier_fingerprint].contains(&fingerprint)
    }

    /// Returns the index of an event that the spec names.
    #[must_use]
    pub fn event_named(&self, name: &str) -> Option<u16> {
        let found = self
            .events
            .iter()
            .position(|event| event.name == name && !matches!(event.kind, EventKind::OtherTools));
        found.and_then(|at| u16::try_from(at).ok())
    }

    /// Returns the index of a state.
    #[must_use]
    pub fn state_named(&self, name: &str) -> Option<u16> {
        let found = self.states.iter().position(|state| state.name == name);
        found.and_then(|at| u16::try_from(at).ok())
    }

    /// Returns the state at this index.
    #[must_use]
    pub fn state(&self, at: u16) -> &'static State {
        &self.states[usize::from(at)]
    }

    /// Returns the event at this index.
    #[must_use]
    pub fn event(&self, at: u16) -> &'static Event {
        &self.events[usize::from(at)]
    }

    /// Returns how a state handles an event.
    #[must_use]
    pub fn handling(&self, state: u16, event: u16) -> Handling {
        self.state(state).handling[usize::from(event)]
    }

    /// Returns the index of the event that represents all host tools without an entry.
    #[must_use]
    pub fn other_tools(&self) -> u16 {
        u16::try_from(self.events.len() - 1).unwrap_or(u16::MAX)
    }

    /// Returns the first command that starts a plan, as typed.
    #[must_use]
    pub fn starting_command(&self) -> Option<&'static str> {
        let starts = |event: u16| {
            let mut transitions = self.transitions.iter();
            transitions.any(|one| one.event == event && one.from.contains(&0) && one.to.is_some())
        };
        let mut commands = (0_u16..)
            .zip(self.events)
            .filter(|(at, event)| matches!(event.kind, EventKind::Command { .. }) && starts(*at));
        commands.next().map(|(_, event)| event.shown_name())
    }

    /// Tells whether a session can have many records.
    #[must_use]
    pub fn is_many(&self) -> bool {
        matches!(self.instances, Instances::Many { .. })
    }

    /// Returns the names of the states that satisfy a condition, `none` first.
    pub(crate) fn states_where(&self, holds: impl Fn(u16, &State) -> bool) -> Vec<&'static str> {
        let states = (0_u16..).zip(self.states.iter());
        let found = states.filter(|(at, state)| holds(*at, state));
        found.map(|(_, state)| state.name).collect()
    }

    /// Returns the tools that the model sees in a state, by a single table lookup.
    pub fn advertised(&self, state: u16) -> impl Iterator<Item = &'static Event> + use<> {
        let events = self.events;
        self.state(state)
            .advertised
            .iter()
            .map(|tool| &events[usize::from(*tool)])
    }
}
