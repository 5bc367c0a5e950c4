//! The target of an installation: an agent, and the files that are changed for it.

use std::path::{Path, PathBuf};

use super::error::{EditError, InstallError};
use super::places::{Scope, UserFolders, existing};
use super::{hooks, plugin};
use crate::agents::{Agent, HookShape};
use crate::project::{Site, StateFolder};

/// The target of an installation.
#[derive(Clone, Copy)]
pub struct InstallTarget<'a> {
    /// The agent for which the gate is installed.
    pub agent: &'static dyn Agent,
    /// Whether the configuration of the project or of the user is changed.
    pub scope: Scope,
    /// The project folder.
    pub project: &'a Path,
    /// The folders of the user.
    pub user: &'a UserFolders,
    /// The folder with the state of the gate.
    pub home: &'a StateFolder,
    /// The path of this program, which also runs as the MCP server.
    pub program: &'a str,
    /// The path of the program that the hooks run: this program, or the smaller `plan-machine-hook`.
    pub hook: &'a str,
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

    /// Returns the text of a file with the hooks added. The inner error says that the file does not have the structure
    /// that the agent expects.
    pub(crate) fn hooks_text(
        &self,
        text: Option<&str>,
    ) -> Result<Result<String, EditError>, InstallError> {
        match self.agent.installation().hooks {
            HookShape::Plugin => Ok(Ok(plugin::text(self.hook))),
            HookShape::Groups | HookShape::Flat => hooks::add(text, self.agent, self.hook),
        }
    }

    fn file(&self, project: &str, user: &str) -> Result<PathBuf, InstallError> {
        match self.scope {
            Scope::Project => Ok(existing(self.project.join(project))),
            Scope::User => Ok(existing(self.user.file(user)?)),
        }
    }
}
