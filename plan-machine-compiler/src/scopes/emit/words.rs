//! Names and documentation of generated items.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use crate::model::names::is_word_of_rust;

/// Returns a Rust identifier.
pub(super) fn ident(name: &str) -> Ident {
    if is_word_of_rust(name) {
        return Ident::new_raw(name, Span::call_site());
    }
    Ident::new(name, Span::call_site())
}

/// Returns a number literal without a type suffix, as a person would write it.
pub(super) fn number(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}

/// Returns a string as lines of documentation.
pub(super) fn doc(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        // Add the space that separates `///` from the text.
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    quote!(#(#[doc = #lines])*)
}

/// Returns a sentence as documentation, followed by the documentation from the document.
pub(super) fn doc_with(sentence: &str, words: Option<&String>) -> TokenStream {
    match words {
        Some(words) => doc(&format!("{sentence}\n\n{words}")),
        None => doc(sentence),
    }
}

/// Formats a list of names, for example `` `task`, `goal` ``.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_rust_becomes_a_raw_name() {
        assert_eq!(ident("type").to_string(), "r#type");
        assert_eq!(ident("goal").to_string(), "goal");
    }
}
