//! `plan-machine hook`: answers one event of an agent.

use clap::builder::PossibleValuesParser;
use plan_machine_agents::agents::AGENTS;

use crate::output::{Exit, Failure};

/// Answer one event of an agent.
///
/// Agents call this before each tool call, for each prompt and for a few other events; `plan-machine init` configures
/// them. The event is read from standard input. A call that may run gets exit status 0, usually without an answer; a
/// denied call gets exit status 2 and the reason on standard error. If anything goes wrong, the call is denied.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine hook --agent codex < event.json")]
pub(crate) struct Args {
    /// The agent that reports the event.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(AGENTS.map(|agent| agent.name())))]
    agent: String,
    /// Use exit status 77 instead of 0, and 78 instead of 2. The command that `plan-machine init` writes translates
    /// them back, and so detects whether another program or an empty file was run instead of plan-machine.
    #[arg(long)]
    wrapped: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    plan_machine_agents::hook::run(&args.agent, args.wrapped)
}
