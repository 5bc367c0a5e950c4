//! The tool and the class of a call, which select the entries of a machine.

use crate::core::description::{Description, Handling};
use crate::core::host_tool;

/// The names that select the entries of a machine for a call: the name of the tool, and the class
/// of the call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CalledTool<'c> {
    pub(super) tool: &'c str,
    pub(super) class: Option<&'c str>,
}

impl<'c> CalledTool<'c> {
    /// Returns the name of a call without a class.
    pub(super) fn of_tool(tool: &'c str) -> Self {
        Self { tool, class: None }
    }

    /// Returns the entries of a machine that apply to the call: those for its tool and for its class,
    /// or else the one for other tools.
    pub(super) fn entries(self, machine: &Description) -> impl Iterator<Item = u16> {
        let named = |name| {
            let found = machine.event_named(name);
            found.filter(|at| host_tool::is_named(machine, *at))
        };
        let tool = named(self.tool);
        let class = self.class.and_then(named);
        let other = || machine.other_tools();
        tool.or(class)
            .or_else(|| Some(other()))
            .into_iter()
            .chain(class.filter(|_| tool.is_some()))
    }

    /// Returns the entry that determines how the call is handled in a state: the strictest one.
    pub(super) fn entry(self, machine: &Description, state: u16) -> u16 {
        let strictness = |entry: &u16| machine.handling(state, *entry).strictness();
        let entries = self.entries(machine);
        // The entry for the tool comes first, so it is used if both are equally strict.
        let strictest = entries.reduce(|one, other| {
            if strictness(&other) > strictness(&one) {
                other
            } else {
                one
            }
        });
        strictest.unwrap_or_else(|| machine.other_tools())
    }

    /// Returns how a state handles the call.
    pub(super) fn handling(self, machine: &Description, state: u16) -> Handling {
        machine.handling(state, self.entry(machine, state))
    }
}
