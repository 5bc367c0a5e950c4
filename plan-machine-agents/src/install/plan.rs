//! The changes that an installation makes.

use std::path::{Path, PathBuf};

use plan_machine_compiler::session::SessionReport;

use super::calls::joined;
use super::change::{FileChange, text_of};
use super::error::{EditError, InstallError};
use super::places::Scope;
use super::record::{InstallRecord, InstalledFile, digest};
use super::shipped::{self, CALLS_FILE, SESSIONS};
use super::target::InstallTarget;
use super::user_hooks::{InstalledHooks, twice};
use super::{servers, switches};
use crate::agents::{AGENTS, Agent, ServerShape};
use crate::project::{DOCUMENT, Documents, NamedDocuments, ProjectError, Site};

/// The changes of an installation or a removal.
#[derive(Debug)]
pub struct Plan {
    /// The project, or the user's configuration.
    pub site: Site,
    /// The changes, including entries for files that do not change.
    pub changes: Vec<FileChange>,
    /// Notes for the person: facts, and steps to take afterwards.
    pub notes: Vec<String>,
    /// The file of the user whose hooks already gate the project; `None` if the project gets hooks of its own.
    pub user_hooks: Option<PathBuf>,
    /// The record of what was installed when the changes were planned.
    pub(super) found: InstallRecord,
    /// The record of what is installed after the changes.
    pub(super) record: InstallRecord,
    /// The folders to remove if they are empty afterwards.
    pub(super) empty: Vec<PathBuf>,
}

/// Returns what an installation would change. `session` names a shipped session; without it, existing documents are not
/// changed.
///
/// # Errors
///
/// If a file cannot be read or edited, the session is unknown, the path of the program cannot be quoted, or the user
/// has no home folder.
pub fn plan(target: &InstallTarget<'_>, session: Option<&str>) -> Result<Plan, InstallError> {
    let site = target.site()?;
    let found = InstallRecord::read(&site)?;
    switches::check(target)?;
    let mut plan = Plan {
        record: found.clone(),
        found,
        site,
        changes: Vec::new(),
        notes: Vec::new(),
        user_hooks: None,
        empty: Vec::new(),
    };
    let name = target.agent.name();
    if !plan.record.agents.iter().any(|known| known == name) {
        plan.record.agents.push(name.to_owned());
    }
    plan.documents(session)?;
    let installation = target.agent.installation();
    plan.hooks(target)?;
    if installation.servers == ServerShape::ByHand {
        plan.notes.push(format!(
            "in {}, MCP servers are added by hand: add a server named `plan-machine` with the command `{} mcp`",
            target.agent.title(),
            target.program
        ));
    } else {
        let file = target.servers_file()?;
        plan.edit(&file, Some(name), |text| {
            Ok(servers::add(text, installation.servers, target.program))
        })?;
    }
    if installation.needs_trust && plan.user_hooks.is_none() {
        plan.notes.push(format!(
            "start {} in this folder, type `/hooks` and trust the hooks of plan-machine: until then they do not run, and nothing is gated",
            target.agent.title()
        ));
    }
    plan.notes
        .extend(installation.first_step.map(str::to_owned));
    Ok(plan)
}

impl Plan {
    /// Adds the hooks, unless those of the user already gate the project: the agent would run both.
    fn hooks(&mut self, target: &InstallTarget<'_>) -> Result<(), InstallError> {
        let installed = InstalledHooks::of(target)?;
        let file = target.hooks_file()?;
        let user = match target.scope {
            Scope::Project => installed.user.as_ref(),
            Scope::User => Some(&file),
        };
        let name = target.agent.name();
        if let (Some(project), Some(user)) = (&installed.project, user) {
            let (found, fix) = twice(name, project, user);
            self.notes.push(format!("{found}: {fix}"));
        }
        if target.scope == Scope::Project {
            self.user_hooks = installed.only_of_user();
        }
        if self.user_hooks.is_some() {
            return Ok(());
        }
        self.edit(&file, Some(name), |text| target.hooks_text(text))
    }

    /// Adds the documents: the session, its machine, and one calls document for all installed agents. If the session
    /// document is not changed, only the missing files that it names are added.
    fn documents(&mut self, session: Option<&str>) -> Result<(), InstallError> {
        let document = self.site.document.clone();
        let folder = document.parent().unwrap_or(Path::new(".")).to_owned();
        let is_new = text_of(&document)?.is_none();
        if is_new || session.is_some() {
            let shipped = match session {
                Some(name) => shipped::session(name)?,
                None => &SESSIONS[0],
            };
            self.edit(&document, None, |_| Ok(Ok(shipped.document())))?;
            let machine = folder.join(shipped.machine_file());
            self.edit(&machine, None, |_| Ok(Ok(shipped.machine().to_owned())))?;
            return self.calls(&folder.join(CALLS_FILE), true);
        }
        let missing = self.missing()?;
        for shipped in &SESSIONS {
            let machine = folder.join(shipped.machine_file());
            if missing.contains(&machine) {
                self.edit(&machine, None, |_| Ok(Ok(shipped.machine().to_owned())))?;
            }
        }
        let calls = folder.join(CALLS_FILE);
        let is_missing = missing.contains(&calls);
        self.calls(&calls, is_missing)
    }

