//! Names and documentation of generated items.

use proc_macro2::{Literal, TokenStream};

pub(super) use crate::emit::rust::docs::lines as doc;
pub(super) use crate::emit::rust::names::ident;

/// Returns a number literal without a type suffix, as a person would write it.
pub(super) fn number(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}

/// Returns a sentence as documentation, followed by the documentation from the document.
pub(super) fn doc_with(sentence: &str, words: Option<&String>) -> TokenStream {
    match words {
        Some(words) => doc(&format!("{sentence}\n\n{words}")),
        None => doc(sentence),
    }
}

/// Formats a list of names, for example `` `task`, `goal` and `global` ``.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
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
