//! Helpers for the tests of hostile specs.

use plan_machine_tests::{Compiled, specs};

pub(crate) fn example() -> String {
    let all = specs("valid");
    let found = all.into_iter().find(|spec| spec.name == "work_by_plan");
    found.expect("the example of the reference").text
}

/// Checks that the only diagnostic has this code and is on this line.
pub(crate) fn is_told(compiled: &Compiled, code: &str, line: usize) {
    assert_eq!(compiled.codes(), vec![code], "{}", compiled.rendered());
    let span = compiled.compilation.diagnostics[0].primary.span;
    let position = compiled.sources.file(span.file).position(span.start);
    assert_eq!(position.line, line, "{}", compiled.rendered());
}

/// Returns lines, each generated from its number.
pub(crate) fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Returns how many diagnostics with a code are shown, and how many were found.
pub(crate) fn shown_and_found(compiled: &Compiled, code: &str) -> (usize, usize) {
    let all = compiled.compilation.diagnostics.iter();
    let of_code = all.filter(|found| found.code.as_str() == code);
    of_code.fold((0, 0), |(shown, found), one| {
        (shown + 1, found + 1 + one.left_out)
    })
}

/// Returns a spec that contains these states besides a start and an end.
pub(crate) fn ended(states: &str) -> String {
    format!(
        "states:\n  none: {{ on: {{ go: A }} }}\n  A: {{ on: {{ stop: {{ to: Z, next: none }} }} }}\n{states}  Z: {{ final: true }}\n"
    )
}
