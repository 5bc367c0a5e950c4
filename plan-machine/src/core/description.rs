//! A machine as tables: its states, events, tools and prompts.
//!
//! For a compiled machine, the tables are a constant; for an interpreted one, they are built when the spec is loaded.
//! Callers see no difference.

use plan_machine_kernel::command::typed;
use plan_machine_kernel::tables;
pub use plan_machine_kernel::tables::{Argument, Handling, Instances, Next, TextPart};

/// The kind of an event, which determines its sender.
pub type EventKind = tables::EventKind<&'static str, &'static [(&'static str, Argument)]>;

/// The tables of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The machine's name in the spec.
    pub name: &'static str,
    /// The machine's purpose.
    pub doc: &'static str,
    /// The version of the machine's records.
    pub version: u64,
    /// A digest of everything that affects the machine's meaning.
    pub fingerprint: &'static str,
    /// The digest that journals written by earlier versions of this crate contain instead of the fingerprint.
    pub earlier_fingerprint: &'static str,
    /// Whether a session has one record or many.
    pub instances: Instances,
    /// The states: `none` first, then the leaf states in spec order.
    pub states: &'static [State],
    /// The events in spec order. Host tools come last: first those that the spec names, then one event for all others.
    pub events: &'static [Event],
    /// All alternatives that states have for events, in spec order.
    pub transitions: &'static [Transition],
    /// The JSON schema of the context data that the host sends with every event.
    pub context: &'static str,
    /// The effects.
    pub effects: &'static [Effect],
    /// The texts that are not part of the machine's meaning: titles of states, and texts for denials.
    pub wording: &'static Wording,
}

/// The texts that a spec has for senders of denied events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The titles of states, by their indices.
    pub titles: &'static [(u16, &'static str)],
    /// The texts for events that are not available.
    pub unavailable: &'static [Unavailable],
}

impl Wording {
    /// The wording of a spec without titles and texts.
    pub const NONE: Self = Self {
        titles: &[],
        unavailable: &[],
    };
}

/// The text with which some states deny an event. States and events are identified by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The event.
    pub event: u16,
    /// The states.
    pub states: &'static [u16],
    /// The text.
    pub text: &'static [TextPart<&'static str>],
}

/// A leaf state, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The state's name in the spec.
    pub name: &'static str,
    /// The state's meaning.
    pub doc: &'static str,
    /// The composite states that contain this state, outermost first.
    pub within: &'static [&'static str],
    /// Whether a record in this state never changes again.
    pub is_final: bool,
    /// Whether a record in this state can be in the slot after a step.
    pub can_hold: bool,
    /// The prompt for the model, including the prompts of the composite states that contain this state.
    pub prompt: &'static str,
    /// The machine's own tools that the model sees, by their indices in `events`, sorted by name.
    pub advertised: &'static [u16],
    /// How the state handles each event, in the order of `events`.
    pub handling: &'static [Handling],
}

/// One alternative that states have for an event. States and events are identified by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The event that the alternative is declared for.
    pub event: u16,
    /// The states that have the alternative.
    pub from: &'static [u16],
    /// The condition as written in the spec; empty if there is none.
    pub when: &'static str,
    /// The requirements as written in the spec.
    pub require: &'static [&'static str],
    /// The new state of the record; `None` if the state does not change.
    pub to: Option<u16>,
    /// The content of the slot after the transition.
    pub next: Next,
    /// The fields that the transition writes.
    pub writes: &'static [&'static str],
    /// The effects that the transition itself emits; entry and exit actions may emit more.
    pub emits: &'static [&'static str],
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event's name.
    pub name: &'static str,
    /// The event's purpose.
    pub doc: &'static str,
    /// The event's kind, which determines its sender.
    pub kind: EventKind,
    /// The JSON schema of the event's payload.
    pub schema: &'static str,
}

impl Event {
    /// Returns the event in the form in which its sender writes it: the text of a command, or the name of any other
    /// event.
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
    /// The effect's name.
    pub name: &'static str,
    /// The effect's purpose.
    pub doc: &'static str,
    /// Whether the effect changes the outside world.
    pub external: bool,
}

