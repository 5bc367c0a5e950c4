//! Checks that the gate works. A gate that is missing looks like a gate that allows every call, so there is a check for
//! each way in which it can be missing. Each check is one file and returns one finding.

mod app_server;
mod canary;
mod codex;
mod configuration;
mod documents;
mod heartbeat;
mod opencode;
mod program;
mod store;

use crate::install::InstallTarget;
use crate::project::Site;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was checked.
    pub check: &'static str,
    /// The status of the check.
    pub status: Status,
    /// What was found.
    pub found: String,
    /// How to fix the problem, or what to do next; empty if there is nothing to do.
    pub fix: String,
}

/// The status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The check found no problem.
    Well,
    /// The check can only be made after the person has done something, which `fix` describes.
    Pending,
    /// The check does not apply, or it could not be made and another check reports the problem.
    Skipped,
    /// The check found a problem.
    Wrong,
}

impl Finding {
    fn well(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            status: Status::Well,
            found: found.into(),
            fix: String::new(),
        }
    }

    fn skipped(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            status: Status::Skipped,
            ..Self::well(check, found)
        }
    }

    fn pending(check: &'static str, found: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            status: Status::Pending,
            fix: next.into(),
            ..Self::well(check, found)
        }
    }

    fn wrong(check: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            status: Status::Wrong,
            fix: fix.into(),
            ..Self::well(check, found)
        }
    }
}

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
    // The real agent is asked if that needs no model; otherwise, there must be a heartbeat.
    let real = match target.agent.name() {
        "codex" => codex::check(target),
        "opencode" => opencode::check(target, site),
        other => Finding::skipped("agent", format!("{other} cannot be asked without a model")),
    };
    let is_seen = real.status == Status::Well;
    findings.push(real);
    findings.push(heartbeat::check(target, site, is_seen));
    findings
}

/// Returns the advice to install the gate for an agent again.
fn init(target: &InstallTarget<'_>) -> String {
    let scope = match target.scope {
        crate::install::Scope::Project => "",
        crate::install::Scope::User => " --user",
    };
    format!(
        "run `plan-machine init --agent {}{scope}`",
        target.agent.name()
    )
}
