//! The changes that a removal makes. A file that has not changed since we wrote it gets its original bytes back, without
//! the entries of ours that it may already have had. From any other file of the agent, only our own entries are removed;
//! a plugin is removed as a whole, and an edited document stays, together with the documents that an edited session
//! document names.

use std::path::Path;

use super::change::{FileChange, text_of};
use super::error::{EditError, InstallError};
use super::hooks;
use super::plan::Plan;
use super::record::{InstallRecord, InstalledFile, digest};
use super::servers;
use super::shipped::CALLS_FILE;
use super::target::InstallTarget;
use crate::agents::{Agent, HookShape};
use crate::project::{NamedDocuments, Site};

/// Returns what the removal of an agent would change. The documents are removed with the last agent.
///
/// # Errors
///
/// If a file cannot be read or edited, or if the user has no home folder.
pub fn plan_removal(target: &InstallTarget<'_>) -> Result<Plan, InstallError> {
    let site = target.site()?;
    let found = InstallRecord::read(&site)?;
    let mut record = found.clone();
    let name = target.agent.name();
    record.agents.retain(|known| known != name);
    let is_last = record.agents.is_empty();
    let belongs = |file: &InstalledFile| match &file.agent {
        Some(agent) => agent == name,
        None => is_last,
    };
    let (mut gone, kept): (Vec<_>, Vec<_>) = record.files.into_iter().partition(belongs);
    record.files = kept;
    let used = still_used(&site, &mut gone);
    let mut plan = Plan {
        site,
        changes: Vec::new(),
        notes: Vec::new(),
        user_hooks: None,
        empty: Vec::new(),
        found,
        record,
    };
    for file in &gone {
        plan.restore(target.agent, file)?;
    }
    plan.keep(used);
    // Entries that are not in the record, such as those of a copied configuration.
    for path in [target.hooks_file()?, target.servers_file()?] {
        if !gone.iter().any(|file| file.path == path) {
            plan.strip(target.agent, &path)?;
        }
    }
    if is_last {
        plan.empty.clone_from(&plan.record.folders);
        if plan.record.files.is_empty() {
            plan.record.folders.clear();
        }
    } else {
        let folder = plan
            .site
            .document
            .parent()
            .unwrap_or(Path::new("."))
            .to_owned();
        plan.calls(&folder.join(CALLS_FILE), false)?;
    }
    Ok(plan)
}

/// Takes the documents that have to stay out of `gone`, and returns them: if a person has edited the session document,
/// it stays, and without the documents that it names, it would be invalid. If the session document is invalid anyway, it
/// is not known which documents it names, and all of them stay.
fn still_used(site: &Site, gone: &mut Vec<InstalledFile>) -> Vec<InstalledFile> {
    let mut files = gone.iter();
    let is_restored = files.any(|file| file.path == site.document && is_untouched(file));
    if is_restored || !site.document.is_file() {
        return Vec::new();
    }
    let named = NamedDocuments::of(site).unwrap_or_default();
    let is_used = |file: &InstalledFile| {
        let is_named = !named.is_valid || named.paths.contains(&file.path);
        // An edited document stays in any case.
        file.agent.is_none() && is_named && is_untouched(file)
    };
    let (used, rest) = std::mem::take(gone).into_iter().partition(is_used);
    *gone = rest;
    used
}

/// Returns whether a file still has the text that was written.
fn is_untouched(file: &InstalledFile) -> bool {
    let text = text_of(&file.path).ok().flatten();
    text.is_some_and(|text| digest(&text) == file.written)
}

impl Plan {
    /// Keeps documents that the session document still needs. They stay in the record, so that a later removal can
    /// remove them once the session document is gone, and so that a later installation can change them.
    fn keep(&mut self, used: Vec<InstalledFile>) {
        if used.is_empty() {
            return;
        }
        let names = used.iter().map(|file| format!("`{}`", file.path.display()));
        self.notes.push(format!(
            "these documents are kept, because the edited `{0}` refers to them: {1}; to remove them, delete `{0}` and run this command again",
            self.site.document.display(),
            names.collect::<Vec<_>>().join(", ")
        ));
        self.record.files.extend(used);
    }

    /// Restores a file that was changed by an installation.
    fn restore(&mut self, agent: &dyn Agent, file: &InstalledFile) -> Result<(), InstallError> {
        let before = text_of(&file.path)?;
        let is_untouched = before
            .as_deref()
            .is_some_and(|text| digest(text) == file.written);
        if is_untouched {
            let after = match &file.original {
                // The first installation found our entries in a copied configuration, or a later one in a file that
                // was edited after the earlier installation.
                Some(original) if file.agent.is_some() => {
                    without_ours(agent, &file.path, original)?
                }
                original => original.clone(),
            };
            self.changes.push(FileChange {
                path: file.path.clone(),
                before,
                after,
            });
            return Ok(());
        }
        if file.agent.is_some() {
            return self.strip(agent, &file.path);
        }
        if before.is_some() {
            self.notes.push(format!(
                "`{}` was edited and is therefore kept; delete it if you do not need it",
                file.path.display()
            ));
        }
        Ok(())
    }

    /// Removes only our own entries from a file.
    fn strip(&mut self, agent: &dyn Agent, path: &Path) -> Result<(), InstallError> {
        let Some(before) = text_of(path)? else {
            return Ok(());
        };
        let after = without_ours(agent, path, &before)?;
        self.changes.push(FileChange {
            path: path.to_owned(),
            before: Some(before),
            after,
        });
        Ok(())
    }
}

/// Returns the text of a file of the agent without our entries; `None` if nothing is left.
fn without_ours(
    agent: &dyn Agent,
    path: &Path,
    text: &str,
) -> Result<Option<String>, InstallError> {
    let failed = |cause: EditError| InstallError::Edit {
        path: path.to_owned(),
        cause,
    };
    let installation = agent.installation();
    if text.trim().is_empty() {
        // An agent treats an empty file as a file without settings, and so does the installation.
        return Ok(Some(text.to_owned()));
    }
    let is_hooks = is_named(path, [installation.project_file, installation.user_file]);
    let is_servers = is_named(
        path,
        [installation.project_servers, installation.user_servers],
    );
    let rest = match installation.hooks {
        // The whole plugin is ours, however it was edited.
        HookShape::Plugin if is_hooks => None,
        _ if is_hooks => hooks::remove(text, installation).map_err(failed)?,
        _ => Some(text.to_owned()),
    };
    match rest {
        Some(text) if is_servers => servers::remove(&text, installation.servers).map_err(failed),
        rest => Ok(rest),
    }
}

/// Returns whether a path has the name of one of these files. The folder may have been moved, and the file may have the
/// variant of its name for comments (`.jsonc`).
fn is_named(path: &Path, files: [&str; 2]) -> bool {
    let mut files = files.into_iter();
    files.any(|file| path.file_stem() == Path::new(file).file_stem())
}
