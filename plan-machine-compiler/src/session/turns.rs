//! Turns of a session: as in the gate of a running session, a host tool that could not run when a turn began does not
//! run later in the turn. A command from a person changes the set of tools that may run in the turn (its floor) only by
//! the tools that the command itself opens or closes.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;

use super::called::CalledTool;
use super::floor::{OpenTools, Turn};
use super::sandbox::{SessionSandbox, deciding};
use crate::model::machine::EventKind;
use crate::model::{Decision, EventId};
use crate::semantics::{Call, CallKind, Denial, could_run};

impl SessionSandbox<'_> {
    /// Begins a turn: a person has sent a message that is not a command. Returns `false` if this is already the current
    /// turn; in this case, nothing has changed.
    pub fn begin_turn(&mut self, id: &str, at: Option<Instant>) -> bool {
        if self.turn.as_ref().is_some_and(|turn| turn.id == id) {
            return false;
        }
        self.catch_up(at);
        let now = self.now(at);
        let all = 0..self.machines.len();
        self.turn = Some(Turn {
            id: id.to_owned(),
            floor: all.map(|at| self.open_tools(at, now)).collect(),
        });
        true
    }

    /// Returns the host tools that a machine would now let run with some arguments.
    fn open_tools(&self, at: usize, now: Instant) -> OpenTools {
        let (machine, held) = (self.machine(at), self.held(at));
        let leaf = deciding(machine, held);
        let opens = |event: &EventId| match machine.decision(leaf, *event) {
            Decision::Run => true,
            Decision::Choose(_) => could_run(machine, held, *event, now),
            Decision::Record(_) | Decision::Deny => false,
        };
        let events = machine.event_ids();
        let of_host = events.filter(|event| machine.is_host_tool(*event));
        of_host.filter(opens).collect()
    }

    /// Returns a machine in which a host tool could not run when the turn began, with the denial, unless a person has
    /// opened the tool since.
    pub(super) fn held_back(
        &self,
        called: &CalledTool,
        except: Option<usize>,
    ) -> Option<(usize, Denial)> {
        let floor = self.turn.as_ref()?.floor.iter().enumerate();
        let mut others = floor.filter(|(at, _)| Some(*at) != except);
        let (at, _) = others.find(|(at, open)| {
            let (one, other) = called.entries(self.machine(*at));
            let mut entries = std::iter::once(one).chain(other);
            !entries.all(|entry| open.contains(&entry))
        })?;
        let leaf = deciding(self.machine(at), self.held(at));
        let message = messages::not_in_this_turn(&called.tool);
        Some((at, Denial::new(DenialKind::NotAllowed, leaf, message)))
    }

    /// Returns the host tools that could run in a machine before a command; `None` if the event cannot change the floor
    /// of the turn, or if there is no turn.
    pub(super) fn before_command(&self, at: usize, call: &Call, now: Instant) -> Option<OpenTools> {
        let CallKind::Event(event) = call.what else {
            return None;
        };
        let is_command = matches!(self.machine(at).event(event).kind, EventKind::Command(_));
        (is_command && self.turn.is_some()).then(|| self.open_tools(at, now))
    }

    /// Updates the floor of the turn after a machine has accepted a command: the tools that the command has opened are
    /// added, and those that it has closed are removed.
    pub(super) fn move_floor(&mut self, at: usize, before: Option<OpenTools>, now: Instant) {
        let Some(before) = before else { return };
        let after = self.open_tools(at, now);
        if let Some(turn) = &mut self.turn {
            let floor = &mut turn.floor[at];
            floor.retain(|tool| after.contains(tool) || !before.contains(tool));
            floor.extend(after.difference(&before));
        }
    }
}
