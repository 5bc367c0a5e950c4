//! The bot: three ways to plan, each combined with runs and planning files.

use std::path::PathBuf;
use std::sync::Arc;

use plan_machine_host::chats::Keys;
use plan_machine_host::clock::Clock;
use plan_machine_host::lifecycles::{
    AutoFiles, AutoRuns, PlanBuilder, PlanMode, PlanningFiles, WorkByPlan,
};
use plan_machine_host::model::Model;
use plan_machine_host::tools::Workspace;
use plan_machine_host::{Host, HostError};
use plan_machine_sessions::store::Store;

/// The modes of a conversation, named after their specs. New conversations start in the first mode.
pub const MODES: [&str; 3] = ["work_by_plan", "plan_mode", "plan_builder"];

/// The parts of a bot.
pub struct Parts {
    /// The session store.
    pub store: Arc<dyn Store>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// The workspace: the tools for files, and a shell if the model may have one.
    pub workspace: Workspace,
    /// The folder for all other data.
    pub data: PathBuf,
    /// How the keys of new conversations are generated.
    pub keys: Keys,
    /// When planning files are opened automatically.
    pub auto_files: AutoFiles,
    /// The clock.
    pub clock: Clock,
}

/// Assembles a bot.
///
/// # Errors
///
/// If the data cannot be read or its folders cannot be created.
pub fn open(parts: Parts) -> Result<Host, HostError> {
    let workspace = Arc::new(parts.workspace);
    let files = PlanningFiles::open(&parts.data, Arc::clone(&workspace), parts.auto_files)?;
    let [work_by_plan, plan_mode, plan_builder] = MODES;
    Host::builder(parts.store, parts.model, workspace)
        .mode(work_by_plan, WorkByPlan::default())
        .mode(plan_mode, PlanMode)
        .mode(plan_builder, PlanBuilder::default())
        .in_every_mode(AutoRuns::default())
        .in_every_mode(files)
        .keys(parts.keys)
        .clock(parts.clock)
        .open(parts.data)
}
