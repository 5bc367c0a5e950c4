//! Checks that the agent's configuration exists and contains our own commands, exactly once.

use super::finding::{Finding, init};
use crate::install::{
    InstallError, InstallTarget, InstalledHooks, Plan, Scope, plan, text_of, twice,
};
use crate::project::ProjectError;

const CHECK: &str = "configuration";

/// Checks that an installation would change none of the agent's own files, and that the agent does not run the hooks of
/// two files.
pub(super) fn check(target: &InstallTarget<'_>) -> Finding {
    checked(target).unwrap_or_else(|error| unusable(target, &error))
}

fn checked(target: &InstallTarget<'_>) -> Result<Finding, InstallError> {
    let planned = plan(target, None)?;
    let installed = InstalledHooks::of(target)?;
    if let (Some(project), Some(user)) = (&installed.project, &installed.user) {
        let (found, fix) = twice(target.agent.name(), project, user);
        return Ok(Finding::wrong(CHECK, found, fix));
    }
    match stale_user_hooks(target, &planned)? {
        Some(stale) => Ok(stale),
        None => Ok(of_files(target, &planned)),
    }
}

/// Returns the finding for a configuration that cannot be used. The error may already say what to do.
fn unusable(target: &InstallTarget<'_>, error: &InstallError) -> Finding {
    let fix = match error {
        InstallError::HooksAreOff { .. }
        | InstallError::NoHome
        | InstallError::Project(
            ProjectError::DamagedTrust(_) | ProjectError::DamagedInstallRecord(_),
        ) => String::new(),
        InstallError::Edit { .. } | InstallError::File { .. } | InstallError::Project(_) => {
            format!("fix or remove this file, and {}", init(target))
        }
        _ => init(target),
    };
    Finding::wrong(CHECK, error.to_string(), fix)
}

/// Returns the finding for hooks of the user that gate the project but that do not run the current program.
fn stale_user_hooks(
    target: &InstallTarget<'_>,
    planned: &Plan,
) -> Result<Option<Finding>, InstallError> {
    let Some(file) = &planned.user_hooks else {
        return Ok(None);
    };
    let text = text_of(file)?;
    let current = target.hooks_text(text.as_deref())?;
    if current.is_ok_and(|current| Some(current) == text) {
        return Ok(None);
    }
    let user = InstallTarget {
        scope: Scope::User,
        ..*target
    };
    let found = format!(
        "`{}` does not have the current entries of plan-machine",
        file.display()
    );
    Ok(Some(Finding::wrong(CHECK, found, init(&user))))
}

/// Returns the finding about the files that an installation would write.
fn of_files(target: &InstallTarget<'_>, planned: &Plan) -> Finding {
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
    let paths = files.iter().map(|file| &file.path);
    let names: Vec<String> = planned
        .user_hooks
        .iter()
        .chain(paths)
        .map(|path| format!("`{}`", path.display()))
        .collect();
    Finding::well(CHECK, names.join(", "))
}
