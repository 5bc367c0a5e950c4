//! An agent's plans: the model writes one, a person approves it, and only then do tools run.
//!
//! The rules are in `plan.yaml`. [`plan_machine::machine!`] turns it into the module [`plan`], with a type for each
//! state that a plan can be in. An event is a method only in states where the spec allows it, so this does not compile:
//!
//! ```compile_fail,E0599
//! use {{crate}}::plan::{Cx, Plan, state};
//!
//! fn hurry(plan: Plan<state::Drafting>, cx: &mut Cx) {
//!     plan.approve(plan.token(), cx); // no one has seen a plan yet
//! }
//! ```
//!
//! `cargo doc --open` shows all generated items.

plan_machine::machine!("plan.yaml");
