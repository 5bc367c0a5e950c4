//! Finds the inline specs in the tokens of a Rust file.

use proc_macro2::{TokenStream, TokenTree};

/// The name of the macro that contains a spec.
const MACRO: &str = "machine";

/// Returns the tokens of every `machine! { … }` that contains its spec, in order. A call that names
/// a file does not contain a spec.
pub(super) fn inline_specs(stream: TokenStream) -> Vec<TokenStream> {
    let mut found = Vec::new();
    // The groups that are being read, the innermost last. Groups can be nested deeply, so this
    // function is not recursive.
    let mut open = vec![stream.into_iter().collect::<Vec<_>>().into_iter()];
    // The last two tokens of the group that is being read.
    let mut before: [Option<TokenTree>; 2] = [None, None];
    while let Some(innermost) = open.last_mut() {
        let Some(token) = innermost.next() else {
            open.pop();
            before = [None, None];
            continue;
        };
        let TokenTree::Group(group) = &token else {
            before = [before[1].take(), Some(token)];
            continue;
        };
        if is_call(&before) {
            found.extend(spec(group.stream()));
        } else {
            open.push(group.stream().into_iter().collect::<Vec<_>>().into_iter());
        }
        before = [None, None];
    }
    found
}

fn is_call(before: &[Option<TokenTree>; 2]) -> bool {
    matches!(
        before,
        [Some(TokenTree::Ident(name)), Some(TokenTree::Punct(sign))]
            if name == MACRO && sign.as_char() == '!'
    )
}

/// Returns the spec in the arguments of a call: everything after `crate = path;`, unless the call names a file.
fn spec(arguments: TokenStream) -> Option<TokenStream> {
    let all: Vec<TokenTree> = arguments.into_iter().collect();
    if matches!(all.first(), Some(TokenTree::Literal(_))) {
        return None;
    }
    let names_crate = matches!(
        &all[..],
        [TokenTree::Ident(word), TokenTree::Punct(sign), ..] if word == "crate" && sign.as_char() == '='
    );
    let is_end =
        |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let start = if names_crate {
        all.iter().position(is_end).map_or(all.len(), |end| end + 1)
    } else {
        0
    };
    Some(all.into_iter().skip(start).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let specs = inline_specs(text.parse().expect("tokens"));
        specs.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn specs_are_found_in_any_brackets_and_modules() {
        let text = "machine! { machine A ; } mod inner { fn f() { plan_machine::machine!(machine B ;); } }";
        assert_eq!(found(text), ["machine A ;", "machine B ;"]);
    }

    #[test]
    fn a_call_that_names_a_file_has_no_spec() {
        assert_eq!(found("machine!(\"plan.yaml\"); machines! { x }"), [""; 0]);
        assert_eq!(found("macro_rules! machine { () => {} }"), [""; 0]);
    }

    #[test]
    fn the_name_of_the_crate_is_not_part_of_the_spec() {
        assert_eq!(
            found("machine! { crate = ::other; machine A ; }"),
            ["machine A ;"]
        );
    }
}
