//! Help for people who write expressions as in other languages.

use plan_machine_kernel::suggest::nearest;

use super::token::Token;
use crate::operators::Gate;

/// Help for a list or a call that ends too early: in YAML, a comma inside `{ }` ends the value.
pub(super) const COMMA: &str = "inside `{ }` in YAML, a comma ends the value: put the entry on a separate line, without braces around it";

/// The words after `is`.
pub(super) const PREDICATES: [&str; 3] = ["set", "empty", "blank"];

/// Returns help for a word after `is` that is not a predicate.
pub(super) fn predicate(word: &str, negated: bool) -> Option<String> {
    let (set, blank, equal) = if negated {
        ("is set", "is blank", "!=")
    } else {
        ("is not set", "is not blank", "==")
    };
    Some(match word {
        "null" | "nil" | "None" | "none" | "undefined" | "unset" | "missing" => {
            format!("write `{set}` for an optional; `is empty` tests a list or a string")
        }
        "nonblank" | "filled" | "present" => {
            format!("write `{blank}` for a string; `is set` tests whether an optional has a value")
        }
        "true" | "false" => "a `bool` is a condition by itself: `done`, `not done`".to_owned(),
        word if PREDICATES.contains(&&*word.to_lowercase()) => {
            let not = if negated { "not " } else { "" };
            format!("write `is {not}{}`, in lowercase", word.to_lowercase())
        }
        word if word.starts_with(char::is_uppercase) => format!(
            "compare values with `{equal}`; if `{word}` is a state, its name is a condition by itself: `{word}` or `not {word}`"
        ),
        _ => return None,
    })
}

/// Returns help for leftover text after an expression. `is_field` says whether the word before the leftover text is the
/// name of a field.
pub(super) fn left_over(before: Option<&Token>, is_field: bool, found: &Token) -> Option<String> {
    Some(match (before, found) {
        (_, Token::Word(word)) => match word.as_str() {
            "AND" | "OR" | "NOT" | "IS" | "IN" | "IMPLIES" => {
                format!("write `{}`, in lowercase", word.to_lowercase())
            }
            "contains" | "includes" | "has" => {
                "to test whether a list contains a value, write `any list where item == value`"
                    .to_owned()
            }
            "not" => "write `not (x in [a, b])` for a membership test, or `x is not set` for an optional".to_owned(),
            "equals" | "eq" => "compare values with `==`".to_owned(),
            _ => match before {
                Some(Token::Word(verb)) if !is_field => about_a_tool(verb),
                _ => return None,
            },
        },
        (Some(Token::Word(method)), Token::Symbol("(")) => {
            format!("values have no methods; helpers are called by name: `{method}(x)`")
        }
        (_, Token::Symbol("?")) => {
            "there is no `? :` operator; write a list of alternatives, each with `when`, or `x ?? y` for an optional"
                .to_owned()
        }
        _ => return None,
    })
}

/// Returns help for a word that is followed by a name but does not start any kind of condition.
fn about_a_tool(verb: &str) -> String {
    let known = Gate::WORDS.map(|(word, _)| word);
    match (verb, nearest(verb, known)) {
        ("all" | "forall" | "each", _) => "write `every list where …`".to_owned(),
        ("some" | "exists", _) => "write `any list where …`".to_owned(),
        (_, Some(near)) => format!("did you mean `{near}`?"),
        _ => format!(
            "to test what a state does with a tool or an event, use one of `{}`",
            known.join("`, `")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capitalized_predicate_is_not_taken_for_a_state() {
        let help = predicate("Set", false).expect("help");
        assert_eq!(help, "write `is set`, in lowercase");
        let help = predicate("Draft", false).expect("help");
        assert!(help.contains("if `Draft` is a state"), "{help}");
    }
}
