//! Combines machines and host tools, and reports all conflicts at once.

use std::fmt;
use std::sync::Arc;

use plan_machine_kernel::calls::Classify;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::session::CommandPrefix;

use super::conflicts::{self, Conflict};
use super::machine_set::MachineSet;
use super::parts::{HostToolInfo, Parts};
use super::state::Gate;
use crate::core::description::Description;
use crate::core::id::Id;
use crate::dynamic::machine::Machine;

/// Combines machines and host tools into a gate, or into the gates of many sessions.
#[derive(Default)]
#[must_use = "a builder has no effect until `open` or `join` is called"]
pub struct GateBuilder(Parts);

impl GateBuilder {
    /// Adds a machine, compiled or interpreted.
    pub fn with(mut self, machine: impl Machine + Send + Sync + 'static) -> Self {
        self.0.machines.push(Box::new(Arc::new(machine)));
        self
    }

    /// Returns the tables of the machines that have been added so far.
    pub fn machines(&self) -> impl Iterator<Item = &'static Description> {
        self.0.machines.iter().map(|start| start.description())
    }

    /// Sets how the ids of new plans are generated. By default, they are `plan-1`, `plan-2`, … in each session.
    pub fn ids(mut self, new_id: impl Fn() -> Id + Send + Sync + 'static) -> Self {
        self.0.ids = Some(Box::new(new_id));
        self
    }

    /// Sets the prefix for the ids of a machine's plans: with `run`, they are `run-1`, `run-2`, … in each session.
    pub fn names(mut self, machine: &str, name: &str) -> Self {
        self.0.names.push((machine.to_owned(), name.to_owned()));
        self
    }

    /// Adds a host tool. An empty schema accepts any object.
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

    /// Declares that the host does not list its tools: any name that no machine defines may be a host tool, including
    /// the names that specs list under `external_tools`.
    ///
    /// Names are compared exactly, and the host must look up its tools in the same way. A name that differs from one
    /// in a spec only in case or in characters such as `-`, or that contains white space or characters outside ASCII,
    /// is denied as unknown. Otherwise, a host that treats `Shell` as `shell` would run a tool that the spec denies.
    pub fn any_host_tool(mut self) -> Self {
        self.0.any_host_tool = true;
        self
    }

    /// Names a machine that is not available although stored sessions may contain plans of that machine: those plans
    /// are kept unchanged. Without this call, such a session cannot be opened.
    ///
    /// The timers of those plans do not fire until the machine is available again. A timer that has become due by then
    /// fires before the next event; to fire it earlier, and to have the session listed as due for its other timers,
    /// the host calls `Session::wake`.
    pub fn parks(mut self, machine: &str) -> Self {
        self.0.parked.push(machine.to_owned());
        self
    }

    /// Sets the command that messages show for ending a damaged plan, such as `/plan end {plan}`.
    /// The host implements the command with `Session::abandon`.
    pub fn ends_damaged_plans_by(mut self, command: impl Into<String>) -> Self {
        self.0.way_out = Some(command.into());
        self
    }

    /// Sets the character with which people begin commands, for agents that use `/` themselves: with `.`, people type
    /// `.plan on` where a spec says `/plan on`.
    pub fn command_prefix(mut self, prefix: CommandPrefix) -> Self {
        self.0.prefix = prefix;
        self
    }

    /// Sets the calls document that maps each call to a class. A machine decides on a call by two entries, one for the
    /// tool and one for the class of the call; the stricter entry wins. Calls of the built-in class `guard`, such as
    /// calls that would change the gate itself, are denied in every state.
    pub fn calls(mut self, calls: impl Classify + 'static) -> Self {
        self.0.calls = Some(Box::new(calls));
        self
    }

    /// Replaces the classifier of calls, if there is one.
    #[cfg(feature = "interpret")]
    pub(super) fn wrap_calls(
        mut self,
        wrap: impl FnOnce(Box<dyn Classify>) -> Box<dyn Classify>,
    ) -> Self {
        self.0.calls = self.0.calls.map(wrap);
        self
    }

    /// Checks the machines and host tools for conflicts and combines them, for any number of sessions.
    ///
    /// # Errors
    ///
    /// If there are conflicts, or if a spec lists a tool under `external_tools` that the host does not have; all of
    /// these problems are reported.
    pub fn join(self) -> Result<MachineSet, Conflict> {
        let machines: Vec<&'static Description> = self.machines().collect();
        let calls = self.0.calls.as_deref().map(Classify::document);
        conflicts::refuse(&machines, &self.0.host_tools, self.0.any_host_tool, calls)?;
        Ok(MachineSet::of(self.0))
    }

    /// Combines machines that a session may have had at different times, to replay its journal. Conflicts between them
    /// are not checked, so the result is not meant for decisions on calls.
    #[doc(hidden)]
    #[must_use]
    pub fn join_for_replay(self) -> MachineSet {
        MachineSet::of(self.0)
    }

    /// Checks the machines and host tools for conflicts and combines them, for one session.
    ///
    /// # Errors
    ///
    /// If there are conflicts, or if a spec lists a tool under `external_tools` that the host does not have; all of
    /// these problems are reported.
    pub fn open(self) -> Result<Gate, Conflict> {
        self.join().map(|machines| machines.gate())
    }
}

impl fmt::Debug for GateBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.machines().map(|machine| machine.name);
        f.debug_list().entries(names).finish()
    }
}

impl Gate {
    /// Returns a builder for a gate.
    pub fn builder() -> GateBuilder {
        GateBuilder::default()
    }
}
