//! The parts of a gate.

use std::sync::Arc;

use plan_machine_kernel::calls::Classify;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::session::CommandPrefix;

use super::running_machine::{Run, RunningMachine};
use crate::core::description::Description;
use crate::core::id::Id;
use crate::dynamic::machine::Machine;

/// Machines and host tools that have not been checked for conflicts yet.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) machines: Vec<Box<dyn Start>>,
    pub(super) host_tools: Vec<HostToolInfo>,
    pub(super) any_host_tool: bool,
    pub(super) parked: Vec<String>,
    pub(super) way_out: Option<String>,
    pub(super) ids: Option<Ids>,
    pub(super) names: Vec<(String, String)>,
    pub(super) prefix: CommandPrefix,
    pub(super) calls: Option<Box<dyn Classify>>,
}

/// Generates ids that no plan uses yet.
pub(super) type Ids = Box<dyn Fn() -> Id + Send + Sync>;

/// A tool that the host has.
#[derive(Clone, Debug, PartialEq)]
pub struct HostToolInfo {
    /// The name of the tool.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON schema of the tool's arguments.
    pub schema: Object,
}

/// A machine that sessions can start.
pub(super) trait Start: Send + Sync {
    fn description(&self) -> &'static Description;
    fn start(&self) -> Box<dyn RunningMachine>;
}

impl<M: Machine + Send + Sync + 'static> Start for Arc<M> {
    fn description(&self) -> &'static Description {
        M::description(self)
    }

    fn start(&self) -> Box<dyn RunningMachine> {
        Box::new(Run::new(Arc::clone(self)))
    }
}
