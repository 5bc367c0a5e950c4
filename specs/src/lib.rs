#![doc = include_str!("../README.md")]

// Generated files, so that a crate with these machines builds without the spec compiler. After an edit to a spec, run
// `scripts/generate`.
#[path = "generated/allowlist_plan.rs"]
pub mod allowlist_plan;
#[path = "generated/auto_run.rs"]
pub mod auto_run;
#[path = "generated/coding.rs"]
pub mod coding;
#[path = "generated/memory.rs"]
pub mod memory;
#[path = "generated/plan_builder.rs"]
pub mod plan_builder;
#[path = "generated/plan_mode.rs"]
pub mod plan_mode;
#[path = "generated/planning_files.rs"]
pub mod planning_files;
#[path = "generated/work_by_plan.rs"]
pub mod work_by_plan;

// The sessions refer to the machines of this crate by the path `plan_specs`, as they would in any other crate.
extern crate self as plan_specs;

/// The plan modes for coding agents, for hosts in Rust.
#[cfg(feature = "agents")]
pub mod agents {
    plan_machine::session!("sessions/look_then_act.yaml");
    plan_machine::session!("sessions/budgeted.yaml");
    plan_machine::session!("sessions/record_then_replay.yaml");
    plan_machine::session!("sessions/work_by_plan.yaml");
}
