//! Putting a session together: what cannot live side by side is told at once.

use std::fmt;
use std::sync::Arc;

use plan_machine_kernel::json::Object;

use super::Gate;
use super::conflicts::{self, Conflict};
use super::ensemble::{Ensemble, Ids, Start};
use crate::id::Id;
use crate::machine::Machine;

/// The parts of a session, not yet put together.
#[derive(Default)]
pub struct Assembly {
    pub(super) machines: Vec<Box<dyn Start>>,
    pub(super) host_tools: Vec<HostToolInfo>,
    pub(super) any_host_tool: bool,
    pub(super) parked: Vec<String>,
    pub(super) way_out: Option<String>,
    pub(super) ids: Option<Ids>,
    pub(super) names: Vec<(String, String)>,
}

/// A tool that the host has.
#[derive(Clone, Debug, PartialEq)]
pub struct HostToolInfo {
    /// Its name.
    pub name: String,
    /// What the model is told of it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Object,
}

impl Assembly {
    /// Adds a machine, compiled or interpreted.
    #[must_use]
    pub fn with(mut self, machine: impl Machine + Send + Sync + 'static) -> Self {
        self.machines.push(Box::new(Arc::new(machine)));
        self
    }

    /// Says how ids of new plans are made; without it they are `plan-1`, `plan-2`, … in each session.
    #[must_use]
    pub fn ids(mut self, new_id: impl Fn() -> Id + Send + Sync + 'static) -> Self {
        self.ids = Some(Box::new(new_id));
        self
    }

    /// Gives the plans of a machine a name of their own: with `run` they are `run-1`, `run-2`, … in each session.
    #[must_use]
    pub fn names(mut self, machine: &str, name: &str) -> Self {
        self.names.push((machine.to_owned(), name.to_owned()));
        self
    }

    /// Adds a tool of the host. A schema that says nothing takes any object.
    #[must_use]
    pub fn host_tool(mut self, name: &str, description: &str, mut schema: Object) -> Self {
        if schema.get("type").is_none() {
            schema.push("type", "object");
        }
        self.host_tools.push(HostToolInfo {
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
    #[must_use]
    pub fn any_host_tool(mut self) -> Self {
        self.any_host_tool = true;
        self
    }

    /// A machine that a stored session may hold plans of, and that is not here: they are kept as they
    /// are. Without it such a session is not opened.
    #[must_use]
    pub fn parks(mut self, machine: &str) -> Self {
        self.parked.push(machine.to_owned());
        self
    }

    /// Says what a person types to end a damaged plan, for messages: `/plan end {plan}`. The host does
    /// that with `Session::abandon`.
    #[must_use]
    pub fn ends_damaged_plans_by(mut self, command: impl Into<String>) -> Self {
        self.way_out = Some(command.into());
        self
    }

    /// Puts everything together, for any number of sessions.
    ///
    /// # Errors
    ///
    /// Everything that cannot live side by side, and every tool that a spec lists under
    /// `external_tools` and the host does not have.
    pub fn join(self) -> Result<Ensemble, Conflict> {
        let machines: Vec<_> = self
            .machines
            .iter()
            .map(|start| start.description())
            .collect();
        conflicts::refuse(&machines, &self.host_tools, self.any_host_tool)?;
        Ok(Ensemble::of(self))
    }

    /// Puts everything together, for one session.
    ///
    /// # Errors
    ///
    /// Everything that cannot live side by side.
    pub fn open(self) -> Result<Gate, Conflict> {
        self.join().map(|ensemble| ensemble.gate())
    }
}

impl fmt::Debug for Assembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.machines.iter().map(|start| start.description().name);
        f.debug_list().entries(names).finish()
    }
}
