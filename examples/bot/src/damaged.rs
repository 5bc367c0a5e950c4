//! Stored plans that do not fit their machines: what a person reads about them, and how one is ended.

use plan_machine::gate::{DamagedPlan, Trail};
use plan_machine::session::Session;

use crate::bot::Bot;
use crate::outgoing::Said;

/// What a person types to end a damaged plan.
pub(crate) const END: &str = "/plan end {plan}";

impl Bot {
    /// Says which plans of a session are damaged, and what to do about each.
    pub(crate) async fn report_damaged(&self, session: &Session) -> Result<Vec<Said>, String> {
        let told = session.at_gate(|gate| {
            let damaged = gate.damaged().iter();
            let told = damaged.map(|damaged| Said::Error(gate.explain(damaged)));
            told.collect()
        });
        told.await.map_err(|error| error.to_string())
    }

    /// Ends the damaged plan that `/plan end PLAN` names; `None` where the line is another command.
    pub(crate) async fn end_damaged(
        &self,
        session: &Session,
        rest: &str,
    ) -> Option<Result<Vec<Said>, String>> {
        let mut words = rest.split_whitespace();
        if words.next() != Some("end") {
            return None;
        }
        let named = words.next().unwrap_or_default();
        match session.damaged().await {
            // `/plan end of the year` is a title of planning files.
            Ok(damaged) if damaged.is_empty() && words.next().is_some() => None,
            Ok(damaged) if damaged.is_empty() => Some(Ok(vec![Said::Error(
                "`/plan end` ends a damaged plan, and none is damaged here; `/plan cancel` gives a plan up"
                    .to_owned(),
            )])),
            Ok(damaged) => Some(self.end_one(session, &damaged, named).await),
            Err(error) => Some(Err(error.to_string())),
        }
    }

    async fn end_one(
        &self,
        session: &Session,
        damaged: &[DamagedPlan],
        named: &str,
    ) -> Result<Vec<Said>, String> {
        let Some(meant) = damaged.iter().find(|one| one.plan.id == named) else {
            let ends = damaged
                .iter()
                .map(|one| format!("`{}`", END.replace("{plan}", one.plan.id.as_str())));
            let ends = ends.collect::<Vec<_>>().join(" or ");
            return Ok(vec![Said::Error(format!(
                "`/plan end` ends a damaged plan; type {ends}"
            ))]);
        };
        let around = self.around("user", session.identity(), Trail::default());
        let why = meant.problems.join("; ");
        let ended = session.abandon(meant.machine, named, &why, &around).await;
        ended.map_err(|error| error.to_string())?;
        let machine = meant.machine;
        Ok(vec![Said::Notice(format!(
            "Ended {named} of {machine}, which was damaged. The journal keeps it as it was."
        ))])
    }
}