impl Description {
    /// Returns whether a stored fingerprint belongs to this machine. The fingerprint may have been stored by an earlier
    /// version of this crate.
    #[must_use]
    pub fn is_of(&self, fingerprint: &str) -> bool {
        [self.fingerprint, self.earlier_fingerprint].contains(&fingerprint)
    }

    /// Returns the index of the event with this name, if the spec declares such an event.
    #[must_use]
    pub fn event_named(&self, name: &str) -> Option<u16> {
        let found = self
            .events
            .iter()
            .position(|event| event.name == name && !matches!(event.kind, EventKind::OtherTools));
        found.and_then(|at| u16::try_from(at).ok())
    }

    /// Returns the timers of the machine: the indices of their events, in the order of their states. The position in
    /// this list is the index of the timer.
    pub fn timers(&self) -> impl Iterator<Item = u16> + use<> {
        let events = (0_u16..).zip(self.events);
        let timers = events.filter(|(_, event)| matches!(event.kind, EventKind::Timer { .. }));
        timers.map(|(at, _)| at)
    }

    /// Returns whether a timer runs in a state; the timer is identified by the index of its event.
    pub(crate) fn runs_timer(&self, state: u16, event: u16) -> bool {
        !self.state(state).is_final && self.handling(state, event) == Handling::Takes
    }

    /// Returns the commands about content that a person has reviewed, by the indices of their events.
    fn reviewed_commands(&self) -> impl Iterator<Item = u16> + use<> {
        let events = (0_u16..).zip(self.events);
        let reviewed = events
            .filter(|(_, event)| matches!(event.kind, EventKind::Command { reviewed: true, .. }));
        reviewed.map(|(at, _)| at)
    }

    /// Returns whether a timer ends the approval of a plan in this state, or the time in which the plan can be
    /// approved. It does so if it moves the plan to another state, unless the plan can be approved in both states. The
    /// timer is identified by the index of its event.
    #[must_use]
    pub fn ends_approval(&self, state: u16, timer: u16) -> bool {
        let takes = |state: u16, event: u16| self.handling(state, event) == Handling::Takes;
        let can_be_approved =
            |state: u16| self.reviewed_commands().any(|event| takes(state, event));
        let transitions = self.transitions.iter();
        let mut targets = transitions
            .filter(|one| one.event == timer && one.from.contains(&state))
            .filter_map(|one| one.to);
        let ends = |to: u16| to != state && !(can_be_approved(state) && can_be_approved(to));
        self.reviewed_commands().next().is_some() && targets.any(ends)
    }

    /// Returns the index of the state with this name.
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

    /// Returns the name of a state in messages for people and models.
    #[must_use]
    pub fn shown_state(&self, at: u16) -> &'static str {
        let titles = self.wording.titles.iter();
        let mut titles = titles.filter(|(state, _)| *state == at);
        titles
            .next()
            .map_or(self.state(at).name, |(_, title)| title)
    }

    /// Returns the text of the spec for an event that a state denies, if there is one.
    #[must_use]
    pub fn unavailable(&self, state: u16, event: u16) -> Option<&'static [TextPart<&'static str>]> {
        let mut texts = self.wording.unavailable.iter();
        let found = texts.find(|row| row.event == event && row.states.contains(&state));
        found.map(|row| row.text)
    }

    /// Returns the index of the event that represents all host tools that the spec does not name.
    #[must_use]
    pub fn other_tools(&self) -> u16 {
        u16::try_from(self.events.len() - 1).unwrap_or(u16::MAX)
    }

    /// Returns the first command that starts a plan, as it is typed.
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

    /// Returns whether a session can have many records.
    #[must_use]
    pub fn is_many(&self) -> bool {
        matches!(self.instances, Instances::Many { .. })
    }

    /// Returns the indices of the states that satisfy a condition, `none` first.
    pub(crate) fn states_where(&self, holds: impl Fn(u16, &State) -> bool) -> Vec<u16> {
        let states = (0_u16..).zip(self.states.iter());
        let found = states.filter(|(at, state)| holds(*at, state));
        found.map(|(at, _)| at).collect()
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
