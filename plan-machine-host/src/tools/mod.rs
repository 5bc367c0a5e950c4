//! Tools of the host: whatever a model can call beside the tools of its plans.
//!
//! [`Workspace`] has real ones, each confined to what it is given.

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
    /// The tools that there are.
    fn infos(&self) -> Vec<ToolInfo>;

    /// Runs a tool until it is stopped. There is no other way to run one than by a call that was confirmed.
    fn run<'a>(&'a self, call: ConfirmedCall, stop: &'a Stop) -> ToolFuture<'a>;
}

/// The result of a tool, later; where it fails, the model is told why.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send + 'a>>;

/// A tool as a gate and a model are told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
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
