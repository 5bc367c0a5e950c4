//! `plan-machine mcp`: the MCP server with the machines' own tools.

use plan_machine_agents::mcp::{self, McpOptions};
use plan_machine_agents::project::StateFolder;

use super::site::{Place, failed_files, session};
use crate::output::{Exit, Failure};

/// Serve the machines' own tools to an agent, as an MCP server over standard input and output.
///
/// Agents start this themselves; `plan-machine init` configures them. The server offers the tools of the project's
/// machines, and two of its own: `plan_status` and `plan_wait`. No call approves a plan.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine mcp
  plan-machine mcp --project ~/shop --session desktop:shop-plan")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// The session of calls without a handle, for a client that has only one conversation.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Let the client ask you about a plan when the model calls `plan_wait`. A client may answer on its own; use this
    /// only with a client that shows the question to you.
    #[arg(long)]
    elicit: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let options = McpOptions {
        home: StateFolder::from_environment().map_err(|error| failed_files(&error))?,
        folder: args.place.folder()?,
        session: args.session.as_deref().map(session).transpose()?,
        elicit: args.elicit,
    };
    let served = mcp::run(options);
    served.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(Exit::Fine)
}
