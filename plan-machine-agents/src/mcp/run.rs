//! The server process, which has one client.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::runtime::Builder;

use super::error::ServeError;
use super::options::ServerOptions;
use super::server::PlanServer;
use crate::ancestors::Ancestry;

/// Serves one client until standard input is closed.
///
/// # Errors
///
/// If the server cannot start, or the client violates the protocol.
pub fn run(options: ServerOptions) -> Result<(), ServeError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ServeError::Start(error.to_string()))?;
    let server = Arc::new(PlanServer::new(options, &Ancestry::current())?);
    let result = runtime.block_on(async {
        let result = serve(Arc::clone(&server)).await;
        server.close().await;
        result
    });
    // A thread may still be reading standard input. It ends with the process.
    runtime.shutdown_background();
    result
}

async fn serve(server: Arc<PlanServer>) -> Result<(), ServeError> {
    let running = match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => running,
        // A client that closes the connection before its first request needs no answer.
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
