//! `plan-machine reject`: a person's decision about a plan, from any terminal.

use plan_machine_agents::keeper::PlanDecision;

use super::site::{Place, failed, refuse_agents, session};
use crate::output::{Exit, Failure, Out};

/// Reject a plan that was shown to you.
///
/// The token comes from the card that `plan-machine status` or the agent's hook has shown. If the plan has changed since
/// then, the token no longer matches. An agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine reject 1-02c18244")]
pub(crate) struct Args {
    /// The token of the plan.
    token: String,
    /// The session, if the token matches plans of several sessions.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// The reason, which the model gets.
    #[arg(long, value_name = "TEXT", default_value = "rejected without a reason")]
    reason: String,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("reject")?;
    let chosen = args.session.as_deref().map(session).transpose()?;
    args.place.with_keeper(async |keeper| {
        let decision = PlanDecision::Reject(args.reason.clone());
        let decided = keeper.decide_plan(chosen.as_ref(), &args.token, &decision);
        let answer = decided.await.map_err(|error| failed(&error))?;
        Out::coloured().line(format_args!("{}: {}", answer.session, answer.text))?;
        Ok(if answer.is_accepted {
            Exit::Fine
        } else {
            Exit::Spec
        })
    })
}
