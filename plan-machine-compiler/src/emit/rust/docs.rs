//! Documentation of generated items, from the spec's own words.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::types::Field;

/// A doc comment; what an item is, where the spec says nothing.
pub(super) fn doc(text: &str) -> TokenStream {
    let text = text.trim();
    let lines = text.lines().map(|line| {
        let line = if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        };
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

/// The spec's words, or ours.
pub(super) fn or(words: Option<&str>, ours: &str) -> String {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => words.to_owned(),
        None => ours.to_owned(),
    }
}

/// What a field is.
pub(super) fn of_field(field: &Field) -> String {
    or(
        field.doc.as_deref(),
        &format!("The field `{}` of the spec.", field.name),
    )
}
