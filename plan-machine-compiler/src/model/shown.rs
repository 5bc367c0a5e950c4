//! Types in the notation that a spec uses.

use super::machine::Machine;
use super::types::Type;

/// Returns the type as written in a spec.
#[must_use]
pub fn shown_type(machine: &Machine, ty: &Type) -> String {
    match ty {
        Type::Text => "string".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Time => "time".to_owned(),
        Type::Id => "id".to_owned(),
        Type::Json => "json".to_owned(),
        Type::List(item) => format!("[{}]", shown_type(machine, item)),
        Type::Optional(inner) => format!("{}?", shown_type(machine, inner)),
        Type::Enum(id) | Type::Record(id) => machine.type_def(*id).name.clone(),
        Type::Shape(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, ty)| format!("{name}: {}", shown_type(machine, ty)))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Type::Data => "the data".to_owned(),
        Type::Plans => "a list of plans".to_owned(),
        Type::Unknown => "an unknown type".to_owned(),
    }
}
