//! The texts for events that are not available.

use plan_machine_kernel::tables::TextPart;

use super::ids::{EventId, StateId};
use super::machine::{Fate, Machine, Wording, WordingPart};
use super::queries::Decision;

impl Machine {
    /// Returns whether a leaf may deny an event because it does not handle the event, or because an entry or an
    /// alternative denies it.
    #[must_use]
    pub fn denies(&self, leaf: StateId, event: EventId) -> bool {
        if self.is_host_tool(event) {
            match self.decision(leaf, event) {
                Decision::Deny => true,
                Decision::Run | Decision::Record(_) => false,
                Decision::Choose(_) => {
                    let last = self.taken_for(leaf, event).and_then(<[_]>::last);
                    last.is_some_and(|last| self.transition(*last).fate == Fate::Deny)
                }
            }
        } else {
            self.alternatives(leaf, event).is_none()
        }
    }

    /// Returns the text for an event that a leaf denies, if the spec has one: the text of the innermost state that has
    /// a text for the event, or else the text of the event. A host tool that `other_tools` denies can also have the
    /// text for `other_tools`.
    #[must_use]
    pub fn wording(&self, leaf: StateId, event: EventId) -> Option<&Wording> {
        let own = self.own_wording(leaf, event);
        let others = self.other_tools();
        if own.is_some() || !self.is_host_tool(event) || self.entry(leaf, event).is_some() {
            return own;
        }
        self.own_wording(leaf, others)
    }

    fn own_wording(&self, leaf: StateId, event: EventId) -> Option<&Wording> {
        let of_states = self.ancestry(leaf).find_map(|id| {
            let texts = &self.state(id).unavailable;
            let found = texts.iter().find(|(named, _)| *named == event);
            found.map(|(_, text)| text)
        });
        of_states.or(self.event(event).unavailable.as_ref())
    }

    /// Returns the text for an event that a leaf denies, with the name of the leaf filled in.
    #[must_use]
    pub fn unavailable(&self, leaf: StateId, event: EventId) -> Option<Vec<TextPart<String>>> {
        let wording = self.wording(leaf, event)?;
        let mut parts: Vec<TextPart<String>> = Vec::new();
        for part in &wording.parts {
            let part = match part {
                WordingPart::State => TextPart::Literal(self.state(leaf).name.clone()),
                WordingPart::Text(part) => part.clone(),
            };
            match (parts.last_mut(), part) {
                (Some(TextPart::Literal(before)), TextPart::Literal(text)) => {
                    before.push_str(&text);
                }
                (_, part) => parts.push(part),
            }
        }
        Some(parts)
    }

    /// Returns whether a text for an event that is not available reads the context.
    #[must_use]
    pub fn wording_reads_context(&self) -> bool {
        let of_states = self.states.iter().flat_map(|state| &state.unavailable);
        let of_events = self
            .events
            .iter()
            .filter_map(|event| event.unavailable.as_ref());
        let mut parts = of_states
            .map(|(_, text)| text)
            .chain(of_events)
            .flat_map(|text| &text.parts);
        parts.any(|part| matches!(part, WordingPart::Text(TextPart::Context { .. })))
    }

    /// Returns the name of a state in messages for people and models.
    #[must_use]
    pub fn shown_state(&self, id: StateId) -> &str {
        let state = self.state(id);
        state.title.as_deref().unwrap_or(&state.name)
    }
}
