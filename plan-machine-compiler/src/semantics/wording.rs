//! The texts of a spec for events that are not available.

use plan_machine_kernel::json::Object;
use plan_machine_kernel::wording::{filled, reads_context};

use super::bounds::AppliedBounds;
use super::convert::{read_fields, to_json};
use super::event::Env;
use super::record::HeldRecords;
use crate::model::{EventId, Machine, StateId};

/// The text of a spec for an event that a leaf denies.
pub(crate) struct UnavailableText(Option<String>);

impl UnavailableText {
    /// Returns the text for an event that is not available; the result is empty if the spec has no such text, or if the
    /// text reads the context and the context is not valid.
    pub(super) fn of(
        machine: &Machine,
        held: &HeldRecords,
        leaf: StateId,
        event: EventId,
        env: &Env<'_>,
    ) -> Self {
        let text = machine.unavailable(leaf, event).and_then(|parts| {
            let context = if reads_context(&parts) {
                context(machine, held, env)?
            } else {
                Object::new()
            };
            filled(&parts, &context)
        });
        Self(text)
    }

    /// Returns the text for an event that is not available, when there is no context; the result is empty if the spec
    /// has no such text, or if the text reads the context.
    #[cfg(feature = "sessions")]
    pub(crate) fn without_context(machine: &Machine, leaf: StateId, event: EventId) -> Self {
        let text = machine.unavailable(leaf, event);
        let text = text.filter(|parts| !reads_context(parts));
        Self(text.and_then(|parts| filled(&parts, &Object::new())))
    }

    /// Returns the text, or a built-in one.
    pub(super) fn or_else(self, built_in: impl FnOnce() -> String) -> String {
        self.0.unwrap_or_else(built_in)
    }
}

/// Returns the context with the defaults of its fields; `None` if the context is not valid.
fn context(machine: &Machine, held: &HeldRecords, env: &Env<'_>) -> Option<Object> {
    let counted = AppliedBounds::in_step(held.editions);
    let fields = &machine.context;
    let values = read_fields(machine, fields, env.context, "context.", counted).ok()?;
    let mut context = Object::new();
    for (field, value) in fields.iter().zip(&values) {
        if value.is_set() {
            context.push(field.name.clone(), to_json(machine, value, &field.ty));
        }
    }
    Some(context)
}
