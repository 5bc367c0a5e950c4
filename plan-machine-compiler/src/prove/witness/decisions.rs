//! What a machine with concrete records decides about the calls to a host tool, for claims about a session.

use std::cell::Cell;

use plan_machine_kernel::session::Disposition;

use super::super::decisions::{CallDecisions, HostEntries, ShownByCalls, reads};
use super::super::explore::Node;
use super::calls::mentions_now;
use super::search::Search;
use crate::model::machine::Machine;
use crate::model::{Checked, EventId, StateId};
use crate::semantics::{HeldRecords, Outcome, Record};

/// The maximum number of calls that are tried for one question.
const MAX_TRIED: usize = 64;

impl Search<'_> {
    /// Returns the machine.
    pub(in crate::prove) fn machine(&self) -> &Checked<Machine> {
        self.machine
    }

    /// Returns what the machine decides about the calls to a host tool. If the explored steps leave it open whether all
    /// calls are denied, some calls are tried; `tries` is the number of calls that may still be tried.
    pub(in crate::prove) fn decisions(
        &self,
        held: &HeldRecords,
        entries: HostEntries,
        tries: &Cell<usize>,
    ) -> CallDecisions {
        // In a machine with many plans, only `none` decides about host tools.
        let record = held.in_slot().filter(|_| !self.machine.is_many());
        let leaf = record.map_or(StateId::NONE, Record::leaf);
        let nodes = record.map_or(vec![Node::NONE], |record| self.nodes_for(record));
        let nodes = nodes.iter().filter(|node| self.in_slot[node.index()]);
        let by_state = CallDecisions::from(entries.by_state(self.machine, leaf));
        let known = nodes.fold(by_state, |known, node| {
            known.and(self.steps.decisions(*node, entries))
        });
        match entries.chosen_by(self.machine, leaf) {
            Some(event) if known.is_open() && self.can_be_tried(leaf, event, entries) => {
                known.with_certain(self.tried_decisions(held, event, tries))
            }
            _ => known,
        }
    }

    /// Returns whether a tried call shows what happens to the calls that a claim is about. The time must not matter,
    /// because the call is tried at a fixed time, and the time of the session may be later.
    fn can_be_tried(&self, leaf: StateId, event: EventId, entries: HostEntries) -> bool {
        entries.shown(self.machine, leaf, event) == ShownByCalls::Everything
            && !reads(self.machine, leaf, event, mentions_now)
    }

    /// Tries some calls to a host tool, and returns the decisions about those that were not denied.
    fn tried_decisions(
        &self,
        held: &HeldRecords,
        event: EventId,
        tries: &Cell<usize>,
    ) -> Vec<Disposition> {
        let calls = self.calls_of(event);
        let contexts = self.tried_contexts();
        let contexts = contexts.iter().filter(|around| around.at.is_none());
        let all = calls.iter();
        let all = all.flat_map(|call| contexts.clone().map(move |around| (call, around)));
        let all: Vec<_> = all.take(MAX_TRIED.min(tries.get())).collect();
        tries.set(tries.get() - all.len());
        let all = all.into_iter();
        let decided = all.filter_map(|(call, around)| match self.outcome(held, call, around) {
            Outcome::Denied(_) => None,
            Outcome::Run { .. } => Some(Disposition::Run),
            Outcome::Accepted(accepted) if accepted.runs.is_some() => Some(Disposition::Count),
            Outcome::Accepted(_) => Some(Disposition::Record),
        });
        decided.collect()
    }
}
