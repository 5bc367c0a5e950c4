//! The names that appear in the code generated from a spec, available even if the spec has errors.

use super::machine::{Event, EventKind, Machine};
use super::types::{Field, TypeDefKind};

/// The names that appear in the code generated from a spec.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The machine's name.
    pub machine: String,
    /// The names of the leaves, except `none`.
    pub states: Vec<String>,
    /// The names of the enums that the spec declares.
    pub enums: Vec<String>,
    /// The records that the spec declares.
    pub records: Vec<Shape>,
    /// The effects.
    pub effects: Vec<Shape>,
    /// The events with a payload, except the host tools.
    pub payloads: Vec<Shape>,
    /// The fields of the data.
    pub data: Vec<String>,
    /// The fields of the context.
    pub context: Vec<String>,
    /// The fields shown in lists of plans.
    pub summary: Vec<String>,
}

/// A named item with fields.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The name of the item.
    pub name: String,
    /// The names of the fields of the item.
    pub fields: Vec<String>,
}

impl Shape {
    fn new(name: &str, fields: &[Field]) -> Self {
        Self {
            name: name.to_owned(),
            fields: names(fields),
        }
    }

    fn of_payload(event: &Event) -> Option<Self> {
        let mut shape = Self::new(&event.name, &event.input);
        match &event.kind {
            EventKind::Command(command) if command.reviewed => shape.fields.push("token".into()),
            EventKind::External | EventKind::Other => return None,
            _ => {}
        }
        (!shape.fields.is_empty()).then_some(shape)
    }
}

fn names(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.name.clone()).collect()
}

impl Outline {
    /// Returns the outline of a machine of which only the name could be read.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        Self {
            machine: name.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn of(machine: &Machine) -> Self {
        let leaves = machine.leaves_of_records();
        let mut outline = Self {
            states: leaves
                .map(|leaf| machine.state(leaf).name.clone())
                .collect(),
            payloads: machine
                .events
                .iter()
                .filter_map(Shape::of_payload)
                .collect(),
            data: names(&machine.data),
            context: names(&machine.context),
            summary: machine
                .summary
                .iter()
                .map(|id| machine.field(*id).name.clone())
                .collect(),
            ..Self::of_name(&machine.name)
        };
        for effect in &machine.effects {
            outline
                .effects
                .push(Shape::new(&effect.name, &effect.fields));
        }
        for ty in &machine.types {
            match &ty.kind {
                TypeDefKind::Record(fields) => outline.records.push(Shape::new(&ty.name, fields)),
                TypeDefKind::Enum(_) => outline.enums.push(ty.name.clone()),
            }
        }
        outline
    }
}
