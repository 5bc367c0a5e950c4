//! Finds the configurations of a search from which a target is reached.

use plan_machine_compiler::model::EventId;
use plan_machine_compiler::model::machine::Property;
use plan_machine_compiler::semantics::{HeldRecords, Record, Sandbox};

use super::{Run, Search, Seen, Sent, Visit, Went, place};
use crate::choices::{UNMENTIONED, reads_sent_list};
use crate::meaning::truth;

/// The context and the host with which a target must be reachable.
#[derive(Clone, Copy)]
pub(crate) enum Host {
    /// The most favorable context, and a host with every tool.
    Any,
    /// Any context, and a host with a single tool that the spec does not declare.
    With(&'static str),
}

impl Host {
    /// Hosts with a tool that no spec mentions.
    pub(crate) const EACH: [Host; 2] = [Host::With(UNMENTIONED[0]), Host::With(UNMENTIONED[1])];
}

impl Search<'_> {
    /// Returns the configurations from which a target is reached: in the most favorable context with any host tools, or
    /// in every context with only this undeclared host tool. The target counts as reached where `is_reached` says so.
    fn reaching(
        &self,
        property: &Property,
        host: Host,
        is_reached: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let Property::CanReach(target, by) = property else {
            return Vec::new();
        };
        let is_true = |held: &HeldRecords, record: Option<&Record>| {
            truth(self.machine, held, record, target) == Some(true)
        };
        let at_once = |visit: &Visit<'_>| {
            let held = visit.sandbox.held();
            is_true(held, held.in_slot())
        };
        let visits = self.visits.iter().enumerate();
        let mut reached: Vec<bool> = visits
            .map(|(at, visit)| is_reached(at) || at_once(visit))
            .collect();
        let is_there = |sent: &Sent| match (host, &sent.undeclared) {
            (Host::With(only), Some(name)) => **name == *only,
            (Host::Any, _) | (_, None) => true,
        };
        let is_allowed = |sent: &Sent| {
            let is_by = |names: &Vec<EventId>| names.iter().any(|event| by.contains(event));
            is_there(sent) && (by.is_empty() || sent.by.iter().all(is_by))
        };
        loop {
            let mut grew = false;
            for at in 0..self.visits.len() {
                let leads = |went: &Option<Went>| {
                    let hits = |seen: &Seen| {
                        let mut touched = seen.touched.iter();
                        touched.any(|record| is_true(&seen.after, Some(record)))
                    };
                    went.as_ref()
                        .is_some_and(|went| reached[went.to] || went.seen.iter().any(hits))
                };
                let mut sent = self.visits[at].sent.iter().filter(|sent| is_allowed(sent));
                let found = !reached[at]
                    && sent.any(|sent| match host {
                        Host::Any => sent.went.iter().any(leads),
                        Host::With(_) => sent.went.iter().all(leads),
                    });
                if found {
                    reached[at] = true;
                    grew = true;
                }
            }
            if !grew {
                return reached;
            }
        }
    }

    fn is_source(&self, at: usize) -> bool {
        self.visits[at].sandbox.held().slot.is_some()
    }

    /// Returns whether steps that were not tried may lead from a configuration to the target of a property: the
    /// configuration was not followed, or an event that may be used there carries a list that a transition reads.
    fn is_open(&self, at: usize, property: &Property) -> bool {
        let Property::CanReach(_, by) = property else {
            return false;
        };
        let leaf = self.visits[at].sandbox.held().leaf();
        let machine = self.machine;
        let reads = |event: EventId| {
            let alternatives = machine.alternatives(leaf, event).unwrap_or_default();
            let mut taken = alternatives.iter().map(|id| machine.transition(*id));
            taken.any(|transition| reads_sent_list(machine, transition))
        };
        let mut events = machine.event_ids();
        at >= self.followed
            || events.any(|event| (by.is_empty() || by.contains(&event)) && reads(event))
    }

    /// Returns the run to the nearest plan for which a target is unreachable, whichever lists are sent.
    pub(crate) fn stuck(&self, property: &Property, host: Host) -> Option<Run> {
        let reached = self.reaching(property, host, |at| self.is_open(at, property));
        let at = (0..reached.len()).find(|at| self.is_source(*at) && !reached[*at])?;
        Some(Run {
            steps: self.visits[at].steps,
            told: self.way(at),
        })
    }

    /// Returns whether the held record already satisfies the target.
    pub(crate) fn is_there(&self, held: &HeldRecords, property: &Property) -> bool {
        let Property::CanReach(target, _) = property else {
            return false;
        };
        truth(self.machine, held, held.in_slot(), target) == Some(true)
    }

    /// Returns whether the target is reachable in a session on every host.
    pub(crate) fn reaches_from(&self, session: &Sandbox<'_>, property: &Property) -> Option<bool> {
        let at = *self.places.get(&place(session))?;
        let mut hosts = Host::EACH.into_iter();
        Some(hosts.all(|host| self.reaching(property, host, |_| false)[at]))
    }
}
