//! The host's tools: everything that a model can call in addition to the tools of its plans.
//!
//! [`Workspace`] provides tools for files and commands in one folder.

mod error;
mod folder;
mod list;
mod orphans;
mod search;
mod shell;
mod supervise;
mod workspace;

use std::pin::Pin;

use plan_machine::Object;
use plan_machine::gate::ConfirmedCall;

use crate::stop::Stop;

pub use error::ToolError;
pub use orphans::{adopt_orphans, end_orphans};
pub use shell::{INTERRUPTED, Shell};
pub use supervise::supervise;
pub use workspace::{LONGEST, ShellRule, Workspace};

/// Tools that a model can call.
pub trait Tools: Send + Sync + 'static {
    /// Returns the available tools.
    fn infos(&self) -> Vec<ToolInfo>;

    /// Runs a tool until it finishes or is stopped. Only a confirmed call can run a tool.
    fn run<'a>(&'a self, call: ConfirmedCall, stop: &'a Stop) -> ToolFuture<'a>;
}

/// A future that resolves to a tool's result; an error is reported to the model.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send + 'a>>;

/// A tool as gates and models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// The name of the tool.
    pub name: &'static str,
    /// A description of the tool's purpose.
    pub description: &'static str,
    /// The JSON schema of the tool's arguments.
    pub schema: Object,
}

/// No tools at all.
impl Tools for () {
    fn infos(&self) -> Vec<ToolInfo> {
        Vec::new()
    }

    fn run<'a>(&'a self, call: ConfirmedCall, _: &'a Stop) -> ToolFuture<'a> {
        Box::pin(async move { Err(ToolError::unknown(call.tool())) })
    }
}