    /// Returns the files that the session document names but that do not exist, for example because an earlier removal
    /// has deleted them.
    fn missing(&self) -> Result<Vec<PathBuf>, InstallError> {
        let mut paths = NamedDocuments::of(&self.site)?.paths;
        paths.retain(|path| matches!(text_of(path), Ok(None)));
        Ok(paths)
    }

    /// Proves the documents as they will be after the changes, before any file is changed.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Documents::prove`].
    pub fn prove(&self) -> Result<(Documents, SessionReport), ProjectError> {
        let changes = self.changes.iter();
        let texts = changes.filter_map(|one| Some((one.path.clone(), one.after.clone()?)));
        let texts: Vec<_> = texts.collect();
        Documents::prove_with(&self.site, &texts)
    }

    /// Adds the calls document. Unless `is_new`, a document that a person has written or edited is kept unchanged.
    pub(super) fn calls(&mut self, file: &Path, is_new: bool) -> Result<(), InstallError> {
        let agents = AGENTS.into_iter().map(Agent::name);
        let agents = agents.filter(|name| self.record.agents.iter().any(|known| known == name));
        let mut documents = Vec::new();
        for name in agents {
            documents.push((name, shipped::calls(name)?));
        }
        let text = joined(&documents);
        let found = text_of(file)?;
        let known = self.record.file(file);
        let is_ours = known.is_some_and(|known| {
            found
                .as_deref()
                .is_some_and(|text| digest(text) == known.written)
        });
        if is_new || is_ours {
            return self.edit(file, None, |_| Ok(Ok(text)));
        }
        if found.is_some_and(|found| found != text) {
            self.notes.push(format!(
                "`{}` is your own file and stays as it is; check that it covers the tools of all your agents",
                file.display()
            ));
        }
        Ok(())
    }

    /// Adds the edit of a file. If the file has not changed since we wrote it, the edit starts from its original text.
    pub(super) fn edit(
        &mut self,
        path: &Path,
        agent: Option<&str>,
        edit: impl FnOnce(Option<&str>) -> Result<Result<String, EditError>, InstallError>,
    ) -> Result<(), InstallError> {
        let before = text_of(path)?;
        let known = self.record.file(path).cloned();
        let untouched = |known: &InstalledFile| {
            before
                .as_deref()
                .is_some_and(|text| digest(text) == known.written)
        };
        let original = match &known {
            Some(known) if untouched(known) => known.original.clone(),
            _ => before.clone(),
        };
        // One file may have several edits.
        let pending = self.changes.iter().position(|change| change.path == path);
        let base = match pending {
            Some(at) => self.changes[at].after.clone(),
            None => original.clone(),
        };
        let after = edit(base.as_deref())?.map_err(|cause| InstallError::Edit {
            path: path.to_owned(),
            cause,
        })?;
        let file = InstalledFile {
            path: path.to_owned(),
            agent: agent.map(str::to_owned),
            original: match pending {
                Some(_) => self
                    .record
                    .file(path)
                    .and_then(|file| file.original.clone()),
                // A document that already has our text, but is not in the record, must not be removed later. If a file
                // of the agent already has our entries, the removal leaves them out.
                None => original,
            },
            written: digest(&after),
        };
        self.record.files.retain(|file| file.path != path);
        self.record.files.push(file);
        match pending {
            Some(at) => self.changes[at].after = Some(after),
            None => self.changes.push(FileChange {
                path: path.to_owned(),
                before,
                after: Some(after),
            }),
        }
        Ok(())
    }

    /// Returns whether the plan changes nothing.
    #[must_use]
    pub fn is_done(&self) -> bool {
        !self.changes.iter().any(FileChange::is_change)
    }

    /// Refuses the changes if something has changed since they were planned, for example while the person was being
    /// asked to confirm them.
    fn check(&self) -> Result<(), InstallError> {
        for change in &self.changes {
            change.check()?;
        }
        if InstallRecord::read(&self.site)? != self.found {
            return Err(InstallError::FileChanged {
                path: InstallRecord::path(&self.site),
            });
        }
        Ok(())
    }

    /// Makes the changes. The record is stored first, so that an interrupted installation can be removed. If nothing
    /// remains installed, the record is removed last.
    ///
    /// # Errors
    ///
    /// If a file, or what is installed, has changed since the changes were planned (then no file is changed), or if a
    /// file cannot be written or removed (then other files may already have been changed).
    pub fn carry_out(mut self) -> Result<(), InstallError> {
        self.check()?;
        for change in self
            .changes
            .iter()
            .filter(|change| change.is_change() && change.after.is_some())
        {
            let folders = change.path.ancestors().skip(1);
            let mut missing: Vec<PathBuf> = folders
                .take_while(|folder| !folder.exists())
                .map(Path::to_owned)
                .collect();
            missing.retain(|folder| {
                !folder.as_os_str().is_empty() && !self.record.folders.contains(folder)
            });
            missing.reverse();
            self.record.folders.extend(missing);
        }
        let is_removed = self.record.files.is_empty();
        if !is_removed {
            self.record.store(&self.site)?;
        }
        for change in self.changes.iter().filter(|change| change.is_change()) {
            change.make()?;
        }
        for folder in self.empty.iter().rev() {
            // A folder with other files stays.
            let _ = std::fs::remove_dir(folder);
        }
        if is_removed {
            self.record.store(&self.site)?;
        }
        Ok(())
    }

    /// Returns the session document, for messages.
    #[must_use]
    pub fn document(&self) -> PathBuf {
        self.site.document.with_file_name(DOCUMENT)
    }
}
