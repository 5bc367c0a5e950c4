//! The results of invariants and scenarios as JSON, for machines and sessions alike.

use plan_machine_compiler::prove::InvariantReport;
use plan_machine_compiler::prove::scenarios::ScenarioReport;
use plan_machine_kernel::json::{Json, Object};

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
