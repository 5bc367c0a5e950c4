//! Checks that the gate works. A gate that is missing looks like a gate that allows every call, so there is a check for
//! each way in which it can be missing. Each check is one file and returns one finding.

mod app_server;
mod canary;
mod codex;
mod configuration;
#[cfg(test)]
mod configuration_tests;
mod documents;
mod finding;
mod heartbeat;
mod opencode;
mod program;
mod store;

pub use finding::{Finding, Status};

use crate::install::InstallTarget;
use crate::project::Site;

/// Checks the gate of an agent. The findings are in the order in which problems should be fixed.
#[must_use]
pub fn examine(target: &InstallTarget<'_>, site: &Site) -> Vec<Finding> {
    let mut findings = vec![
        configuration::check(target),
        program::check(target),
        documents::check(site),
        store::check(target, site),
        canary::check(target, site),
    ];
    // The real agent is asked if it can answer without a model; otherwise, a heartbeat must exist.
    let real = match target.agent.name() {
        "codex" => codex::check(target),
        "opencode" => opencode::check(target, site),
        other => Finding::skipped(
            "agent",
            format!("{other} cannot report its hooks without calling a model"),
        ),
    };
    let is_seen = real.status == Status::Well;
    findings.push(real);
    findings.push(heartbeat::check(target, site, is_seen));
    findings
}
