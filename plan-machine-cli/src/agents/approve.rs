//! `plan-machine approve`: a person approves a plan, from any terminal.

use plan_machine_agents::keeper::PlanDecision;

use super::decide::ShownPlan;
use super::site::{Place, refuse_agents};
use crate::output::{Exit, Failure};

/// Approve a plan that was shown to you, so that the agent carries it out.
///
/// The token comes from the card that `plan-machine status` or the agent's hook has shown. If the plan has changed since
/// then, the token no longer matches. An agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine approve 1-02c18244")]
pub(crate) struct Args {
    #[command(flatten)]
    plan: ShownPlan,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("approve")?;
    args.plan.decide(&args.place, &PlanDecision::Approve)
}
