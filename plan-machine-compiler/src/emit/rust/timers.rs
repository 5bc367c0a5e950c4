//! Timers in generated code. The code of a machine without timers does not mention them.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{names, values};
use crate::model::machine::{Machine, Transition};
use crate::model::types::{Field, Type, TypeDefKind};
use crate::model::value::Value;

/// Returns the number of timers; `None` if there are none.
pub(super) fn count(machine: &Machine) -> Option<Literal> {
    let count = machine.timers().count();
    (count > 0).then(|| Literal::usize_unsuffixed(count))
}

/// Returns the functions that fire timers.
pub(super) fn fire(machine: &Machine) -> Option<TokenStream> {
    count(machine)?;
    let arms = (0_u16..)
        .zip(machine.timers())
        .filter_map(|(place, (event, timer))| {
            let name = names::handler(machine, machine.entry(timer.state, event)?);
            Some(quote!(#place => handler::#name(record, cx)))
        });
    let context = context(machine);
    Some(quote! {
        fn fire(record: &mut Record, timer: u16, cx: &mut Cx, _: rt::Runtime<Self>) -> Result<StepEnd, rt::DenialReason> {
            match timer {
                #(#arms,)*
                _ => Err(rt::DenialReason::not_allowed()),
            }
        }

        fn timer_context() -> Option<Context> {
            Some(Context { #context })
        }
    })
}

/// Returns the fields of the context for a timer, with arbitrary values: nothing reads this context.
fn context(machine: &Machine) -> TokenStream {
    let fields = machine.context.iter().map(|field| {
        let name = names::field(&field.name);
        let value = values::literal(machine, &any_value(machine, field), &field.ty);
        quote!(#name: #value)
    });
    quote!(#(#fields),*)
}

fn any_value(machine: &Machine, field: &Field) -> Value {
    field
        .start()
        .unwrap_or_else(|| any_value_of(machine, &field.ty))
}

fn any_value_of(machine: &Machine, ty: &Type) -> Value {
    match ty {
        Type::Optional(_) => Value::Unset,
        Type::Text | Type::Id => Value::text(""),
        Type::Int => Value::Int(0),
        Type::Bool => Value::Bool(false),
        Type::Time => Value::Time(plan_machine_kernel::step::START_OF_TIME),
        Type::List(_) => Value::List(Vec::new()),
        Type::Enum(_) => Value::Enum(0),
        Type::Record(id) => match &machine.type_def(*id).kind {
            TypeDefKind::Record(fields) => {
                let values = fields.iter().map(|field| any_value(machine, field));
                Value::Record(values.collect())
            }
            TypeDefKind::Enum(_) => Value::Unset,
        },
        _ => Value::Json(plan_machine_kernel::json::Json::Null.into()),
    }
}

/// Returns the part of the expression for a new record that starts its timers; `None` if there are none.
pub(super) fn started(machine: &Machine) -> Option<TokenStream> {
    count(machine).map(|_| quote!(.with_timers(seal::Seal(()), cx)))
}

/// Returns code that starts and cancels timers after a transition of a record that the slot keeps or releases. The
/// variable `from` contains the state that the record was in.
pub(super) fn moved(machine: &Machine, transition: &Transition) -> Option<TokenStream> {
    count(machine)?;
    if transition.next.is_some() {
        return Some(quote!(record.end_timers(seal::Seal(()));));
    }
    transition
        .to
        .map(|_| quote!(record.move_timers(seal::Seal(()), from, cx);))
}

/// Returns whether the code of [`moved`] reads the variable `from`.
pub(super) fn reads_from(machine: &Machine, transition: &Transition) -> bool {
    count(machine).is_some() && transition.next.is_none() && transition.to.is_some()
}
