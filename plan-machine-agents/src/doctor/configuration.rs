//! Is the configuration present, with our own commands?

use super::finding::{Finding, init};
use crate::install::{InstallTarget, plan};

const CHECK: &str = "configuration";

/// Checks that an installation would change none of the agent's own files.
pub(super) fn check(target: &InstallTarget<'_>) -> Finding {
    let planned = match plan(target, None) {
        Ok(planned) => planned,
        Err(error) => return Finding::wrong(CHECK, error.to_string(), init(target)),
    };
    let folder = planned.site.document.parent();
    let files = planned.changes.iter();
    let files: Vec<_> = files.filter(|file| file.path.parent() != folder).collect();
    let stale: Vec<String> = files
        .iter()
        .filter(|file| file.is_change())
        .map(|file| {
            let path = file.path.display();
            match file.before {
                Some(_) => format!("`{path}` does not have the current entries of plan-machine"),
                None => format!("`{path}` is missing"),
            }
        })
        .collect();
    if !stale.is_empty() {
        return Finding::wrong(CHECK, stale.join("; "), init(target));
    }
    let names: Vec<String> = files
        .iter()
        .map(|file| format!("`{}`", file.path.display()))
        .collect();
    Finding::well(CHECK, names.join(", "))
}
