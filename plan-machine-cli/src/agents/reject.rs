//! `plan-machine reject`: a person's decision about a plan, from any terminal.

use plan_machine_agents::keeper::PlanDecision;

use super::decide::ShownPlan;
use super::site::{Place, refuse_agents};
use crate::output::{Exit, Failure};

/// Reject a plan that was shown to you.
///
/// The token comes from the card that `plan-machine status` or the agent's hook has shown. If the plan has changed since
/// then, the token no longer matches. An agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine reject 1-02c18244")]
pub(crate) struct Args {
    #[command(flatten)]
    plan: ShownPlan,
    /// The reason, which the model gets.
    #[arg(long, value_name = "TEXT", default_value = "rejected without a reason")]
    reason: String,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("reject")?;
    let decision = PlanDecision::Reject(args.reason.clone());
    args.plan.decide(&args.place, &decision)
}
