//! The resolved machine: names have been replaced by ids, and every expression has a type.

pub(crate) mod apart;
mod bounds;
pub mod expr;
pub(crate) mod floor;
pub mod ids;
pub(crate) mod implied;
pub(crate) mod logic;
pub mod machine;
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

/// A model that has passed every check. Only [`crate::compile`], [`crate::compile_scopes`], [`crate::compile_calls`] and
/// [`crate::compile_session`] create one, so code that requires it can rely on the rules.
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
