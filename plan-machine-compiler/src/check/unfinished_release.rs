//! PM0205: a record leaves the slot only in a final state. (Name resolution checks that no transition has `to: none`.)

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Machine, Next, Transition};
use crate::model::{StateId, TransitionId};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    if machine.is_many() {
        return;
    }
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        if let Some(next) = transition.next
            && let Some(leaf) = unfinished(machine, graph, transition)
        {
            sink.push(report(machine, id, next, leaf));
        }
    }
}

/// Returns a non-final leaf that the record would be in when it leaves the slot.
fn unfinished(machine: &Machine, graph: &Graph, transition: &Transition) -> Option<StateId> {
    let users = graph.users(transition.handler).iter();
    users
        .filter(|leaf| **leaf != StateId::NONE)
        .map(|leaf| machine.target(*leaf, transition))
        .find(|leaf| !machine.is_final(*leaf))
}

fn report(machine: &Machine, id: TransitionId, next: Next, leaf: StateId) -> Diagnostic {
    let (event, name) = (words::event_of(machine, id), words::state(machine, leaf));
    let message = format!(
        "{event} would remove a plan from the slot while it is in {name}, which is not final"
    );
    let label = match next {
        Next::None => "`next` frees the slot",
        Next::Copy(_) | Next::Fresh(_) => "`next` puts another record into the slot",
    };
    Diagnostic::new(Code::PM0205, words::place(machine, id), message)
        .label(label)
        .also(machine.state(leaf).span, "not final")
        .help("set `to` to the final state in which the plan ends")
}
