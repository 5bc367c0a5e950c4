//! Effects of a step, in order, all seeing the changed data.

use super::bounds;
use super::change::{Refusal, too_large};
use super::eval::{Fault, Scope};
use super::outcome::Emitted;
use crate::model::machine::Emit;
use crate::model::value::Value;
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;

/// Evaluates effects in one scope and puts them behind those that are there.
pub(super) fn collect(
    emits: &[Emit],
    scope: &Scope<'_>,
    all: &mut Vec<Emitted>,
) -> Result<(), Refusal> {
    for emit in emits {
        let declared = &scope.machine.effect(emit.effect).fields;
        let mut fields = Vec::with_capacity(declared.len());
        let mut problems = Vec::new();
        for (field, value) in declared.iter().zip(&emit.fields) {
            let value = match value {
                Some(expr) => scope.eval(expr),
                None => Ok(field.start().unwrap_or(Value::Unset)),
            };
            let value = value.map_err(|fault| match fault {
                Fault::Unset => (DenialKind::Refused, vec![messages::not_set(&field.name)]),
                fault => too_large(fault),
            })?;
            bounds::check(scope.machine, field, &value, &field.name, &mut problems);
            fields.push(value);
        }
        if !problems.is_empty() {
            return Err((DenialKind::LimitReached, problems));
        }
        all.push(Emitted {
            effect: emit.effect,
            plan: scope.record.map(|record| record.id.clone()),
            fields,
        });
    }
    Ok(())
}
