//! The changes that an installation makes.

use std::path::{Path, PathBuf};

use plan_machine_compiler::session::SessionReport;

use super::calls::joined;
use super::change::{FileChange, text_of};
use super::error::{EditError, InstallError};
use super::places::{Scope, UserFolders, existing};
use super::record::{InstallRecord, InstalledFile, digest};
use super::shipped::{self, CALLS_FILE, SESSIONS};
use super::{hooks, plugin, servers};
use crate::agents::{AGENTS, Agent, HookShape, ServerShape};
use crate::project::{DOCUMENT, Documents, NamedDocuments, ProjectError, Site, StateFolder};

/// The target of an installation.
#[derive(Clone, Copy)]
pub struct InstallTarget<'a> {
    /// The agent.
    pub agent: &'static dyn Agent,
    /// Whose configuration is changed.
    pub scope: Scope,
    /// The project folder.
    pub project: &'a Path,
    /// The folders of the user.
    pub user: &'a UserFolders,
    /// The folder with the state.
    pub home: &'a StateFolder,
    /// The path of this program, which also runs as the MCP server.
    pub program: &'a str,
    /// The path of the program that the hooks run: this program, or the smaller `plan-machine-hook`.
    pub hook: &'a str,
}

/// The changes of an installation or a removal.
#[derive(Debug)]
pub struct Plan {
    /// The project, or the user's configuration.
    pub site: Site,
    /// The changes, including files that stay as they are.
    pub changes: Vec<FileChange>,
    /// What the person should know or do afterwards.
    pub notes: Vec<String>,
    /// What was installed when the changes were planned.
    pub(super) found: InstallRecord,
    /// What is installed afterwards.
    pub(super) record: InstallRecord,
    /// The folders to remove if they are empty afterwards.
    pub(super) empty: Vec<PathBuf>,
}

impl InstallTarget<'_> {
    /// Returns where the documents and the state are.
    ///
    /// # Errors
    ///
    /// If the user has no folder for configuration.
    pub fn site(&self) -> Result<Site, InstallError> {
        match self.scope {
            Scope::Project => Ok(Site::of_project(self.home, self.project)),
            Scope::User => Site::of_user(self.home, self.project).ok_or(InstallError::NoHome),
        }
    }

    /// Returns the file with the hooks.
    ///
    /// # Errors
    ///
    /// If the user has no home folder.
    pub fn hooks_file(&self) -> Result<PathBuf, InstallError> {
        let installation = self.agent.installation();
        self.file(installation.project_file, installation.user_file)
    }

    /// Returns the file with the MCP servers.
    ///
    /// # Errors
    ///
    /// If the user has no home folder.
    pub fn servers_file(&self) -> Result<PathBuf, InstallError> {
        let installation = self.agent.installation();
        self.file(installation.project_servers, installation.user_servers)
    }

    fn file(&self, project: &str, user: &str) -> Result<PathBuf, InstallError> {
        match self.scope {
            Scope::Project => Ok(existing(self.project.join(project))),
            Scope::User => Ok(existing(self.user.file(user)?)),
        }
    }
}

/// Returns what an installation would change. `session` names a shipped session; without it, documents that exist stay
/// as they are.
///
/// # Errors
///
/// If a file cannot be read or edited, the session is unknown, the path of the program cannot be quoted, or the user
/// has no home folder.
pub fn plan(target: &InstallTarget<'_>, session: Option<&str>) -> Result<Plan, InstallError> {
    let site = target.site()?;
    let found = InstallRecord::read(&site)?;
    let mut plan = Plan {
        record: found.clone(),
        found,
        site,
        changes: Vec::new(),
        notes: Vec::new(),
        empty: Vec::new(),
    };
    let name = target.agent.name();
    if !plan.record.agents.iter().any(|known| known == name) {
        plan.record.agents.push(name.to_owned());
    }
    plan.documents(session)?;
    let installation = target.agent.installation();
    let file = target.hooks_file()?;
    plan.edit(&file, Some(name), |text| match installation.hooks {
        HookShape::Plugin => Ok(Ok(plugin::text(target.hook))),
        HookShape::Groups | HookShape::Flat => hooks::add(text, target.agent, target.hook),
    })?;
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
    if installation.needs_trust {
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
    /// Adds the documents: the session, its machine, and one calls document for all installed agents. If the session
    /// document stays as it is, only the missing files that it names are added.
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

    /// Adds the calls document. Unless `is_new`, a document that a person has written or changed stays as it is.
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

    /// Returns whether nothing changes.
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
