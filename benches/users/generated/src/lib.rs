//! A user's crate with the code of one spec, which `scripts/bench` generates.

pub mod work_by_plan;
