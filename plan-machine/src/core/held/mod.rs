//! The plans of one machine in a session: a slot, or any number of plans.

mod hold;
mod many;
mod slot;

pub use hold::PlanHolder;
pub(crate) use hold::Target;
pub use many::Plans;
pub use slot::Slot;
