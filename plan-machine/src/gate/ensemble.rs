//! What the sessions of a host have in common: which machines, which tools.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::Gate;
use super::assemble::{Assembly, HostToolInfo};
use crate::description::Description;
use crate::id::Id;
use crate::machine::Machine;
use crate::running::{Run, Running};

/// Machines and tools of a host that fit together. Each session has a gate of its own, which holds
/// only what is the session's.
#[derive(Clone)]
pub struct Ensemble(Arc<Parts>);

/// Makes ids that no plan has.
pub(super) type Ids = Box<dyn Fn() -> Id + Send + Sync>;

struct Parts {
    machines: Vec<Box<dyn Start>>,
    host_tools: Vec<HostToolInfo>,
    known: BTreeSet<String>,
    any_host_tool: bool,
    parked: Vec<String>,
    ids: Option<Ids>,
}

/// A machine that sessions begin to run.
pub(super) trait Start: Send + Sync {
    fn description(&self) -> &'static Description;
    fn start(&self) -> Box<dyn Running>;
}

impl<M: Machine + Send + Sync + 'static> Start for Arc<M> {
    fn description(&self) -> &'static Description {
        M::description(self)
    }

    fn start(&self) -> Box<dyn Running> {
        Box::new(Run::new(Arc::clone(self)))
    }
}

impl Ensemble {
    pub(super) fn of(parts: Assembly) -> Self {
        let known = parts.host_tools.iter().map(|tool| tool.name.clone());
        Self(Arc::new(Parts {
            known: known.collect(),
            machines: parts.machines,
            host_tools: parts.host_tools,
            any_host_tool: parts.any_host_tool,
            parked: parts.parked,
            ids: parts.ids,
        }))
    }

    /// The gate of a session that holds nothing yet.
    #[must_use]
    pub fn gate(&self) -> Gate {
        Gate {
            ensemble: self.clone(),
            machines: self.0.machines.iter().map(|start| start.start()).collect(),
            born: 0,
            next_id: None,
            log: None,
        }
    }

    /// The tables of the machines, in the order in which they were added.
    pub fn machines(&self) -> impl Iterator<Item = &'static Description> {
        self.0.machines.iter().map(|start| start.description())
    }

    /// The tools of the host.
    #[must_use]
    pub fn host_tools(&self) -> &[HostToolInfo] {
        &self.0.host_tools
    }

    /// Whether plans of a machine that is not here are kept as they are.
    #[must_use]
    pub fn parks(&self, machine: &str) -> bool {
        self.0.parked.iter().any(|parked| parked == machine)
    }

    /// The names of the host's tools; `None` where any name may be one.
    pub(super) fn known(&self) -> Option<&BTreeSet<String>> {
        (!self.0.any_host_tool).then_some(&self.0.known)
    }

    /// The host's next id, where it makes them.
    pub(super) fn new_id(&self) -> Option<Id> {
        self.0.ids.as_ref().map(|make| make())
    }
}

impl fmt::Debug for Ensemble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.machines().map(|machine| machine.name);
        f.debug_struct("Ensemble")
            .field("machines", &names.collect::<Vec<_>>())
            .field("host_tools", &self.0.known)
            .finish_non_exhaustive()
    }
}
