//! Compiled machines, as implementations of the trait of all machines.

mod plan_set;
mod restore;
mod step;
mod view;

pub use plan_set::PlanSet;
