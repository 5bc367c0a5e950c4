//! Hooks of ours in the configuration of the project and in that of the user. The agent runs both: each call would be
//! decided twice, and the second decision would deny it.

use std::fs;
use std::path::{Path, PathBuf};

use super::change::text_of;
use super::error::InstallError;
use super::hooks;
use super::places::{Scope, existing};
use super::target::InstallTarget;
use crate::agents::HookShape;

/// The files of an agent that have hooks of ours.
#[derive(Debug)]
pub(crate) struct InstalledHooks {
    /// The file of the project.
    pub(crate) project: Option<PathBuf>,
    /// The file of the user.
    pub(crate) user: Option<PathBuf>,
}

impl InstalledHooks {
    /// Finds the hooks that the agent runs in the project folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub(crate) fn of(target: &InstallTarget<'_>) -> Result<Self, InstallError> {
        let installation = target.agent.installation();
        let project = existing(target.project.join(installation.project_file));
        // Without a home folder, there is no file of the user.
        let user = target.user.file(installation.user_file).ok();
        let user = user.map(existing);
        let is_same = user.as_ref().is_some_and(|user| is_same(user, &project));
        let (project, user) = match target.scope {
            // The home folder can be a project, too.
            Scope::Project if is_same => (Some(project), None),
            Scope::User if is_same => (None, user),
            _ => (Some(project), user),
        };
        Ok(Self {
            project: with_ours(project, installation.hooks)?,
            user: with_ours(user, installation.hooks)?,
        })
    }

    /// Returns the file of the user if only its hooks gate the project.
    pub(crate) fn only_of_user(self) -> Option<PathBuf> {
        self.user.filter(|_| self.project.is_none())
    }
}

impl InstallTarget<'_> {
    /// Returns the file with the hooks that gate the project: its own, or those of the user.
    pub(crate) fn used_hooks_file(&self) -> Result<PathBuf, InstallError> {
        let installed = InstalledHooks::of(self)?;
        match installed.only_of_user() {
            Some(user) => Ok(user),
            None => self.hooks_file(),
        }
    }
}

/// Says what is wrong if both the project and the user have hooks, and how to fix it.
pub(crate) fn twice(agent: &str, project: &Path, user: &Path) -> (String, String) {
    let (project, user) = (project.display(), user.display());
    let found = format!(
        "`{project}` and `{user}` both have hooks of plan-machine, so each call is decided twice, and the second decision denies it"
    );
    let fix = format!(
        "run `plan-machine init --agent {agent} --user --remove` to remove those of the user, or `plan-machine init --agent {agent} --remove` to remove those of this project"
    );
    (found, fix)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// Returns the file if it has hooks of ours.
fn with_ours(file: Option<PathBuf>, shape: HookShape) -> Result<Option<PathBuf>, InstallError> {
    let Some(file) = file else {
        return Ok(None);
    };
    let Some(text) = text_of(&file)? else {
        return Ok(None);
    };
    // The whole plugin is ours, however it was edited.
    let is_ours = shape == HookShape::Plugin || hooks::are_in(&text);
    Ok(is_ours.then_some(file))
}
