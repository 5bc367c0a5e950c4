//! Reports optionals that may be unset: one step alone does not prove them to be set, so the exploration decides
//! whether they are reported.

use std::collections::{BTreeSet, HashMap};

use super::explore::{Node, Space};
use crate::diagnostic::{Sink, Suspect, SuspectKind};
use crate::model::machine::Machine;

/// Reports the suspects that the exploration confirms, each with a path along which the optional is
/// unset.
pub(super) fn report(
    machine: &Machine,
    space: &Space,
    unset: &BTreeSet<(u32, u32, u32)>,
    suspects: Vec<Suspect>,
    sink: &mut Sink,
) {
    let mut told = BTreeSet::new();
    let mut by_taken: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, edge) in space.edges.iter().enumerate() {
        by_taken.entry(edge.taken.0).or_default().push(at);
    }
    for suspect in suspects {
        match suspect.kind {
            SuspectKind::Read => {
                let place = suspect.diagnostic.primary.span.order();
                if !unset.contains(&place) {
                    continue;
                }
                sink.push(match space.unset.get(&place) {
                    Some((node, event)) => {
                        let mut events = space.events_on(machine, &space.way_to(*node));
                        events.push(format!("`{}`", machine.event(*event).name));
                        suspect.diagnostic.note(on_this_way(&events))
                    }
                    None => suspect.diagnostic,
                });
            }
            SuspectKind::Has {
                taken,
                state,
                field,
            } => {
                let is_unset = |node: Node| {
                    let config = space.configs[node.index()].as_ref();
                    config.is_some_and(|config| {
                        config.leaf.0 == state && config.data[field as usize].may_be_unset()
                    })
                };
                let edges = by_taken.get(&taken).into_iter().flatten().copied();
                let edge = edges.into_iter().find(|at| {
                    let edge = &space.edges[*at];
                    let mut after = edge.record.into_iter().chain(edge.created);
                    after.any(is_unset)
                });
                // Reporting one state is enough to show which field the transition leaves unset.
                if let Some(edge) = edge.filter(|_| told.insert((taken, field))) {
                    let events = space.events_on(machine, &space.way_by(edge));
                    sink.push(suspect.diagnostic.note(on_this_way(&events)));
                }
            }
        }
    }
}

fn on_this_way(events: &[String]) -> String {
    format!("unset along this path: {}", events.join(", then "))
}
