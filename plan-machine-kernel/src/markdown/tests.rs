use proptest::prelude::*;

use super::*;

const PLAN: &str =
    "# Plan\n\nIntro.\n\n## Goal\n\nShip it.\n\n### Why\n\nBecause.\n\n## Steps\n\n1. go\n";

#[test]
fn a_section_reaches_to_the_next_heading_of_its_level() {
    assert_eq!(
        section(PLAN, "Goal"),
        Some("Ship it.\n\n### Why\n\nBecause.")
    );
    assert_eq!(section(PLAN, " Why "), Some("Because."));
    assert_eq!(section(PLAN, "Plan"), Some(PLAN[8..].trim_end()));
    assert_eq!(section(PLAN, "Steps"), Some("1. go"));
    assert_eq!(section(PLAN, "Step"), None);
    assert_eq!(section(PLAN, "## Steps"), None);
}

#[test]
fn the_first_of_two_sections_is_meant() {
    let text = "# A\none\n# A\ntwo\n";
    assert_eq!(section(text, "A"), Some("one"));
    assert_eq!(with_section(text, "A", "new"), "# A\n\nnew\n\n# A\ntwo\n");
}

#[test]
fn a_body_that_starts_with_code_keeps_its_indentation() {
    assert_eq!(section("# A\n\n \n    code\n\n", "A"), Some("    code"));
    assert_eq!(
        with_section("# A", "A", "\n    code\n"),
        "# A\n\n    code\n"
    );
}

#[test]
fn an_empty_body_leaves_one_blank_line() {
    assert_eq!(
        with_section(PLAN, "Goal", " \n"),
        "# Plan\n\nIntro.\n\n## Goal\n\n## Steps\n\n1. go\n"
    );
    assert_eq!(with_section("# A\nx", "A", ""), "# A\n");
}

#[test]
fn a_missing_section_is_appended() {
    assert_eq!(with_section("", "A", "x"), "## A\n\nx\n");
    assert_eq!(with_section("    ", "A", "x"), "    \n## A\n\nx\n");
    assert_eq!(with_section("text", "A", "x"), "text\n\n## A\n\nx\n");
    assert_eq!(with_section("text\n\n\n", "A", ""), "text\n\n\n## A\n");
    assert_eq!(
        with_section("text\r\n", "A", "x"),
        "text\r\n\r\n## A\r\n\r\nx\r\n"
    );
    assert_eq!(with_section("text\n ", "A", "x"), "text\n \n## A\n\nx\n");
}

#[test]
fn the_line_breaks_of_the_text_are_kept() {
    let text = "# A\r\nold\r\n# B\r\n";
    assert_eq!(section(text, "A"), Some("old"));
    assert_eq!(
        with_section(text, "A", "new"),
        "# A\r\n\r\nnew\r\n\r\n# B\r\n"
    );
    assert_eq!(
        with_section("# A\rold\r# B", "A", "new"),
        "# A\r\rnew\r\r# B"
    );
}

#[test]
fn what_the_text_leaves_open_is_closed_before_a_section_is_appended() {
    for (open, closing) in [
        ("````sh\nls", "````"),
        ("~~~\n```", "~~~"),
        ("<!-- later", "-->"),
        ("<?php", "?>"),
        ("<![CDATA[", "]]>"),
        ("<!DOCTYPE", ">"),
        ("<style>", "</style>"),
    ] {
        let text = with_section(open, "A", "x");
        assert_eq!(text, format!("{open}\n{closing}\n\n## A\n\nx\n"));
        assert_eq!(section(&text, "A"), Some("x"));
    }
}

#[test]
fn a_heading_that_ends_in_marks_is_found_again() {
    for heading in ["C #", "#", "# #", "C#", ""] {
        let text = with_section("text", heading, "x");
        assert_eq!(section(&text, heading), Some("x"), "{text:?}");
    }
}

#[test]
fn a_heading_is_one_line() {
    let text = with_section("", "a\r\nb\n", "x");
    assert_eq!(text, "## a  b\n\nx\n");
    assert_eq!(section(&text, "a\r\nb"), Some("x"));
}

/// The texts are so long that parsing would not finish if its time grew faster than their length.
#[test]
fn hostile_texts_are_answered() {
    for part in [
        "[", "> ", "- ", "`", "*a ", "<!--", "# A\n", "```\n", "[a]: b\n", "a\n===\n", "\r",
    ] {
        let text = part.repeat(50_000);
        let _ = (with_section(&text, "A", "x"), is_complete(&text));
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "#{1,7} [AB]( #+)?",
        "[a-z*`_<>é ]{0,9}",
        Just("A\n---".to_owned()),
        "(```|~~~|<!--|-->|<div>|<pre>|</pre>)[a-z]?",
        "[ ]{0,5}([>-]|1\\.) ?#? ?[a-z]{0,3}",
    ];
    (
        prop::collection::vec(line, 0..12),
        prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        "\n?",
    )
        .prop_map(|(lines, line_break, end)| lines.join(line_break) + &end)
}

/// Generates bodies that do not change where sections end: they contain no headings, code fences or HTML.
fn any_body() -> impl Strategy<Value = String> {
    "\n{0,2}([a-z][a-z *é]{0,9}\n{0,3}){0,4} {0,2}"
}

proptest! {
    #[test]
    fn the_body_that_was_set_is_the_body_that_is_found(text in any_text(), body in any_body()) {
        let out = with_section(&text, "A", &body);
        prop_assert_eq!(section(&out, "A"), Some(body.trim()));
    }

    #[test]
    fn setting_a_body_again_changes_nothing(text in any_text(), body in any_body()) {
        let once = with_section(&text, "A", &body);
        prop_assert_eq!(with_section(&once, "A", &body), once);
    }

    #[test]
    fn what_is_outside_the_section_stays(text in any_text(), body in any_body()) {
        let out = with_section(&text, "A", &body);
        match Place::find(&text, "A") {
            Some(place) => {
                prop_assert!(out.starts_with(&text[..place.body_start]));
                prop_assert!(out.ends_with(&text[place.body_end..]));
            }
            None => prop_assert!(out.starts_with(&text)),
        }
    }

    #[test]
    fn a_section_with_any_heading_is_found_again(text in any_text(), heading in "(?s).{0,9}") {
        let once = with_section(&text, &heading, "x");
        prop_assert_eq!(section(&once, &heading), Some("x"));
    }

    #[test]
    fn any_text_and_body_are_taken(text in "(?s).{0,80}", body in "(?s).{0,40}") {
        let _ = section(&with_section(&text, "A", &body), "A");
    }
}
