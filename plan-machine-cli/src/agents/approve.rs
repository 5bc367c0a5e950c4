//! `plan-machine approve`: a person's decision about a plan, from any terminal.

use plan_machine_agents::keeper::PlanDecision;

use super::site::{Place, failed, refuse_agents, session};
use crate::output::{Exit, Failure, Out};

/// Approve a plan that was shown to you, so that the agent carries it out.
///
/// The token comes from the card that `plan-machine status` or the agent's hook has shown. If the plan has changed since
/// then, the token no longer matches. An agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine approve 1-02c18244")]
pub(crate) struct Args {
    /// The token of the plan.
    token: String,
    /// The session, if the token matches plans of several sessions.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("approve")?;
    let chosen = args.session.as_deref().map(session).transpose()?;
    args.place.with_keeper(async |keeper| {
        let decided = keeper.decide_plan(chosen.as_ref(), &args.token, &PlanDecision::Approve);
        let answer = decided.await.map_err(|error| failed(&error))?;
        Out::coloured().line(format_args!("{}: {}", answer.session, answer.text))?;
        Ok(if answer.is_accepted {
            Exit::Fine
        } else {
            Exit::Spec
        })
    })
}
