//! The MCP server: the machines' own tools, `plan_status` and `plan_wait`, over standard input and output.
//!
//! The list of tools is the same in every state. A call gets an error result with a text if the state does not allow
//! it, or if its session is not known. No call approves a plan; only a person does, and with [`McpOptions::elicit`]
//! the client may ask that person.

mod caller;
mod elicit;
mod error;
mod gates;
mod json;
mod lines;
mod options;
mod run;
mod server;
mod tools;
mod wait;

pub use error::McpError;
pub use options::McpOptions;
pub use run::run;
