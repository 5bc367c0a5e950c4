//! The parts of a summary line, for machines and documents alike.

use plan_machine_compiler::Verdict;
use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::prove::InvariantReport;
use plan_machine_compiler::prove::scenarios::ScenarioReport;

use crate::output::{BAD, GOOD, WARN, count, styled};

/// Returns `ok`, or the number of errors, and the number of warnings.
pub(super) fn problems(is_ok: bool, found: impl Fn(Severity) -> usize) -> Vec<String> {
    let mut parts = Vec::new();
    if is_ok {
        parts.push(styled(GOOD, "ok"));
    }
    for (severity, style, noun) in [
        (Severity::Error, BAD, "error"),
        (Severity::Warning, WARN, "warning"),
    ] {
        let found = found(severity);
        if found > 0 {
            parts.push(styled(style, count(found, noun)));
        }
    }
    parts
}

/// Returns the number of invariants with each verdict.
pub(super) fn invariants(all: &[InvariantReport]) -> impl Iterator<Item = String> {
    let verdicts = [
        (Verdict::Proved, "proved"),
        (Verdict::Broken, "broken"),
        (Verdict::Unknown, "undecided"),
    ];
    verdicts.into_iter().filter_map(move |(verdict, word)| {
        let found = all.iter().filter(|known| known.verdict == verdict).count();
        (found > 0).then(|| format!("{} {word}", count(found, "invariant")))
    })
}

/// Returns how many of the scenarios passed.
pub(super) fn scenarios(all: &[ScenarioReport]) -> Option<String> {
    let passed = all.iter().filter(|known| known.passed).count();
    match (all.len(), passed) {
        (0, _) => None,
        (all, passed) if all == passed => Some(format!("{} passed", count(all, "scenario"))),
        (all, passed) => Some(format!("{passed} of {} passed", count(all, "scenario"))),
    }
}
