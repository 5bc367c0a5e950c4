//! Tests of `plan-machine explain`.

use insta::assert_snapshot;
use plan_machine_compiler::diagnostic::Code;

use super::valid;

#[test]
fn a_code_has_its_page() {
    let page = valid("explain PM0402", "");
    let written = include_str!("../../rules/PM0402.md");
    assert_eq!(
        page,
        format!("$ plan-machine explain PM0402\n{written}--- status 0\n")
    );
    assert!(valid("explain pm0402", "").contains(written));
    assert!(valid("explain 0402", "").contains(written));
}

#[test]
fn without_a_code_all_are_listed() {
    let list = valid("explain", "");
    assert!(
        list.contains("\nPM0102  error    every name that is used is declared\n"),
        "{list}"
    );
    assert!(list.contains("\nPM0702  note     "), "{list}");
    assert!(list.contains("\nPM0903  error    (scopes) "), "{list}");
    let lines: Vec<&str> = list.lines().filter(|line| line.starts_with("PM")).collect();
    assert_eq!(lines.len(), Code::ALL.len(), "{list}");
    for (code, line) in Code::ALL.iter().zip(lines) {
        let severity = code.severity();
        let start = format!("{}  {:<7}  ", code.as_str(), severity.as_str());
        let sentence = line.strip_prefix(&start).unwrap_or_default();
        assert!(!sentence.is_empty(), "{start}: {line}");
    }
}

#[test]
fn an_unknown_code_is_reported_with_the_nearest_one() {
    assert_snapshot!(valid("explain PM402", ""));
}
