//! Prevents models from extending the floor of a turn: a host tool that could not run when the turn
//! began does not run later in the turn, whatever states the machines reach.
//!
//! A person's command changes the floor only by its own effect: the tools that it opens are added,
//! and those that it closes are removed.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;

use super::called_tool::CalledTool;
use super::floor::{Floor, OpenTools};
use super::state::Gate;
use crate::core::description::EventKind;
use crate::dynamic::machine::{Call, CallKind, Denial};

/// The host tools that could run in a machine before a step. They are needed after the step, to update the floor of the
/// turn: the host tools that may run in the turn.
pub(super) struct BeforeStep {
    open: OpenTools,
    /// Whether a person sends the event.
    is_command: bool,
    /// The time of the step.
    now: Instant,
}

impl Gate {
    /// Returns the host tools that could run at this time, machine by machine.
    pub(super) fn open_now(&self, now: Instant) -> Floor {
        let machines = self.machines.iter().enumerate();
        let machines = machines.map(|(at, machine)| {
            let name = machine.description().name.to_owned();
            (name, self.open_tools(at, now))
        });
        machines.collect()
    }

    /// Returns the host tools that a machine would allow at this time with some arguments. If
    /// alternatives decide, they are evaluated with the data of the plan: otherwise, a model that resets
    /// a counter could continue in the same turn.
    fn open_tools(&self, at: usize, now: Instant) -> OpenTools {
        let events = self.machines[at].description().events.iter();
        let of_host = events
            .filter(|event| matches!(event.kind, EventKind::External | EventKind::OtherTools));
        // `other_tools` is a reserved word, so here it can only mean all tools without an entry.
        let open = of_host.filter(|event| self.opens(at, CalledTool::of_tool(event.name), now));
        open.map(|event| event.name.to_owned()).collect()
    }

    /// Returns whether a machine would allow a call at this time, as far as that is known without the
    /// arguments of the call.
    fn opens(&self, at: usize, call: CalledTool<'_>, now: Instant) -> bool {
        let handling = self.handling(at, call);
        if !handling.is_chosen() {
            return handling.may_run();
        }
        let machine = &self.machines[at];
        let tables = machine.description();
        let entry = call.entry(tables, machine.batch_start().place());
        machine.could_run(tables.event(entry).name, now)
    }

    /// Returns a denial if a host tool could not run when the turn began, and no person has opened it since. The
    /// caller has checked that the tool could run now.
    pub(super) fn held_back(&self, call: CalledTool<'_>, except: Option<usize>) -> Option<Denial> {
        let floor = &self.turn.as_ref()?.floor;
        let closed = |at: &usize| {
            let tables = self.machines[*at].description();
            let mut keys = call.entries(tables).map(|entry| tables.event(entry).name);
            Some(*at) != except && !keys.all(|key| floor.allows(tables.name, key))
        };
        let at = (0..self.machines.len()).find(closed)?;
        let machine = &self.machines[at];
        let state = machine.description().state(machine.batch_start().place());
        let message = messages::not_in_this_turn(call.tool);
        Some(Denial::new(DenialKind::NotAllowed, message, state.name))
    }

    /// Returns a denial if a call that the host itself sends to a host tool would run now, but could not run when the
    /// turn began.
    pub(super) fn held_back_here(
        &self,
        at: usize,
        call: CalledTool<'_>,
        now: Instant,
    ) -> Option<Denial> {
        let runs = self.turn.is_some() && self.opens(at, call, now);
        runs.then(|| self.held_back(call, None)).flatten()
    }

    /// Returns the data that must be collected before a step, so that the floor of the turn (the host tools that may
    /// run in the turn) can be updated after the step; `None` if the step cannot change the floor, or if there is no
    /// turn.
    pub(super) fn before_step(&self, at: usize, call: &Call, now: Instant) -> Option<BeforeStep> {
        let turn = self.turn.as_ref()?;
        let tables = self.machines[at].description();
        let kind = match &call.what {
            CallKind::Event(name) => tables
                .event_named(name)
                .map(|event| tables.event(event).kind),
            CallKind::HostTool(_) => None,
        };
        let is_command = matches!(kind, Some(EventKind::Command { .. }));
        let only_reads = matches!(kind, Some(EventKind::Tool { read: true, .. }));
        let joins = turn.floor.of(tables.name).is_none() && !only_reads;
        (is_command || joins).then(|| BeforeStep {
            open: self.open_tools(at, now),
            is_command,
            now,
        })
    }

    /// Updates the floor of the turn (the host tools that may run in the turn) after a machine has accepted a step;
    /// returns the machine's part of the floor if it has changed.
    pub(super) fn move_floor(
        &mut self,
        at: usize,
        before: Option<BeforeStep>,
    ) -> Option<OpenTools> {
        let BeforeStep {
            open,
            is_command,
            now,
        } = before?;
        let name = self.machines[at].description().name;
        let after = is_command.then(|| self.open_tools(at, now));
        let floor = &mut self.turn.as_mut()?.floor;
        let old = floor.of(name).cloned();
        let mut new = old.clone().unwrap_or_else(|| open.clone());
        if let Some(after) = after {
            new.retain(|tool| after.contains(tool) || !open.contains(tool));
            new.extend(after.difference(&open).cloned());
        }
        if old.as_ref() == Some(&new) {
            return None;
        }
        floor.set(name, new.clone());
        Some(new)
    }
}
