//! Implements the `Machine` trait for compiled machines.

mod outcome;
mod plan_set;
mod restore;
mod step;
mod timers;
mod view;

pub use plan_set::PlanSet;
