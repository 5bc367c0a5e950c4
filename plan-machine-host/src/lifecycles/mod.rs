//! Handlers for the lifecycles in `plan-specs`.

mod auto_run;
mod plan_builder;
mod plan_mode;
mod planning_files;
mod stored;
mod work_by_plan;

pub use auto_run::AutoRuns;
pub use plan_builder::PlanBuilder;
pub use plan_mode::PlanMode;
pub use planning_files::{AutoFiles, Files, PlanningFiles};
pub use work_by_plan::WorkByPlan;
