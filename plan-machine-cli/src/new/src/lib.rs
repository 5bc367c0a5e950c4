//! An agent's plans: the model writes a plan, a person approves it, and other tools are denied from the start of the
//! plan until its approval.
//!
//! The rules are in `plan.yaml`. [`plan_machine::machine!`] turns that file into the module [`plan`], with a type for
//! each state that a plan can be in. A plan has a method for an event only if its state handles the event, so this
//! does not compile:
//!
//! ```compile_fail,E0599
//! use {{crate}}::plan::{Cx, Plan, state};
//!
//! fn hurry(plan: Plan<state::Drafting>, cx: &mut Cx) {
//!     plan.approve(plan.token(), cx); // a draft has no method `approve`
//! }
//! ```
//!
//! `cargo doc --open` shows all generated items.

plan_machine::machine!("plan.yaml");
