//! Commands as people type them, for agents that use `/` themselves.

use std::borrow::Cow;

use plan_machine_kernel::messages;

use super::command::UnknownCommand;
use super::state::Gate;
use crate::core::description::EventKind;
use crate::dynamic::machine::{Denial, Outcome};

impl Gate {
    /// Returns a text in which the commands of the machines are written as people type them.
    #[must_use]
    pub fn as_typed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let machines = self.machines.iter();
        let events = machines.flat_map(|machine| machine.description().events);
        let commands = events.filter_map(|event| match event.kind {
            EventKind::Command { text, .. } => Some(text),
            _ => None,
        });
        self.machine_set.prefix().shown(text, commands)
    }

    /// Returns a typed line in the form in which specs write commands.
    pub(super) fn as_specified<'l>(&self, line: &'l str) -> Result<Cow<'l, str>, UnknownCommand> {
        let prefix = self.machine_set.prefix();
        if prefix.is_default() {
            return Ok(Cow::Borrowed(line));
        }
        let unknown = || UnknownCommand::new(messages::other_prefix(line, prefix.as_char()));
        prefix.read(line).ok_or_else(unknown)
    }

    /// Rewrites the commands in the messages of a denial.
    pub(super) fn reword(&self, denial: &mut Denial) {
        if self.machine_set.prefix().is_default() {
            return;
        }
        for message in &mut denial.messages {
            *message = self.as_typed(message).into_owned();
        }
    }

    /// Rewrites the commands in a denial. A reply is not rewritten, because it may contain the plan that a person is
    /// about to approve. The journal keeps the step as the machine performed it, so that the step can be replayed.
    pub(super) fn reword_outcome(&self, outcome: &mut Outcome) {
        if let Outcome::Denied(denial) = outcome {
            self.reword(denial);
        }
    }
}
