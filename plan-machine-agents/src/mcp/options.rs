//! The options of the MCP server.

use std::path::PathBuf;

use plan_machine_sessions::SessionIdentity;

use crate::project::StateFolder;

/// The options of the server.
#[derive(Clone, Debug)]
pub struct McpOptions {
    /// The folder with the state of all projects.
    pub home: StateFolder,
    /// The folder in which the agent works.
    pub folder: PathBuf,
    /// The session of calls without a handle, if a person has named one.
    pub session: Option<SessionIdentity>,
    /// Whether `plan_wait` lets the client ask the person. A client may answer on its own, so this is off by default.
    pub elicit: bool,
}
