//! The tools that a model sees in a session.

use plan_machine_kernel::session::SessionRule;

use super::called::CalledTool;
use super::model::Session;
use crate::model::machine::EventKind;
use crate::model::{EventId, StateId};

impl Session {
    /// Returns, for each machine, those of its tools that the model sees if the machines are in these states. Tools
    /// that another machine prevents are left out. For a machine with many plans, one plan is assumed to be in the
    /// state.
    #[must_use]
    pub fn advertised(&self, states: &[StateId]) -> Vec<Vec<EventId>> {
        let members = self.members.iter().zip(states).enumerate();
        let each = members.map(|(at, (member, state))| {
            let machine = &member.machine;
            let mut tools = machine.advertised(*state);
            if machine.is_many() {
                tools.extend(machine.advertised(StateId::NONE));
                tools.sort_unstable();
                tools.dedup();
            }
            tools.retain(|tool| !self.is_prevented(at, *tool, states));
            tools
        });
        each.collect()
    }

    /// Returns whether another machine, in its state, prevents calls to a tool.
    fn is_prevented(&self, owner: usize, tool: EventId, states: &[StateId]) -> bool {
        let declared = self.machine(owner).event(tool);
        let EventKind::Tool { external, .. } = declared.kind else {
            return false;
        };
        let called = CalledTool {
            tool: declared.name.clone(),
            class: None,
        };
        let mut others = self.members.iter().zip(states).enumerate();
        others.any(|(at, (member, state))| {
            let machine = &member.machine;
            let decides = if machine.is_many() {
                StateId::NONE
            } else {
                *state
            };
            let joint = called.dispositions(machine, decides);
            at != owner && SessionRule::GATE.prevents(external, joint)
        })
    }
}
