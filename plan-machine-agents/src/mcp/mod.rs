//! The MCP server: the machines' own tools, `plan_status` and `plan_wait`, over standard input and output.
//!
//! The list of tools is the same in every state. A call that the state does not allow gets an error in words, and so
//! does a call whose session is not known. No call approves anything; only a person does, and with
//! [`ServerOptions::elicit`] the client may ask that person.

mod caller;
mod elicit;
mod error;
mod gates;
mod json;
mod options;
mod run;
mod server;
mod tools;
mod wait;

pub use error::ServeError;
pub use options::ServerOptions;
pub use run::run;
