//! The effects of a step, in order; all of them are evaluated on the changed data.

use super::bounds::{AppliedBounds, Check};
use super::change::{DenialReason, too_large};
use super::eval::{Fault, Scope};
use super::outcome::EmittedEffect;
use crate::model::machine::Emit;
use crate::model::value::Value;
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;

/// Evaluates effects in one scope and appends the results.
pub(super) fn collect(
    emits: &[Emit],
    scope: &Scope<'_>,
    all: &mut Vec<EmittedEffect>,
) -> Result<(), DenialReason> {
    for emit in emits {
        let declared = &scope.machine.effect(emit.effect).fields;
        let mut fields = Vec::with_capacity(declared.len());
        // An effect is built from stored values and payload values, so only the bounds that the spec states apply.
        let mut check = Check::new(scope.machine, AppliedBounds::Stated);
        for (field, value) in declared.iter().zip(&emit.fields) {
            let value = match value {
                Some(expr) => scope.eval(expr),
                None => Ok(field.start().unwrap_or(Value::Unset)),
            };
            let value = value.map_err(|fault| match fault {
                Fault::Unset => (DenialKind::Refused, vec![messages::not_set(&field.name)]),
                fault => too_large(fault),
            })?;
            check.field(field, &value, &field.name);
            fields.push(value);
        }
        if !check.problems.is_empty() {
            return Err((DenialKind::LimitReached, check.problems));
        }
        all.push(EmittedEffect {
            effect: emit.effect,
            plan: scope.record.map(|record| record.id.clone()),
            fields,
        });
    }
    Ok(())
}
