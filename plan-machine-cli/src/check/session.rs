//! The report of `check` for session documents.

use plan_machine_compiler::Verdict;
use plan_machine_compiler::diagnostic::{Severity, render};
use plan_machine_kernel::json::{Json, Object};

use super::results;
use crate::output::{BAD, Failure, GOOD, Out, WARN, count, styled};
use crate::session::SessionDocument;

pub(super) fn human(
    document: &SessionDocument,
    first: bool,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let found = &document.compilation.diagnostics;
    if !first && !found.is_empty() {
        out.line("")?;
    }
    for found in found {
        out.line(format_args!("{}\n", document.shown(found)))?;
    }
    out.line(summary(document))
}

/// Formats the summary: `coding.yaml: ok, 2 machines, 3 invariants proved, 4 ms`.
fn summary(document: &SessionDocument) -> String {
    let report = &document.compilation.report;
    let mut parts = Vec::new();
    if document.compilation.is_ok() {
        parts.push(styled(GOOD, "ok"));
    }
    for (severity, noun, style) in [
        (Severity::Error, "error", BAD),
        (Severity::Warning, "warning", WARN),
    ] {
        let found = document.of(severity).count();
        if found > 0 {
            parts.push(styled(style, count(found, noun)));
        }
    }
    parts.push(count(report.machines, "machine"));
    let verdicts = [
        (Verdict::Proved, "proved"),
        (Verdict::Broken, "broken"),
        (Verdict::Unknown, "undecided"),
    ];
    for (verdict, word) in verdicts {
        let all = report.invariants.iter();
        let found = all.filter(|known| known.verdict == verdict).count();
        if found > 0 {
            parts.push(format!("{} {word}", count(found, "invariant")));
        }
    }
    let all = report.scenarios.len();
    let passed = report.scenarios.iter().filter(|known| known.passed).count();
    match all {
        0 => {}
        _ if all == passed => parts.push(format!("{} passed", count(all, "scenario"))),
        _ => parts.push(format!("{passed} of {} passed", count(all, "scenario"))),
    }
    parts.push(format!("{} ms", document.took.as_millis()));
    format!("{}: {}", document.name, parts.join(", "))
}

pub(super) fn json(document: &SessionDocument) -> Json {
    let report = &document.compilation.report;
    let diagnostics = document.compilation.diagnostics.iter();
    let diagnostics = diagnostics.map(|found| render::json(found, document.sources()));
    let machines = u64::try_from(report.machines).unwrap_or(u64::MAX);
    let mut object = Object::new();
    object.push("file", document.name.as_str());
    object.push("ok", document.compilation.is_ok());
    object.push("machines", machines);
    object.push("diagnostics", diagnostics.collect::<Vec<Json>>());
    object.push("invariants", results::invariants(&report.invariants));
    object.push("scenarios", results::scenarios(&report.scenarios));
    Json::Object(object)
}
