//! `plan-machine reject`: a person rejects a plan, from any terminal.

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
Examples:
  plan-machine reject 1-02c18244
  plan-machine reject 1-02c18244 --reason 'add a test first'")]
pub(crate) struct Args {
    #[command(flatten)]
    plan: ShownPlan,
    /// The reason, which the model gets.
    #[arg(long, value_name = "TEXT", default_value = "rejected without a reason")]
    reason: String,
    /// A reason without its option, which gets a hint.
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    refuse_agents("reject")?;
    if let Some(word) = args.words.first() {
        let token = args.plan.token();
        let unexpected = Failure::usage(format!(
            "expected only a token, but also found `{word}`; nothing was decided"
        ));
        return Err(unexpected.help(format!(
            "give the reason with `--reason`: `plan-machine reject {token} --reason TEXT`"
        )));
    }
    let decision = PlanDecision::Reject(args.reason.clone());
    args.plan.decide(&args.place, &decision)
}
