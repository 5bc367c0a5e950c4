//! The machines and tools that all sessions of a host share.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use plan_machine_kernel::calls::Classify;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::session::CommandPrefix;
use plan_machine_kernel::step::ACTOR_FIELD;

use super::event_context::EventContext;
use super::parts::{HostToolInfo, Parts};
use super::running_machine::RunningMachine;
use crate::core::description::{Description, Event, EventKind};
use crate::core::id::Id;

/// Machines and host tools without conflicts. Each session has its own gate, which contains only the state of the
/// session.
#[derive(Clone)]
pub struct MachineSet(Arc<Shared>);

struct Shared {
    parts: Parts,
    known: BTreeSet<String>,
    /// The names of the fields of each machine's context.
    contexts: Vec<BTreeSet<String>>,
    /// Whether a machine has timers.
    has_timers: bool,
}

impl MachineSet {
    pub(super) fn of(parts: Parts) -> Self {
        let known = parts.host_tools.iter().map(|tool| tool.name.clone());
        let machines = parts.machines.iter();
        let contexts = machines.map(|start| context_keys(start.description()));
        let mut tables = parts.machines.iter().map(|start| start.description());
        Self(Arc::new(Shared {
            has_timers: tables.any(|tables| tables.timers().next().is_some()),
            contexts: contexts.collect(),
            known: known.collect(),
            parts,
        }))
    }

    /// Returns the machines for a new session, without any plans.
    pub(super) fn started(&self) -> Vec<Box<dyn RunningMachine>> {
        let machines = self.0.parts.machines.iter();
        machines.map(|start| start.start()).collect()
    }

    /// Returns the tables of the machines, in the order in which they were added.
    pub fn machines(&self) -> impl Iterator<Item = &'static Description> {
        self.0
            .parts
            .machines
            .iter()
            .map(|start| start.description())
    }

    /// Returns the names of the machines that are plan modes. A plan mode has at most one plan, in a slot, and a person
    /// approves the plan.
    #[doc(hidden)]
    #[must_use]
    pub fn plan_modes(&self) -> Vec<&'static str> {
        let is_reviewed =
            |event: &Event| matches!(event.kind, EventKind::Command { reviewed: true, .. });
        let machines = self.machines();
        let modes = machines.filter(|one| !one.is_many() && one.events.iter().any(is_reviewed));
        modes.map(|machine| machine.name).collect()
    }

    /// Returns whether a machine has timers.
    #[must_use]
    pub fn has_timers(&self) -> bool {
        self.0.has_timers
    }

    /// Returns the host tools.
    #[must_use]
    pub fn host_tools(&self) -> &[HostToolInfo] {
        &self.0.parts.host_tools
    }

    /// Returns whether the plans of an unavailable machine are kept unchanged.
    #[must_use]
    pub fn parks(&self, machine: &str) -> bool {
        self.0.parts.parked.iter().any(|parked| parked == machine)
    }

    /// Returns the command with which a person can end a damaged plan, for use in a sentence.
    pub(super) fn way_out(&self, plan: &str) -> String {
        match &self.0.parts.way_out {
            Some(command) => format!("`{}`", command.replace("{plan}", plan)),
            None => {
                format!(
                    "`plan-machine log --store STORE end SESSION {plan} --why TEXT`, or `Session::abandon` in the host"
                )
            }
        }
    }

    /// Returns the character with which people begin commands.
    #[must_use]
    pub fn prefix(&self) -> CommandPrefix {
        self.0.parts.prefix
    }

    /// Returns the names of the classes of calls; empty if there is no calls document.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        let document = self.calls().map(Classify::document);
        document.map_or(&[], |document| &document.classes)
    }

    /// Returns the classifier of calls; `None` if there is no calls document.
    pub(super) fn calls(&self) -> Option<&dyn Classify> {
        self.0.parts.calls.as_deref()
    }

    /// Returns the names of the host tools; `None` if the host does not list its tools.
    pub(super) fn known(&self) -> Option<&BTreeSet<String>> {
        (!self.0.parts.any_host_tool).then_some(&self.0.known)
    }

    /// Returns the context data for one machine: all keys except those that only other machines declare, and the sender
    /// if the machine reads it. Keys that no machine declares are kept, so that the machine can reject them.
    pub(super) fn context<'c>(&self, at: usize, around: &'c EventContext) -> Cow<'c, Object> {
        let own = self.own_context(at, &around.context);
        if !self.0.contexts[at].contains(ACTOR_FIELD) {
            return own;
        }
        let mut own = own.into_owned();
        own.remove(ACTOR_FIELD);
        if let Some(actor) = &around.actor {
            own.push(ACTOR_FIELD, actor.as_str());
        }
        Cow::Owned(own)
    }

    fn own_context<'c>(&self, at: usize, context: &'c Object) -> Cow<'c, Object> {
        let others = |key: &str| {
            let asks = |keys: &BTreeSet<String>| keys.contains(key);
            !asks(&self.0.contexts[at]) && self.0.contexts.iter().any(asks)
        };
        if !context.iter().any(|(key, _)| others(key)) {
            return Cow::Borrowed(context);
        }
        let own = context.iter().filter(|(key, _)| !others(key));
        Cow::Owned(
            own.map(|(key, value)| (key.to_owned(), value.clone()))
                .collect(),
        )
    }

    /// Returns the prefix for the ids of a machine's plans, if the host has set one.
    pub(super) fn name_of(&self, machine: &str) -> Option<&str> {
        let mut names = self.0.parts.names.iter();
        names.find_map(|(named, name)| (named == machine).then_some(name.as_str()))
    }

    /// Returns the host's next id, if the host generates ids.
    pub(super) fn new_id(&self) -> Option<Id> {
        self.0.parts.ids.as_ref().map(|make| make())
    }
}

impl fmt::Debug for MachineSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.machines().map(|machine| machine.name);
        f.debug_struct("MachineSet")
            .field("machines", &names.collect::<Vec<_>>())
            .field("host_tools", &self.0.known)
            .finish_non_exhaustive()
    }
}

/// Returns the fields of a machine's context, from its schema.
fn context_keys(machine: &Description) -> BTreeSet<String> {
    let schema = Json::parse(machine.context).unwrap_or_default();
    let fields = schema
        .as_object()
        .and_then(|schema| schema.get("properties"));
    let fields = fields.and_then(Json::as_object);
    let keys = fields.into_iter().flat_map(Object::iter);
    keys.map(|(key, _)| key.to_owned()).collect()
}
