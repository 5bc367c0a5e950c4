//! The project that a command is about, and who may run the command.

use std::path::{Path, PathBuf};

use plan_machine_agents::agents;
use plan_machine_agents::ancestors::Ancestry;
use plan_machine_agents::keeper::{GateError, Keeper};
use plan_machine_agents::project::{self, ProjectError, SharedStore, Site, StateFolder};
use plan_machine_sessions::SessionIdentity;

use crate::output::Failure;
use crate::store::runtime;

/// The project that a command is about.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// The project folder, or a folder in it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

impl Place {
    /// Returns the gated project.
    pub(super) fn site(&self) -> Result<(StateFolder, Site), Failure> {
        let home = StateFolder::from_environment().map_err(|error| failed_files(&error))?;
        let shown = self.project.display();
        if !self.project.is_dir() {
            return Err(Failure::usage(format!("`{shown}` is not a folder")));
        }
        let site = project::find(&home, &self.project);
        let site = site.ok_or_else(|| {
            let missing = Failure::usage(format!("`{shown}` is not in a gated project"));
            missing.help(
                "`plan-machine init --agent NAME` gates the project in the current folder for an agent",
            )
        })?;
        Ok((home, site))
    }

    /// Returns the named folder, which does not have to be in a project.
    #[cfg(feature = "mcp")]
    pub(super) fn folder(&self) -> Result<PathBuf, Failure> {
        if !self.project.is_dir() {
            let shown = self.project.display();
            return Err(Failure::usage(format!("`{shown}` is not a folder")));
        }
        let folder = std::path::absolute(&self.project);
        Ok(folder.unwrap_or_else(|_| self.project.clone()))
    }

    /// Opens the gate of the project, calls `work` with it, and closes its store.
    pub(super) fn with_keeper<T>(
        &self,
        work: impl AsyncFnOnce(&Keeper) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (home, site) = self.site()?;
        let folder: &Path = &self.project;
        let folder = std::path::absolute(folder);
        let folder = folder.unwrap_or_else(|_| self.project.clone());
        runtime()?.block_on(async {
            let keeper = Keeper::open(&home, site, &folder).await;
            let keeper = keeper.map_err(|error| failed(&error))?;
            let done = work(&keeper).await;
            let closed = keeper.close().await;
            let done = done?;
            closed.map_err(|error| failed(&error))?;
            Ok(done)
        })
    }
}

/// The store of a gated project.
pub(crate) struct GatedStore {
    /// The address, as it is named on the command line.
    pub(crate) address: String,
    /// The store, if the project shares it with other computers.
    pub(crate) shared: Option<SharedStore>,
}

/// Returns the store of the gated project that contains the current folder; `None` if there is no such project.
pub(crate) fn store_here() -> Result<Option<GatedStore>, Failure> {
    let home = StateFolder::from_environment().ok();
    let site = home.and_then(|home| project::find(&home, Path::new(".")));
    let Some(site) = site else {
        return Ok(None);
    };
    let shared = project::shared_store(&site).map_err(|error| failed_files(&error))?;
    let address = match &shared {
        None => format!("sqlite:{}", site.store().display()),
        Some(shared) => shared.address().to_owned(),
    };
    Ok(Some(GatedStore { address, shared }))
}

/// Refuses a command that changes a store if an agent runs it and the store may hold sessions of gated projects: a file
/// in the state folder, or a database. Agents may use all other stores, so that they can try out the specs that they
/// write.
pub(crate) fn refuse_agents_to_change(store: &str, command: &str) -> Result<(), Failure> {
    let may_be_gated = match store.strip_prefix("sqlite:") {
        Some(file) => StateFolder::from_environment()
            .map_or(true, |home| project::is_state(&home, Path::new(file))),
        None => store.starts_with("postgres"),
    };
    if may_be_gated {
        return refuse_agents(command);
    }
    Ok(())
}

/// Refuses a command that changes something if an agent runs it.
pub(super) fn refuse_agents(command: &str) -> Result<(), Failure> {
    match agents::run_by(&Ancestry::current()) {
        None => Ok(()),
        Some(why) => {
            let refused = format!(
                "`plan-machine {command}` is for people, but no person is running it: {why}"
            );
            Err(Failure::usage(refused)
                .help("run it in a terminal that was not started by an agent"))
        }
    }
}

/// Reads the identity of a session.
pub(super) fn session(text: &str) -> Result<SessionIdentity, Failure> {
    let session = text.parse();
    session
        .map_err(|error: plan_machine_sessions::InvalidIdentity| Failure::usage(error.to_string()))
}

/// Returns the failure of a command that cannot work because of a problem in its project.
pub(super) fn failed(error: &GateError) -> Failure {
    Failure::usage(error.to_string())
}

/// Returns the failure of a command whose files cannot be used.
pub(super) fn failed_files(error: &ProjectError) -> Failure {
    Failure::usage(error.to_string())
}
