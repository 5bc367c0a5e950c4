//! The generated function that returns whether there are arguments with which a host tool could run. A machine has this
//! function only if alternatives decide whether some host tool runs.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::Scope;
use super::names;
use super::transition::fallible;
use crate::lower::faults::can_fail;
use crate::model::expr::Expr;
use crate::model::floor::FloorArm;
use crate::model::machine::Machine;
use crate::model::{EventId, StateId};

/// Returns the function `could_run`; `None` if the state alone decides whether each host tool runs.
pub(super) fn could_run(machine: &Machine) -> Option<TokenStream> {
    let tools = machine.event_ids().filter(|id| machine.is_host_tool(*id));
    let tools: Vec<TokenStream> = tools.filter_map(|tool| of_tool(machine, tool)).collect();
    (!tools.is_empty()).then(|| {
        quote! {
            fn could_run(record: Option<&Record>, tool: &str, cx: rt::FloorTime) -> bool {
                match tool {
                    #(#tools)*
                    _ => true,
                }
            }
        }
    })
}

/// Returns the `match` arm of a tool, which has an inner arm for each state in which alternatives
/// decide whether the tool runs.
fn of_tool(machine: &Machine, tool: EventId) -> Option<TokenStream> {
    let arms = machine.leaves().filter_map(|leaf| {
        let conditions = conditions(machine, leaf, &machine.floor_arms(leaf, tool)?);
        Some(if leaf == StateId::NONE {
            quote!((None, _) => { #conditions })
        } else {
            let state = names::of_state(machine, leaf);
            quote!((Some(record), Some(State::#state)) => { #conditions })
        })
    });
    let arms: Vec<TokenStream> = arms.collect();
    let name = &machine.event(tool).name;
    (!arms.is_empty()).then(|| {
        quote! {
            #name => match (record, record.map(|record| record.state)) {
                #(#arms)*
                _ => true,
            },
        }
    })
}

fn conditions(machine: &Machine, leaf: StateId, arms: &[FloorArm<'_>]) -> TokenStream {
    let mut scope = Scope::new(machine);
    if leaf != StateId::NONE {
        scope = scope.with_record("record");
    }
    let mut code = TokenStream::new();
    for arm in arms {
        let then = then(&scope, arm);
        let Some(when) = arm.when else {
            code.extend(then);
            if arm.is_last {
                return code;
            }
            continue;
        };
        let when = truth(&scope, when);
        code.extend(quote!(if #when { #then }));
    }
    quote!(#code false)
}

/// Returns the code that is run if the condition of an alternative holds.
fn then(scope: &Scope<'_>, arm: &FloorArm<'_>) -> TokenStream {
    let Some(requires) = &arm.runs else {
        return quote!(return false;);
    };
    let requires: Vec<TokenStream> = requires.iter().map(|it| truth(scope, it)).collect();
    match (requires.is_empty(), arm.is_last) {
        (true, _) => quote!(return true;),
        (false, true) => quote!(return #((#requires))&&*;),
        (false, false) => quote!(if #((#requires))&&* { return true; }),
    }
}

/// Returns code for a condition; if a number overflows, the code returns from the function, because such a call is
/// denied.
fn truth(scope: &Scope<'_>, condition: &Expr) -> TokenStream {
    let holds = scope.truth(condition);
    if !can_fail(condition) {
        return holds;
    }
    let holds = fallible(&holds, true, &quote!(bool));
    quote!(match rt::holds(#holds) { Ok(holds) => holds, Err(_) => return false })
}
