//! The results of a check as JSON, for machines and documents alike.

use plan_machine_compiler::diagnostic::{Diagnostic, render};
use plan_machine_compiler::prove::InvariantReport;
use plan_machine_compiler::prove::scenarios::ScenarioReport;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};

/// Returns the number of diagnostics found, including those that are not shown.
pub(super) fn counted<'d>(found: impl Iterator<Item = &'d Diagnostic>) -> usize {
    found.map(|found| 1 + found.left_out).sum()
}

/// Returns a count as a JSON number.
pub(super) fn number(count: usize) -> Json {
    Json::from(u64::try_from(count).unwrap_or(u64::MAX))
}

/// Returns the diagnostics, each with its location.
pub(super) fn diagnostics(all: &[Diagnostic], sources: &SourceMap) -> Json {
    let all = all.iter().map(|found| render::json(found, sources));
    Json::List(all.collect())
}

/// Returns the names and verdicts of invariants.
pub(super) fn invariants(all: &[InvariantReport]) -> Json {
    let all = all.iter().map(|known| {
        let mut object = Object::new();
        object.push("name", known.name.as_str());
        object.push("verdict", known.verdict.as_str());
        Json::Object(object)
    });
    Json::List(all.collect())
}

/// Returns the names of scenarios, and whether they passed.
pub(super) fn scenarios(all: &[ScenarioReport]) -> Json {
    let all = all.iter().map(|known| {
        let mut object = Object::new();
        object.push("name", known.name.as_str());
        object.push("passed", known.passed);
        Json::Object(object)
    });
    Json::List(all.collect())
}
