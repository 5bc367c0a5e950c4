use proptest::prelude::*;

use crate::command::Pattern;

/// Matches a line, with `p1` and `p2` as the only plan ids, and formats the arguments as `name=value`.
fn arguments(text: &str, line: &str) -> Option<Vec<String>> {
    let accepts = |name: &str, word: &str| name != "plan_id" || matches!(word, "p1" | "p2");
    let found = Pattern::parse(text).expect(text).matches(line, &accepts)?;
    Some(
        found
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
    )
}

fn matched(text: &str, line: &str, expected: &[&str]) {
    assert_eq!(
        arguments(text, line),
        Some(expected.iter().map(ToString::to_string).collect()),
        "pattern {text}, line {line}"
    );
}

fn unmatched(text: &str, line: &str) {
    assert_eq!(arguments(text, line), None, "pattern {text}, line {line}");
}

#[test]
fn literals_are_compared_without_case_and_space() {
    matched("/plan on", "/plan on", &[]);
    matched("/plan on", "  /PLAN\t On \n", &[]);
    matched("/план ÄÖ", "/ПЛАН äö", &[]);
    unmatched("/plan on", "/plan");
    unmatched("/plan on", "/plan on now");
    unmatched("/plan on", "plan on");
    unmatched("/plan on", "");
}

#[test]
fn a_required_argument_takes_any_word() {
    matched("/note {x}", "/note on", &["x=on"]);
    matched("/note {x} {y}", "/note a \"\"", &["x=a", "y="]);
    unmatched("/note {x}", "/note");
    unmatched("/note {x}", "/note a b");
}

#[test]
fn an_optional_argument_takes_only_what_it_accepts() {
    let approve = "/plan approve {plan_id?} {token?}";
    matched(approve, "/plan approve", &[]);
    matched(approve, "/plan approve p1", &["plan_id=p1"]);
    matched(approve, "/plan approve 1-02c18244", &["token=1-02c18244"]);
    matched(
        approve,
        "/plan approve p2 \"1-02c18244\"",
        &["plan_id=p2", "token=1-02c18244"],
    );
    unmatched(approve, "/plan approve 1-02c18244 p2");
    unmatched(approve, "/plan approve p9");
    unmatched(approve, "/plan approve 1-02C18244");
}

#[test]
fn an_optional_argument_yields_where_the_rest_needs_its_word() {
    matched("/a {x?} {y}", "/a w", &["y=w"]);
    matched("/a {x?} {y}", "/a v w", &["x=v", "y=w"]);
    matched("/a {x?} go", "/a go", &[]);
    matched("/a {x?} go", "/a go go", &["x=go"]);
    matched("/a {plan_id?} {x?} {y?}", "/a v w", &["x=v", "y=w"]);
}

#[test]
fn the_rest_is_as_typed() {
    let reject = "/plan reject {plan_id?} {reason...}";
    matched(reject, "/plan reject", &["reason="]);
    matched(reject, "/plan reject p1", &["plan_id=p1", "reason="]);
    matched(
        reject,
        "/plan reject p1  too  \"risky\"\nnow ",
        &["plan_id=p1", "reason=too  \"risky\"\nnow"],
    );
    matched(
        reject,
        "/plan reject \"p1\" no",
        &["plan_id=p1", "reason=no"],
    );
    matched(
        reject,
        "/plan reject \"not closed p1",
        &["reason=\"not closed p1"],
    );
    matched("/say {to} {x...}", "/say me \"a\"b", &["to=me", "x=\"a\"b"]);
}

#[test]
fn an_argument_may_be_quoted() {
    matched("/note {x}", r#"/note "a  b""#, &["x=a  b"]);
    matched("/note {x}", r#"/note " a ""#, &["x= a "]);
    matched(
        "/note {x}",
        r#"/note "say \"hi\" \n""#,
        &[r#"x=say "hi" \n"#],
    );
    matched("/note {x}", "/note 5\"", &["x=5\""]);
    matched("/note {x} {y}", "/note 'a b'", &["x='a", "y=b'"]);
}

#[test]
fn a_quote_that_makes_no_word_is_not_an_argument() {
    unmatched("/note {x}", "/note \"a b");
    unmatched("/note {x}", "/note \"a\"b");
    unmatched("/note {x?}", "/note \"a");
    unmatched("/note {x}", r#"/note "a\""#);
}

#[test]
fn a_quoted_word_is_never_a_literal() {
    unmatched("/plan on", "/plan \"on\"");
    unmatched("/plan on", "\"/plan\" on");
}

#[test]
fn accepts_is_asked_about_optional_arguments_only() {
    let asked = std::cell::RefCell::new(Vec::new());
    let accepts = |name: &str, word: &str| {
        asked.borrow_mut().push(format!("{name}={word}"));
        true
    };
    let pattern = Pattern::parse("/a {x} {y?} {token?} {z...}").expect("valid");
    assert!(pattern.matches("/a 1 2 3 4", &accepts).is_some());
    assert!(
        asked
            .borrow()
            .iter()
            .all(|question| question.starts_with("y=")),
        "{asked:?}"
    );
}

/// The lines are so long that matching would not finish if its time grew faster than their length.
#[test]
fn hostile_lines_are_answered() {
    let optional: Vec<_> = (0..63).map(|n| format!("{{x{n}?}}")).collect();
    let pattern = format!("/a {}", optional.join(" "));
    unmatched(&pattern, &format!("/a{}", " w".repeat(1_000_000)));
    unmatched(
        &format!("/a {} end", optional[1..].join(" ")),
        &format!("/a{}", " w".repeat(62)),
    );
    unmatched(&pattern, &format!("/a {}", "\"\\".repeat(1_000_000)));
}

proptest! {
    #[test]
    fn any_line_is_matched_or_not(line in r#"[/aé" \\x\n]{0,30}"#) {
        let _ = arguments("/a {x} x {y?} {z...}", &line);
    }

    #[test]
    fn what_was_quoted_comes_back(value in r#"[a-z" é]{0,20}"#) {
        let line = format!("/note \"{}\"", value.replace('"', "\\\""));
        prop_assert_eq!(arguments("/note {x}", &line), Some(vec![format!("x={value}")]));
    }
}
