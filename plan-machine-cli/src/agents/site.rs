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
    /// Returns the state folder and the gated project.
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
    /// The path of the list of denied calls.
    pub(crate) denials: PathBuf,
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
    Ok(Some(GatedStore {
        address,
        shared,
        denials: site.state.join("audit.jsonl"),
    }))
}

/// A store that a command names.
pub(crate) struct NamedStore {
    /// The address to open. If symbolic links led to the file, this is the path without them, so that a link that is
    /// replaced after the check does not lead to another store.
    pub(crate) address: String,
    /// Whether the store belongs to the state of the gate.
    pub(super) is_state: bool,
}

impl NamedStore {
    pub(super) fn of(store: &str) -> Self {
        let file = store.strip_prefix("sqlite:");
        let Some(file) = file.filter(|file| !file.is_empty()) else {
            return Self {
                address: store.to_owned(),
                is_state: false,
            };
        };
        let written = Path::new(file);
        let real = project::without_links(written);
        let home = StateFolder::from_environment();
        let is_state = home.map_or(true, |home| project::is_state(&home, &real));
        // If the path contains no links, errors show it as the user wrote it.
        if std::path::absolute(written).is_ok_and(|path| path == real) {
            return Self {
                address: store.to_owned(),
                is_state,
            };
        }
        // An address can name only a path that is UTF-8. An agent may not use any other file.
        let path = real.to_str();
        Self {
            address: path.map_or_else(|| store.to_owned(), |path| format!("sqlite:{path}")),
            is_state: is_state || path.is_none(),
        }
    }
}

/// Refuses a command that changes a store if an agent runs it and the store may hold sessions of gated projects: a file
/// (`sqlite:`) in the state folder, or any database of a server (`postgres:`). Agents may use all other files, so that
/// they can try out the specs that they write. Returns the store to open.
pub(crate) fn refuse_agents_to_change(store: &str, command: &str) -> Result<NamedStore, Failure> {
    let named = NamedStore::of(store);
    if named.is_state || store.starts_with("postgres") {
        refuse_agents(command)?;
    }
    Ok(named)
}

/// Returns an error if an agent runs this command, which is for people.
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
