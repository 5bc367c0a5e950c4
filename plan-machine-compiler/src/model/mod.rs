//! The resolved machine: names have been replaced by ids, and every expression has a type.

pub(crate) mod apart;
pub(crate) mod bounds;
pub mod expr;
pub(crate) mod floor;
pub mod ids;
pub(crate) mod implied;
pub(crate) mod logic;
pub mod machine;
mod moves;
pub mod names;
pub mod outline;
pub(crate) mod prompt;
mod queries;
pub mod scenario;
mod shown;
mod timers;
pub mod types;
pub mod value;
mod wording;

pub use ids::{EffectId, EventId, FieldId, HandlerId, StateId, TransitionId, TypeId};
pub use machine::Machine;
pub use outline::Outline;
pub use queries::Decision;
pub use shown::shown_type;
pub(crate) use timers::TIMER;

/// A model that obeys the rules. Only this crate creates one, after it has checked the rules, so code that requires a
/// checked model can rely on the rules. The invariants and scenarios of the model may fail.
#[derive(Clone, Debug)]
pub struct Checked<T>(T);

impl<T> Checked<T> {
    pub(crate) fn new(model: T) -> Self {
        Self(model)
    }

    /// Returns the model itself.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> std::ops::Deref for Checked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
