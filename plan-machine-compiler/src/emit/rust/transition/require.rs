//! The requirements of a transition.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::expr::Scope;
use crate::lower::faults::can_fail;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::Transition;

/// Returns code that reports all failed requirements together; a requirement that depends on a failed one is skipped.
pub(super) fn require(transition: &Transition, scope: &Scope<'_>) -> TokenStream {
    if transition.require.is_empty() {
        return TokenStream::new();
    }
    if let [only] = &transition.require[..]
        && !can_fail(&only.that.expr)
        && !can_fail(&only.otherwise)
    {
        let holds = scope.truth(&only.that.expr);
        let denial = if let Some(text) = constant(&only.otherwise) {
            quote!(rt::DenialReason::refused_with(&#text))
        } else {
            let message = scope.text(&only.otherwise);
            quote!(rt::DenialReason::refused(#message))
        };
        return quote!(if !(#holds) { return Err(#denial); });
    }
    let each = transition.require.iter().map(|require| {
        let holds = scope.truth(&require.that.expr);
        let message = scope.text(&require.otherwise);
        let text = &require.that.text;
        let holds = fallible(&holds, can_fail(&require.that.expr), &quote!(bool));
        quote!(rt::require(#holds, &mut messages, || Ok(#message), #text)?;)
    });
    quote! {
        let mut messages = Vec::new();
        #(#each)*
        if !messages.is_empty() {
            return Err(rt::DenialReason::all_refused(messages));
        }
    }
}

/// Returns the text of a message that has no placeholders.
fn constant(message: &Expr) -> Option<String> {
    match &message.kind {
        ExprKind::Value(crate::model::value::Value::Text(text)) => Some(text.to_string()),
        ExprKind::Template(parts) => parts
            .iter()
            .map(|part| match part {
                crate::model::expr::Part::Literal(text) => Some(text.as_str()),
                crate::model::expr::Part::Expr(_) => None,
            })
            .collect(),
        _ => None,
    }
}

/// Returns code whose value is a `Result`, so that a fault does not end the enclosing function.
pub(in crate::emit::rust) fn fallible(
    code: &TokenStream,
    fails: bool,
    ty: &TokenStream,
) -> TokenStream {
    if fails {
        quote!((|| -> Result<#ty, rt::Fault> { Ok(#code) })())
    } else {
        quote!(Ok(#code))
    }
}
