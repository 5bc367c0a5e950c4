//! The names of a machine's fields and effects.

use std::collections::HashMap;

use crate::model::{EffectId, FieldId, Machine};

/// The fields and effects of a machine, by name.
pub(super) struct NameTables {
    pub(super) fields: HashMap<String, FieldId>,
    pub(super) effects: HashMap<String, EffectId>,
}

impl NameTables {
    pub(super) fn of(machine: &Machine) -> Self {
        let fields = machine.data.iter().enumerate();
        let effects = machine.effects.iter().enumerate();
        Self {
            fields: fields
                .map(|(at, field)| (field.name.clone(), FieldId::at(at)))
                .collect(),
            effects: effects
                .map(|(at, effect)| (effect.name.clone(), EffectId::at(at)))
                .collect(),
        }
    }
}
