//! The server process, which has one client.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::error::McpError;
use super::lines::checked;
use super::options::McpOptions;
use super::server::PlanServer;
use crate::ancestors::Ancestry;

/// How long the last answers may take to be written.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Serves one client until standard input is closed.
///
/// # Errors
///
/// If the server cannot start, or the client violates the protocol.
pub fn run(options: McpOptions) -> Result<(), McpError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| McpError::Start(error.to_string()))?;
    let server = Arc::new(PlanServer::new(options, &Ancestry::current())?);
    let result = runtime.block_on(async {
        let result = Box::pin(serve(Arc::clone(&server))).await;
        server.close().await;
        result
    });
    // A thread may still be reading standard input. It ends with the process.
    runtime.shutdown_background();
    result
}

async fn serve(server: Arc<PlanServer>) -> Result<(), McpError> {
    let (input, output) = rmcp::transport::stdio();
    let lines = checked(input, output);
    let running = match Box::pin(server.serve((lines.input, lines.output))).await {
        Ok(running) => running,
        // A client that closes the connection before its first request needs no answer.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            let text = "it must begin with a request, such as `initialize` or `server/discover`";
            return Err(McpError::Client(text.to_owned()));
        }
        Err(error) => return Err(McpError::Client(error.to_string())),
    };
    let ended = running.waiting().await;
    ended.map_err(|error| McpError::Client(error.to_string()))?;
    // The last answers may not be written yet. A client that no longer reads them does not keep the process alive.
    let _ = timeout(LAST_ANSWERS, lines.writing).await;
    Ok(())
}
