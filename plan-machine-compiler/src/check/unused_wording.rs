//! PM0510: every `unavailable` text can be shown.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Machine, Wording};
use crate::model::{EventId, StateId};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    if texts(machine).next().is_none() {
        return;
    }
    let shown = shown(machine);
    for (state, event, text) in texts(machine) {
        if shown.contains(&text.span.start) {
            continue;
        }
        let name = words::event(machine, event);
        let (message, help) = match state {
            Some(state) => {
                let state = words::state(machine, state);
                (
                    format!("this text is never shown: {state} never denies {name} with it"),
                    "remove the text: every state that it applies to handles the event, or has its own text",
                )
            }
            None => (
                format!("this text is never shown: no state denies {name} with it"),
                "remove the text: every state handles the event, or has its own text",
            ),
        };
        sink.push(Diagnostic::new(Code::PM0510, text.span, message).help(help));
    }
}

/// Returns every text with its event and, if a state has the text, the state.
fn texts(machine: &Machine) -> impl Iterator<Item = (Option<StateId>, EventId, &Wording)> {
    let of_events = machine.event_ids().filter_map(|id| {
        let text = machine.event(id).unavailable.as_ref()?;
        Some((None, id, text))
    });
    let of_states = machine.state_ids().flat_map(|id| {
        let texts = machine.state(id).unavailable.iter();
        texts.map(move |(event, text)| (Some(id), *event, text))
    });
    of_events.chain(of_states)
}

/// Returns the start positions of the texts that some denial shows.
fn shown(machine: &Machine) -> BTreeSet<u32> {
    let mut shown = BTreeSet::new();
    for leaf in machine.leaves().filter(|leaf| machine.can_hold(*leaf)) {
        for event in machine.event_ids() {
            if machine.denies(leaf, event) {
                shown.extend(machine.wording(leaf, event).map(|text| text.span.start));
            }
        }
    }
    shown
}
