//! The functions for a person in a terminal: viewing sessions, sending commands and deciding about plans.

use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::{EventContext, Gate};
use plan_machine_kernel::digest::Token;
use plan_machine_sessions::{SessionError, SessionIdentity};

use super::card::{PlanCard, cards};
use super::context::states;
use super::decision::PlanDecision;
use super::error::GateError;
use super::names::person;
use super::open::Keeper;

/// The number of sessions that are read at a time.
const PAGE: u32 = 1000;

/// A session as a person sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionView {
    /// The identity of the session.
    pub session: SessionIdentity,
    /// The states of its machines, one line each.
    pub states: String,
    /// The plans that wait for the person.
    pub cards: Vec<PlanCard>,
    /// The reason why the session cannot be shown; `None` if it can be shown.
    pub problem: Option<String>,
}

/// The answer to a person's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonAnswer {
    /// The session that got the command.
    pub session: SessionIdentity,
    /// The text for the person.
    pub text: String,
    /// Whether the command was accepted.
    pub is_accepted: bool,
}

impl Keeper {
    /// Returns the identities of all sessions of this project. If other computers share the store, their sessions are
    /// left out, including those of the same project.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn all_sessions(&self) -> Result<Vec<SessionIdentity>, GateError> {
        let mut all: Vec<SessionIdentity> = Vec::new();
        let mut last = None;
        loop {
            let page = self.sessions.list(last.as_ref(), PAGE).await?;
            let Some(end) = page.last() else {
                return Ok(all);
            };
            last = Some(end.session.clone());
            let sessions = page.into_iter().map(|listed| listed.session);
            let shared = self.shared_store();
            all.extend(sessions.filter(|one| shared.is_none_or(|store| store.contains(one))));
        }
    }

    /// Returns the states and the cards of a session as they are now: timers that are due fire first, so an approval
    /// that has expired is not shown as valid.
    async fn current(
        &self,
        session: &SessionIdentity,
    ) -> Result<(String, Vec<PlanCard>), SessionError> {
        let handle = self.session(session);
        handle.wake(EventContext::now().now).await?;
        let documents = &self.documents;
        handle
            .at_gate(|gate| (states(documents, gate), cards(documents, session, gate)))
            .await
    }

    /// Returns what a person sees of a session.
    ///
    /// # Errors
    ///
    /// If the store fails. A session that cannot be read is shown with its problem.
    pub async fn view(&self, session: &SessionIdentity) -> Result<SessionView, GateError> {
        let seen = self.current(session).await;
        let (states, cards, problem) = match seen {
            Ok((states, cards)) => (states, cards, None),
            Err(error) if error.is_damage() => (String::new(), Vec::new(), Some(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        Ok(SessionView {
            session: session.clone(),
            states,
            cards,
            problem,
        })
    }

    /// Sends a line that a person has typed in a terminal.
    ///
    /// # Errors
    ///
    /// If the session does not exist or cannot answer.
    pub async fn person_command(
        &self,
        session: &SessionIdentity,
        line: &str,
    ) -> Result<PersonAnswer, GateError> {
        let handle = self.session(session);
        if handle.seq().await? == 0 {
            return Err(GateError::Request(format!(
                "there is no session `{session}`; `plan-machine status` lists the sessions"
            )));
        }
        let around = EventContext::now().by(person());
        let result = self.command(&handle, line, &around, false).await?;
        Ok(PersonAnswer {
            session: session.clone(),
            text: result.text,
            is_accepted: result.is_accepted,
        })
    }

    /// Decides about the plan with this token, in one session or in all sessions. Exactly one plan with this token must
    /// wait for the decision.
    ///
    /// # Errors
    ///
    /// If no plan or several plans with this token wait for the decision, or if a session cannot answer.
    pub async fn decide_plan(
        &self,
        session: Option<&SessionIdentity>,
        token: &str,
        decision: &PlanDecision,
    ) -> Result<PersonAnswer, GateError> {
        let sessions = match session {
            Some(session) => vec![session.clone()],
            None => self.all_sessions().await?,
        };
        let mut found = Vec::new();
        for session in sessions {
            let lines = self
                .session(&session)
                .at_gate(|gate| lines(gate, token, decision))
                .await;
            match lines {
                Ok(lines) => found.extend(lines.into_iter().map(|line| (session.clone(), line))),
                // A session that cannot be read has no plan that can be approved.
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error.into()),
            }
        }
        match found.as_slice() {
            [] => Err(GateError::Request(format!(
                "no plan with the token `{token}` waits for this decision; `plan-machine status` shows the waiting plans"
            ))),
            [(session, line)] => self.person_command(session, line).await,
            several => Err(GateError::Request(ambiguous(token, several))),
        }
    }
}

/// Explains how to choose between the plans with a token, given the session of each plan and the line that decides about
/// it. In one session, only these lines tell the plans apart.
fn ambiguous(token: &str, several: &[(SessionIdentity, String)]) -> String {
    let mut sessions: Vec<String> = several.iter().map(|(one, _)| one.to_string()).collect();
    sessions.dedup();
    if let [session] = sessions.as_slice() {
        let lines = several.iter();
        let lines =
            lines.map(|(_, line)| format!("`plan-machine command --session {session} {line}`"));
        let mut lines: Vec<String> = lines.collect();
        lines.dedup();
        return format!(
            "the token `{token}` matches several plans of {session}; choose one with {}",
            lines.join(" or ")
        );
    }
    format!(
        "the token `{token}` matches several plans; choose one with --session: {}",
        sessions.join(", ")
    )
}

/// Returns the lines that decide about the plans with a token, as a person would type them. Plans whose state does not
/// accept the decision, such as rejected plans, are skipped.
fn lines(gate: &Gate, token: &str, decision: &PlanDecision) -> Vec<String> {
    let Ok(token) = token.parse::<Token>() else {
        return Vec::new();
    };
    let prefix = gate.machine_set().prefix().as_char();
    let mut lines = Vec::new();
    for machine in gate.machines() {
        let tables = machine.description();
        for plan in machine.plans() {
            let own: Option<Token> = plan.token.parse().ok();
            let state = tables.state_named(&plan.state);
            let Some(state) = state.filter(|_| own.is_some_and(|own| token.fits(own))) else {
                continue;
            };
            let events = (0_u16..).zip(tables.events);
            let commands = events.filter_map(|(at, event)| match event.kind {
                EventKind::Command { text, .. } if decision.is_named(event.name) => {
                    (tables.handling(state, at) == Handling::Takes).then_some(text)
                }
                _ => None,
            });
            let plan = plan.id.to_string();
            lines.extend(commands.map(|text| decision.line(text, prefix, token, &plan)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keeper::identity;

    #[test]
    fn plans_of_one_session_are_told_apart_by_their_commands() {
        let session = |talk: &str| identity("codex", talk).expect("an identity");
        let plan = |talk: &str, plan: &str| (session(talk), format!(".plan approve {plan} ab12"));
        let (one, two) = (session("talk-1"), session("talk-2"));
        assert_eq!(
            ambiguous(
                "ab12",
                &[plan("talk-1", "plan-1"), plan("talk-1", "plan-2")]
            ),
            format!(
                "the token `ab12` matches several plans of {one}; choose one with \
                 `plan-machine command --session {one} .plan approve plan-1 ab12` or \
                 `plan-machine command --session {one} .plan approve plan-2 ab12`"
            )
        );
        assert_eq!(
            ambiguous(
                "ab12",
                &[plan("talk-1", "plan-1"), plan("talk-2", "plan-1")]
            ),
            format!(
                "the token `ab12` matches several plans; choose one with --session: {one}, {two}"
            )
        );
    }
}
