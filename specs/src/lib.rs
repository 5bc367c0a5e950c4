#![doc = include_str!("../README.md")]

plan_machine::machine!("work_by_plan.yaml");
plan_machine::machine!("plan_mode.yaml");
plan_machine::machine!("allowlist_plan.yaml");
plan_machine::machine!("plan_builder.yaml");
plan_machine::machine!("planning_files.yaml");
plan_machine::machine!("auto_run.yaml");
plan_machine::scopes!("memory.yaml");

// The session refers to the machines of this crate by the path `plan_specs`, as it would in any
// other crate.
extern crate self as plan_specs;
plan_machine::session!("sessions/coding.yaml");

/// The plan modes for coding agents, for hosts in Rust.
#[cfg(feature = "agents")]
pub mod agents {
    plan_machine::session!("sessions/look_then_act.yaml");
    plan_machine::session!("sessions/budgeted.yaml");
    plan_machine::session!("sessions/record_then_replay.yaml");
    plan_machine::session!("sessions/work_by_plan.yaml");
}
