//! PM0305: an entry of a composite is used by at least one state inside the composite.

use std::collections::HashSet;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::HandlerId;
use crate::model::machine::{HandlerKind, Machine};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    for id in (0..machine.handlers.len()).map(HandlerId::at) {
        if !graph.users(id).is_empty() {
            continue;
        }
        let handler = machine.handler(id);
        let (event, state) = (
            words::handled(machine, id),
            words::state(machine, handler.state),
        );
        let message = format!("no state in {state} uses this entry for {event}");
        let mut found = Diagnostic::new(Code::PM0305, handler.span, message)
            .label("every nested state has its own entry");
        for inner in replacements(machine, id).into_iter().take(3) {
            let inner = machine.handler(inner);
            let words = match inner.kind {
                HandlerKind::Deny => "denies the event",
                HandlerKind::Run | HandlerKind::Transitions(_) => "replaces this entry",
            };
            found = found.also(inner.span, words);
        }
        sink.push(found.help(
            "remove this entry, or remove the entries in the nested states that override it",
        ));
    }
}

/// Returns the inner entries that override a handler, without duplicates.
fn replacements(machine: &Machine, id: HandlerId) -> Vec<HandlerId> {
    let handler = machine.handler(id);
    let leaves = machine.leaves_under(handler.state);
    let inner = leaves
        .iter()
        .filter_map(|leaf| machine.entry(*leaf, handler.event));
    let mut seen = HashSet::new();
    inner
        .filter(|inner| *inner != id && seen.insert(*inner))
        .collect()
}
