//! Stored plans that do not fit their machines, and sessions that cannot be read: what a person reads about them, and
//! how they are ended.

use plan_machine::gate::{DamagedPlan, Trail};
use plan_machine_sessions::store::StoreErrorKind;
use plan_machine_sessions::{Session, SessionError};

use crate::bot::Bot;
use crate::commands::quote_it;
use crate::history::History;
use crate::mode::Mode;
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

    /// Says how a session is started over that cannot be read; `None` where it can be.
    pub(crate) async fn explain_unreadable(&self, session: &Session) -> Option<Said> {
        why_unreadable(session).await?;
        Some(Said::Notice(
            "`/reset` ends the plans of this conversation and starts it over. Its journal keeps what is there."
                .to_owned(),
        ))
    }

    /// Starts a session over that cannot be read, plans and conversation; `None` where it can be.
    pub(crate) async fn start_over(&self, session: &Session) -> Option<Result<Vec<Said>, String>> {
        let why = why_unreadable(session).await?;
        Some(self.restart(session, &why).await)
    }

    async fn restart(&self, session: &Session, why: &str) -> Result<Vec<Said>, String> {
        let identity = session.identity();
        let around = self.around("user", identity, Trail::default());
        let seq = session.restart(why, &around).await;
        let seq = seq.map_err(|error| error.to_string())?;
        // Nobody waits for runs that the session does not know any more.
        for run in self.runs.going_on() {
            if run.session == *identity {
                self.runs.leave(identity, &run.run, "interrupted");
            }
        }
        self.stop_given_up(session).await?;
        let kept = match seq - 1 {
            1 => "the entry before it is kept".to_owned(),
            before => format!("the {before} entries before it are kept"),
        };
        let mut said = vec![Said::Notice(format!(
            "Ended the plans of this conversation, which could not be read ({why}). Entry {seq} of its journal says so; {kept}."
        ))];
        if self.chats.mode(identity) == Mode::PlanBuilder {
            said.push(self.new_planner_session(session).await?);
        } else {
            History::begin_anew(&self.history_file(&identity.to_string()))?;
        }
        Ok(said)
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
            // `/plan end of the year` was meant to be a title of planning files.
            Ok(damaged) if damaged.is_empty() => {
                let title = words.next().map(|_| format!(". {}", quote_it(rest)));
                Some(Ok(vec![Said::Error(format!(
                    "`/plan end` ends a damaged plan, and none is damaged here; `/plan cancel` gives a plan up{}",
                    title.unwrap_or_default()
                ))]))
            }
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

/// Why a session cannot be read.
async fn why_unreadable(session: &Session) -> Option<String> {
    let read = session.plans().await.map(drop);
    let read = match read {
        Ok(()) => session.effects().await.map(drop),
        Err(error) => Err(error),
    };
    match read {
        Err(SessionError::Unreadable { why, .. }) => Some(why.to_string()),
        // A damaged page hides entries and effects as a damaged entry does.
        Err(SessionError::Store(error)) if error.kind == StoreErrorKind::Damaged => {
            Some(error.to_string())
        }
        _ => None,
    }
}
