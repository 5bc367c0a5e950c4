//! The finding of a check: its status, its text and a fix.

use crate::install::{InstallTarget, Scope};

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the check, such as `store`.
    pub check: &'static str,
    /// The status of the check.
    pub status: Status,
    /// A description of the finding.
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
    pub(super) fn well(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            status: Status::Well,
            found: found.into(),
            fix: String::new(),
        }
    }

    pub(super) fn skipped(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            status: Status::Skipped,
            ..Self::well(check, found)
        }
    }

    pub(super) fn pending(
        check: &'static str,
        found: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self {
            status: Status::Pending,
            fix: next.into(),
            ..Self::well(check, found)
        }
    }

    pub(super) fn wrong(
        check: &'static str,
        found: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            status: Status::Wrong,
            fix: fix.into(),
            ..Self::well(check, found)
        }
    }
}

/// Returns the advice to install the gate for an agent again.
pub(super) fn init(target: &InstallTarget<'_>) -> String {
    let scope = match target.scope {
        Scope::Project => "",
        Scope::User => " --user",
    };
    format!(
        "run `plan-machine init --agent {}{scope}`",
        target.agent.name()
    )
}
