//! Putting a session together: all conflicts are reported at once.

use std::fmt;
use std::sync::Arc;

use plan_machine_kernel::json::Object;

use super::conflicts::{self, Conflict};
use super::machine_set::MachineSet;
use super::parts::{HostToolInfo, Parts};
use super::state::Gate;
use crate::core::id::Id;
use crate::dynamic::machine::Machine;

/// Puts machines and host tools together to a gate, or to the gates of many sessions.
#[derive(Default)]
#[must_use = "nothing is decided before `open` or `join`"]
pub struct GateBuilder(Parts);

impl GateBuilder {
    /// Adds a machine, compiled or interpreted.
    pub fn with(mut self, machine: impl Machine + Send + Sync + 'static) -> Self {
        self.0.machines.push(Box::new(Arc::new(machine)));
        self
    }

    /// Says how ids of new plans are made; without it they are `plan-1`, `plan-2`, … in each session.
    pub fn ids(mut self, new_id: impl Fn() -> Id + Send + Sync + 'static) -> Self {
        self.0.ids = Some(Box::new(new_id));
        self
    }

    /// Gives the plans of a machine a name of their own: with `run` they are `run-1`, `run-2`, … in each session.
    pub fn names(mut self, machine: &str, name: &str) -> Self {
        self.0.names.push((machine.to_owned(), name.to_owned()));
        self
    }

    /// Adds a host tool. A schema that says nothing takes any object.
    pub fn host_tool(mut self, name: &str, description: &str, mut schema: Object) -> Self {
        if schema.get("type").is_none() {
            schema.push("type", "object");
        }
        self.0.host_tools.push(HostToolInfo {
            name: name.to_owned(),
            description: description.to_owned(),
            schema,
        });
        self
    }

    /// The host does not list its tools: any name that no machine defines may be one of them, those
    /// that specs list under `external_tools` included.
    ///
    /// Names are compared letter by letter, and the host must look its tools up in the same way. A name that differs
    /// from one that a spec names only in upper case or in signs such as `-`, or that has other letters than ASCII,
    /// is denied as unknown: a host that takes `Shell` for `shell` would run what the spec denies.
    pub fn any_host_tool(mut self) -> Self {
        self.0.any_host_tool = true;
        self
    }

    /// A machine that a stored session may hold plans of, and that is not here: they are kept as they
    /// are. Without it such a session is not opened.
    pub fn parks(mut self, machine: &str) -> Self {
        self.0.parked.push(machine.to_owned());
        self
    }

    /// Says what a person types to end a damaged plan, for messages: `/plan end {plan}`. The host does
    /// that with `Session::abandon`.
    pub fn ends_damaged_plans_by(mut self, command: impl Into<String>) -> Self {
        self.0.way_out = Some(command.into());
        self
    }

    /// Puts everything together, for any number of sessions.
    ///
    /// # Errors
    ///
    /// Everything that cannot live side by side, and every tool that a spec lists under
    /// `external_tools` and the host does not have.
    pub fn join(self) -> Result<MachineSet, Conflict> {
        let machines: Vec<_> = self
            .0
            .machines
            .iter()
            .map(|start| start.description())
            .collect();
        conflicts::refuse(&machines, &self.0.host_tools, self.0.any_host_tool)?;
        Ok(MachineSet::of(self.0))
    }

    /// Puts everything together, for one session.
    ///
    /// # Errors
    ///
    /// Everything that cannot live side by side.
    pub fn open(self) -> Result<Gate, Conflict> {
        self.join().map(|machines| machines.gate())
    }
}

impl fmt::Debug for GateBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.machines.iter().map(|start| start.description().name);
        f.debug_list().entries(names).finish()
    }
}

impl Gate {
    /// Begins to put a gate together.
    pub fn builder() -> GateBuilder {
        GateBuilder::default()
    }
}
