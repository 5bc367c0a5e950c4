//! Events that a person sends about a plan. Checking what was shown and sending the event are one step of the session,
//! so exactly one of several clicks wins, even if the clicks reach different servers.

use plan_machine::gate::{EventContext, Gate};
use plan_machine::machine::{Call, CallKind, Outcome, PlanView, ShownToken};
use plan_machine_sessions::{Committed, Session, SessionError};

use crate::problem::Problem;

/// An event that a person sends.
#[derive(Clone, Debug)]
pub(super) struct PersonEvent<'r> {
    pub(super) machine: &'static str,
    pub(super) event: &'static str,
    /// The text of the command, with its arguments in braces.
    pub(super) text: &'static str,
    pub(super) plan: Option<&'r str>,
    pub(super) token: Option<&'r str>,
    pub(super) reason: Option<&'r str>,
}

/// Why an event was not sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Refusal {
    /// The content of the plan has changed.
    Stale,
    /// The plan no longer exists.
    Gone,
}

impl PersonEvent<'_> {
    /// Returns the event as a call: the arguments of the command are filled in from the request, and the words of a
    /// reason are never read as a command.
    pub(super) fn call(&self) -> Result<Call, Problem> {
        let mut call = Call::new(CallKind::Event(self.event.into()));
        call.plan_id = self.plan.map(str::to_owned);
        for argument in arguments(self.text) {
            let name = argument.trim_end_matches(['?', '.']);
            match name {
                "token" => {
                    let token = self.token.map(|token| ShownToken::Shown(token.to_owned()));
                    call.token = token.unwrap_or(ShownToken::Missing);
                }
                "plan_id" => {}
                name => match self.reason {
                    Some(reason) => call.with.push(name.to_owned(), reason),
                    None if argument.ends_with('?') => {}
                    None => {
                        let detail = format!(
                            "`reason` is missing: the command takes its argument `{name}` from it"
                        );
                        return Err(Problem::invalid(detail));
                    }
                },
            }
        }
        Ok(call)
    }

    /// Sends the event if the plan still has the content that the token identifies. Without a plan or a token, this is
    /// not checked, and only the session decides whether the event is accepted.
    pub(super) async fn send(
        &self,
        session: &Session,
        around: &EventContext,
    ) -> Result<Committed<Result<Outcome, Refusal>>, Problem> {
        self.send_about(self.plan, session, around).await
    }

    /// Does the same as [`send`](Self::send) for a plan that the token identifies and the request does not name. The
    /// event does not name the plan either, so that a repeated request sends the same event, even if no plan has the
    /// token anymore.
    pub(super) async fn send_about(
        &self,
        plan: Option<&str>,
        session: &Session,
        around: &EventContext,
    ) -> Result<Committed<Result<Outcome, Refusal>>, Problem> {
        let call = self.call()?;
        let once = around.call_id.as_deref();
        let ids: Vec<&str> = once.into_iter().collect();
        let done = session
            .transaction(around, &ids, |all| -> Result<_, SessionError> {
                // A repeated event gets its first answer, although the first event may have changed the plan.
                let earlier = all.earlier(self.machine, &call, once)?;
                if earlier.is_none()
                    && let Some(refusal) = self.refusal(all.gate(), plan)
                {
                    return Ok(Err(refusal));
                }
                let sent = all.send(self.machine, &call, once)?;
                Ok(Ok(sent.outcome))
            })
            .await?;
        Ok(Committed {
            answer: done.answer?,
            seq: done.seq,
            repeated: done.repeated,
        })
    }

    /// Returns the reason why the event must not be sent; `None` if the plan still has the content that the token
    /// identifies, or if there is no plan or no token to check.
    fn refusal(&self, gate: &Gate, plan: Option<&str>) -> Option<Refusal> {
        let (plan, token) = plan.zip(self.token)?;
        match plan_of(gate, self.machine, plan) {
            None => Some(Refusal::Gone),
            Some(found) if found.token != token => Some(Refusal::Stale),
            Some(_) => None,
        }
    }
}

/// Returns a plan of a machine.
pub(super) fn plan_of(gate: &Gate, machine: &str, plan: &str) -> Option<PlanView> {
    let mut machines = gate.machines().iter();
    let machine = machines.find(|one| one.description().name == machine)?;
    // The last plan with an id is the current one.
    let plans = machine.plans();
    plans.into_iter().rfind(|one| one.id == plan)
}

/// Returns the arguments of a command's text.
fn arguments(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('{').skip(1);
    parts.filter_map(|part| part.split('}').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &'static str) -> PersonEvent<'static> {
        PersonEvent {
            machine: "Plan",
            event: "reject",
            text,
            plan: Some("plan-1"),
            token: Some("1-00000000"),
            reason: None,
        }
    }

    #[test]
    fn the_arguments_of_a_command_are_filled_from_the_request() {
        let call = event("/plan approve {plan_id?} {token?}")
            .call()
            .expect("a call");
        assert_eq!(call.plan_id.as_deref(), Some("plan-1"));
        assert_eq!(call.token, ShownToken::Shown("1-00000000".to_owned()));
        let missing = event("/plan reject {reason...}").call();
        assert!(
            missing
                .expect_err("a reason")
                .detail
                .contains("`reason` is missing")
        );
        let given = PersonEvent {
            reason: Some("/plan approve 1-0"),
            ..event("/plan reject {reason...}")
        };
        let call = given.call().expect("a call");
        assert_eq!(call.token, ShownToken::Missing);
        let reason = call.with.get("reason").and_then(|reason| reason.as_text());
        assert_eq!(reason, Some("/plan approve 1-0"));
    }
}
