//! `plan-machine command`: sends a person's command to a session, from any terminal.

use plan_machine_agents::keeper::Keeper;
use plan_machine_sessions::SessionIdentity;

use super::site::{Place, failed, refuse_agents, session};
use crate::output::{Exit, Failure, Out};

/// Send a command to a session of an agent, as if you had typed it in the agent.
///
/// A decision about a plan is accepted only if the plan was shown to you before. An agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine command --session codex:019a8e3e-5b7c .plan on")]
pub(crate) struct Args {
    /// The command, such as `.plan on`.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    line: Vec<String>,
    /// The session; it can be left out if the project has only one.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("command")?;
    let chosen = args.session.as_deref().map(session).transpose()?;
    args.place.with_keeper(async |keeper| {
        let session = match chosen {
            Some(session) => session,
            None => only(keeper).await?,
        };
        let answer = keeper.person_command(&session, &args.line.join(" ")).await;
        let answer = answer.map_err(|error| failed(&error))?;
        Out::coloured().line(answer.text)?;
        Ok(Exit::of(answer.is_accepted))
    })
}

/// Returns the only session of a project.
async fn only(keeper: &Keeper) -> Result<SessionIdentity, Failure> {
    let mut all = keeper
        .all_sessions()
        .await
        .map_err(|error| failed(&error))?;
    match (all.pop(), all.is_empty()) {
        (Some(session), true) => Ok(session),
        (None, _) => Err(Failure::usage("this project has no sessions yet")),
        _ => {
            let several = Failure::usage("this project has several sessions");
            Err(several.help("choose one with --session; `plan-machine status` lists them"))
        }
    }
}
