//! Signals to plans. What a plan refuses is reported to the user or handled by the caller, and never dropped.

use plan_machine::gate::Trail;
use plan_machine::machine::{Call, CallKind, Denial, Outcome};
use plan_machine::{DenialKind, Object};
use plan_machine_sessions::Session;

use crate::bot::Bot;
use crate::outgoing::Said;

/// The answer of a plan to a signal.
#[must_use = "a refusal that is not reported is lost"]
#[derive(Debug)]
pub(crate) enum Signalled {
    /// The plan took it.
    Accepted,
    /// The plan did not take it, and nothing changed.
    Refused(Denial),
}

impl Signalled {
    /// Whether the plan took it. Callers that ask handle a refusal themselves.
    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// The refusal in words for the user; `what` says what did not happen.
    pub(crate) fn report(self, what: &str) -> Option<Said> {
        match self {
            Self::Accepted => None,
            Self::Refused(denial) => Some(Said::Error(format!("{what}: {}", why(&denial)))),
        }
    }

    /// The refusal in words, unless the plan had ended or moved on before the signal came: then there is nothing
    /// left that the signal could be about.
    pub(crate) fn report_unless_over(self, what: &str) -> Option<Said> {
        match self {
            Self::Refused(denial)
                if matches!(denial.kind, DenialKind::Stale | DenialKind::NotAllowed) =>
            {
                None
            }
            other => other.report(what),
        }
    }
}

/// Why something was refused, in words for people: the kind of refusal is for programs.
pub(crate) fn why(denial: &Denial) -> String {
    denial.messages.join("; ")
}

impl Bot {
    /// Sends a signal to a plan; without one, to a machine that has none yet.
    pub(crate) async fn signal<'p>(
        &self,
        session: &Session,
        machine: &str,
        name: &str,
        plan: impl Into<Option<&'p str>>,
        with: Object,
    ) -> Result<Signalled, String> {
        self.signal_of(session, Trail::default(), machine, name, plan, with)
            .await
    }

    /// Sends a signal to a plan, with what logs tell of its sender.
    pub(crate) async fn signal_of<'p>(
        &self,
        session: &Session,
        trail: Trail,
        machine: &str,
        name: &str,
        plan: impl Into<Option<&'p str>>,
        with: Object,
    ) -> Result<Signalled, String> {
        let mut call = Call::new(CallKind::Event(name.to_owned().into()));
        call.with = with;
        call.plan_id = plan.into().map(str::to_owned);
        let around = self.around("host", session.identity(), trail);
        let done = session.send(machine, &call, &around).await;
        let done = done.map_err(|error| error.to_string())?;
        Ok(match done.answer {
            Outcome::Denied(denial) => Signalled::Refused(denial),
            Outcome::Accepted(_) | Outcome::Run { .. } => Signalled::Accepted,
        })
    }
}
