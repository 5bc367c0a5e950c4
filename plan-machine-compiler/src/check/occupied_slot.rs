//! PM0209: a final state in which a plan can hold the slot handles an event with `next`.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    if machine.is_many() {
        return;
    }
    for leaf in machine.leaves().filter(|leaf| machine.is_final(*leaf)) {
        // A successor that starts in a final state is reported by PM0207.
        let held_after = graph.held_after(leaf);
        let held_after = held_after.filter(|id| machine.transition(*id).next.is_none());
        let mut transitions = graph.transitions(machine, leaf);
        if let Some(way) = held_after
            && !transitions.any(|id| machine.transition(id).next.is_some())
        {
            let name = words::state(machine, leaf);
            let event = words::event_of(machine, way);
            let message = format!("a plan that ends in {name} would hold the slot forever");
            let span = machine.state(leaf).span;
            sink.push(
                Diagnostic::new(Code::PM0209, span, message)
                    .label("has no transition with `next`")
                    .also(
                        words::place(machine, way),
                        "leaves the ended plan in the slot",
                    )
                    .help(format!(
                        "free the slot when the plan ends: add `next: none` to the transition of {event} to {name}"
                    ))
                    .help(format!(
                        "or free the slot later: handle an event in {name} with `next: none`"
                    )),
            );
        }
    }
}
