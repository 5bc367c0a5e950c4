//! Signals from the host to plans. A plan's answer to a signal is used or reported; only the denial of an obsolete
//! signal may be dropped.

use plan_machine::gate::EventContext;
use plan_machine::machine::{Denial, Outcome};
use plan_machine::{Address, DenialKind, Lifecycle};

use super::parts::Conversation;
use crate::error::HostError;
use crate::model::Response;
use crate::outgoing::Content;

/// The answer of a plan to a signal.
#[must_use = "a denial that is not reported is lost"]
#[derive(Debug)]
pub enum SignalAnswer {
    /// The plan accepted the signal.
    Accepted,
    /// The plan denied the signal, and nothing changed.
    Denied(Denial),
}

impl SignalAnswer {
    /// Returns whether the plan accepted the signal. The caller must handle a denial itself.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// Returns the denial as an error message for the user; `None` if the plan accepted the signal. `what` says what did
    /// not happen.
    #[must_use]
    pub fn report(self, what: &str) -> Option<Content> {
        match self {
            Self::Accepted => None,
            Self::Denied(denial) => Some(Content::Error(format!("{what}: {}", why(&denial)))),
        }
    }

    /// Like [`report`](Self::report), but also returns `None` if the signal is obsolete because the plan had ended or
    /// changed state before the signal arrived.
    #[must_use]
    pub fn report_unless_over(self, what: &str) -> Option<Content> {
        match self {
            Self::Denied(denial)
                if matches!(denial.kind, DenialKind::Stale | DenialKind::NotAllowed) =>
            {
                None
            }
            other => other.report(what),
        }
    }
}

/// Returns the reason for a denial, for people. The kind of the denial is left out, because it is meant for programs.
pub(crate) fn why(denial: &Denial) -> String {
    denial.messages.join("; ")
}

impl Conversation<'_> {
    /// Sends a signal to a plan. Use the address `Address::default()` for a machine that has no plan yet.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn signal<M: Lifecycle>(
        &self,
        plan: impl Into<Address>,
        event: M::Event,
    ) -> Result<SignalAnswer, HostError> {
        let context = self.context("host", None);
        let done = self.session.signal::<M>(plan, event, &context).await?;
        Ok(match done.answer {
            Outcome::Denied(denial) => SignalAnswer::Denied(denial),
            Outcome::Accepted(_) | Outcome::Run { .. } => SignalAnswer::Accepted,
        })
    }

    /// Returns the context of an event that happens now.
    #[must_use]
    pub fn context(&self, actor: &str, response: Option<&Response>) -> EventContext {
        let context = EventContext::at(self.host.now()).by(actor);
        let mode = self.mode();
        let handlers = mode.handlers().iter();
        handlers.fold(context, |context, handler| {
            handler.context(self, response, context)
        })
    }
}
