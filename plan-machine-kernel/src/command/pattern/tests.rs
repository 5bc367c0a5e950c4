use proptest::prelude::*;

use super::*;

#[test]
fn a_text_tells_its_words_and_arguments() {
    let pattern = Pattern::parse("/plan  Reject {plan_id?} {why} {reason...}").expect("valid");
    let arguments: Vec<_> = pattern.arguments().collect();
    let (optional, required, rest) = (
        ArgumentKind::Optional,
        ArgumentKind::Required,
        ArgumentKind::Rest,
    );
    assert_eq!(
        arguments,
        [("plan_id", optional), ("why", required), ("reason", rest)]
    );
    assert_eq!(pattern.literals(), 2);
    assert_eq!(pattern.text(), "/plan  Reject {plan_id?} {why} {reason...}");
}

#[test]
fn every_error_has_its_place() {
    for (text, place, message) in [
        (
            "",
            "",
            "the command is empty; start it with a word such as `/plan`",
        ),
        (
            "plan on",
            "plan",
            "a command starts with a word such as `/plan`, not with `plan`",
        ),
        (
            "/ on",
            "/",
            "a command starts with a word such as `/plan`, not with `/`",
        ),
        (
            "{x} on",
            "{x}",
            "a command starts with a word such as `/plan`, not with `{x}`",
        ),
        ("/é  {X}", "{X}", "`X` is not a name in snake_case"),
        (
            "/a {}",
            "{}",
            "`{}` does not name an argument; write a name in snake_case, such as `{x}`",
        ),
        ("/a {x?...}", "{x?...}", "`x?` is not a name in snake_case"),
        ("/a {x} {x?}", "{x?}", "duplicate argument `x`"),
        (
            "/a \"b\"",
            "\"b\"",
            "`\"b\"` contains quotes; write the word without them",
        ),
        (
            "/a {x...} b",
            "{x...}",
            "`{x...}` takes the rest of the line and must come last",
        ),
    ] {
        let error = Pattern::parse(text).expect_err(text);
        assert_eq!(
            (&text[error.start..error.end], error.message.as_str()),
            (place, message)
        );
    }
    for text in [
        "/a {x",
        "/a x}",
        "/a {x}{y}",
        "/a b{x}",
        "/a { x }",
        "/a {{x}}",
    ] {
        assert!(
            Pattern::parse(text).is_err_and(|error| error.message.contains("neither")),
            "{text}"
        );
    }
}

#[test]
fn a_text_of_too_many_words_is_refused() {
    assert!(Pattern::parse(&format!("/a{}", " b".repeat(MAX_WORDS - 1))).is_ok());
    assert!(Pattern::parse(&format!("/a{}", " b".repeat(1_000_000))).is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_a_place_in_it(text in r#"/?[a{}?.\" é]{0,20}"#) {
        if let Err(error) = Pattern::parse(&text) {
            prop_assert!(text.get(error.start..error.end).is_some());
        }
    }
}
