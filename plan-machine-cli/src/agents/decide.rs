//! A person's decision about a plan that was shown.

use plan_machine_agents::keeper::PlanDecision;

use super::site::{Place, failed, session};
use crate::output::{Exit, Failure, Out};

/// The plan that a person decides about.
#[derive(Debug, clap::Args)]
pub(super) struct ShownPlan {
    /// The token of the plan.
    token: String,
    /// The session, if the token matches plans of several sessions.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

impl ShownPlan {
    /// Returns the token as it was typed.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Sends the decision to the machine of the plan, and prints the machine's answer.
    pub(super) fn decide(&self, place: &Place, decision: &PlanDecision) -> Result<Exit, Failure> {
        let chosen = self.session.as_deref().map(session).transpose()?;
        place.with_keeper(async |keeper| {
            let decided = keeper.decide_plan(chosen.as_ref(), &self.token, decision);
            let answer = decided.await.map_err(|error| failed(&error))?;
            Out::coloured().line(format_args!("{}: {}", answer.session, answer.text))?;
            Ok(Exit::of(answer.is_accepted))
        })
    }
}
