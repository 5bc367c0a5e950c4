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
mod server;
mod tools;
mod wait;

use std::path::PathBuf;
use std::sync::Arc;

use plan_machine_sessions::SessionIdentity;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::runtime::Builder;

use crate::ancestors::Ancestry;
use crate::project::StateFolder;

pub use error::ServeError;
use server::PlanServer;

/// What a server has to know.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The folder with the state of all projects.
    pub home: StateFolder,
    /// The folder in which the agent works.
    pub folder: PathBuf,
    /// The session of calls without a handle, if it is always the same one.
    pub session: Option<SessionIdentity>,
    /// Whether `plan_wait` lets the client ask the person. A client may answer by itself, so this is off by default.
    pub elicit: bool,
}

/// Serves one client until standard input is closed.
///
/// # Errors
///
/// If the server cannot start, or the client breaks the protocol.
pub fn run(options: ServerOptions) -> Result<(), ServeError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ServeError::Start(error.to_string()))?;
    let server = Arc::new(PlanServer::new(options, &Ancestry::current())?);
    let served = runtime.block_on(async {
        let served = serve(Arc::clone(&server)).await;
        server.close().await;
        served
    });
    // A read of standard input may still be waiting in a thread; nobody waits for it.
    runtime.shutdown_background();
    served
}

async fn serve(server: Arc<PlanServer>) -> Result<(), ServeError> {
    let running = match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => running,
        // A client that goes away before it has asked for anything is none to be told.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            let text = "it must begin with a request, such as `initialize` or `server/discover`";
            return Err(ServeError::Client(text.to_owned()));
        }
        Err(error) => return Err(ServeError::Client(error.to_string())),
    };
    let ended = running.waiting().await;
    ended.map_err(|error| ServeError::Client(error.to_string()))?;
    Ok(())
}
