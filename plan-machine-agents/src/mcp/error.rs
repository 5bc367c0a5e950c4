//! Errors of the MCP server.

use thiserror::Error;

use crate::keeper::GateError;

/// The reason why the server cannot run.
#[derive(Debug, Error)]
pub enum McpError {
    /// The server cannot start.
    #[error("the MCP server cannot start: {0}")]
    Start(String),
    /// The key that seals handles cannot be used.
    #[error("the MCP server cannot start: {0}")]
    Key(#[from] GateError),
    /// The client violates the protocol, or has closed the connection.
    #[error("the client cannot be served: {0}")]
    Client(String),
    /// With `--elicit`, an agent could answer for the person.
    #[error(
        "`--elicit` lets the client ask a person, but an agent's command has started this server and could answer for the person: {0}"
    )]
    Elicit(String),
}
