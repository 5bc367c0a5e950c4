//! The documentation of generated items, taken from the spec.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::types::Field;

/// Returns a string as a doc comment, without leading and trailing white space.
pub(crate) fn doc(text: &str) -> TokenStream {
    lines(text.trim())
}

/// Returns the lines of a string as a doc comment.
pub(crate) fn lines(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        // Add the space that separates the text from `///`.
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    quote!(#(#[doc = #lines])*)
}

/// Returns the documentation from the spec, or the default if the spec has none.
pub(crate) fn or(words: Option<&str>, ours: &str) -> String {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => words.to_owned(),
        None => ours.to_owned(),
    }
}

/// Returns the documentation of a field.
pub(super) fn of_field(field: &Field) -> String {
    or(
        field.doc.as_deref(),
        &format!("The `{}` field from the spec.", field.name),
    )
}
