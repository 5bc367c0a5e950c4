//! The database that a gated project shares with other computers: `plan-machine init --store`.

use plan_machine_agents::install::InstallRecord;
use plan_machine_agents::keeper::HandleKey;
use plan_machine_agents::project::{self, Site, StateFolder};
use plan_machine_sessions::store::without_password;

use super::site::{failed, failed_files};
use crate::output::Failure;
use crate::store::{self, Opening};

/// The purpose for which the key of the names of projects in shared stores is derived.
const NAMES: &str = "names of projects in shared stores";

/// Refuses an address that other computers cannot share.
pub(super) fn check_address(address: &str) -> Result<(), Failure> {
    if address.starts_with("postgres:") || address.starts_with("postgresql://") {
        return Ok(());
    }
    let shown = without_password(address);
    let wrong = Failure::usage(format!("`{shown}` is not a database on a server"));
    Err(wrong.help("use `--store postgres:URL`; without it, the sessions are in a file"))
}

/// Connects to a database, and creates its tables if they do not exist. Hooks never create them.
pub(super) fn create(address: &str) -> Result<(), Failure> {
    store::runtime()?.block_on(async {
        let opened = store::open(address, Opening::OrCreate).await?;
        store::close(address, &*opened, Ok(())).await
    })
}

/// Remembers the address for a project. Returns whether anything has changed.
pub(super) fn remember(address: &str, site: &Site, home: &StateFolder) -> Result<bool, Failure> {
    let key = HandleKey::of(home).map_err(|error| failed(&error))?;
    let shared = project::share_store(site, address, &key.derived(NAMES));
    shared.map_err(|error| failed_files(&error))
}

/// Forgets the address if the gate was removed from the last agent of the project.
pub(super) fn forget(site: &Site) -> Result<(), Failure> {
    let installed = InstallRecord::read(site).map_err(|error| failed_files(&error))?;
    if !installed.agents.is_empty() {
        return Ok(());
    }
    project::forget_store(site).map_err(|error| failed_files(&error))
}
