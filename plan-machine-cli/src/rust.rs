//! Parses and formats generated Rust code.

use plan_machine_kernel::visible::is_unseen;
use proc_macro2::TokenStream;

use crate::output::Failure;

/// Parses generated code.
pub(crate) fn parsed(code: TokenStream) -> Result<syn::File, Failure> {
    syn::parse2(code)
        .map_err(|error| Failure::usage(format!("the generated code is not valid Rust: {error}")))
}

/// Formats generated code. Invisible characters become Rust escapes, because the code contains strings from the spec,
/// in literals and in comments.
pub(crate) fn formatted(file: &syn::File) -> String {
    let code = prettyplease::unparse(file);
    let mut all = String::with_capacity(code.len());
    for letter in code.chars() {
        if letter != '\n' && is_unseen(letter) {
            all.extend(letter.escape_unicode());
        } else {
            all.push(letter);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn texts_of_a_spec_do_not_steer_a_terminal_by_the_generated_code() {
        let code = quote! {
            #[doc = " Red \u{1b}[31m and \u{202e}turned.\n Next."]
            const TEXT: &str = "x\u{1b}[2Jy\u{202e}z\u{9b}";
        };
        let printed = formatted(&parsed(code).expect("Rust"));
        let is_seen = |letter: char| letter == '\n' || !is_unseen(letter);
        assert!(printed.chars().all(is_seen), "{printed:?}");
        assert!(
            printed.contains("\\u{1b}[31m and \\u{202e}turned."),
            "{printed}"
        );
        let again: syn::File = syn::parse_str(&printed).expect("still Rust");
        let syn::Item::Const(text) = &again.items[0] else {
            panic!("{printed}");
        };
        let syn::Expr::Lit(found) = &*text.expr else {
            panic!("{printed}");
        };
        let syn::Lit::Str(found) = &found.lit else {
            panic!("{printed}");
        };
        assert_eq!(found.value(), "x\u{1b}[2Jy\u{202e}z\u{9b}");
    }
}
