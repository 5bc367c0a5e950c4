//! The host's tools: everything a model can call besides the tools of its plans.
//!
//! [`Workspace`] provides real tools, each confined to what it is given.

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
    /// Its name.
    pub name: &'static str,
    /// A description of its purpose.
    pub description: &'static str,
    /// The JSON schema of its arguments.
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
