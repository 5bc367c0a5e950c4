//! PM0504: every tool is advertised in some reachable state.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{EventKind, HandlerKind, Machine};
use crate::model::{HandlerId, StateId};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    let mut seen = vec![false; machine.events.len()];
    let mut unseen_in: Vec<Option<StateId>> = vec![None; machine.events.len()];
    for id in (0..machine.handlers.len()).map(HandlerId::at) {
        let handler = machine.handler(id);
        if !matches!(handler.kind, HandlerKind::Transitions(_)) {
            continue;
        }
        // Unreachable states, and entries that are overridden everywhere, are reported by other rules.
        for leaf in graph
            .users(id)
            .iter()
            .filter(|leaf| graph.is_reached(**leaf))
        {
            let event = handler.event.index();
            seen[event] |= graph.is_held(*leaf);
            unseen_in[event].get_or_insert(*leaf);
        }
    }
    for event in machine.event_ids() {
        let is_tool = matches!(machine.event(event).kind, EventKind::Tool { .. });
        if let (true, false, Some(leaf)) = (is_tool, seen[event.index()], unseen_in[event.index()])
        {
            let (tool, name) = (words::event(machine, event), words::state(machine, leaf));
            let message = format!("no model ever sees the tool {tool}");
            sink.push(
                Diagnostic::new(Code::PM0504, machine.event(event).span, message)
                    .label("never advertised")
                    .also(machine.state(leaf).span, "handled here, but a plan that reaches this state leaves the slot")
                    .help(format!("handle {tool} in a state in which the plan keeps the slot, or let a plan in \
                        {name} keep the slot until a transition with `next` frees it")),
            );
        }
    }
}
