//! The result of an event, and the answer to its sender.

use std::borrow::Cow;
use std::fmt;

use plan_machine_kernel::denial::{DenialKind, joined};
use plan_machine_kernel::json::{Json, Object};

use super::plans::PlanView;
use crate::core::id::Id;

/// The result of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The machine accepted the event.
    Accepted(Box<Acceptance>),
    /// The host may run a host tool.
    Run {
        /// The name of the tool.
        tool: String,
        /// The state in which the tool may run.
        state: String,
    },
    /// The machine denied the event, and nothing has changed.
    Denied(Denial),
}

/// An accepted event.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    /// The plans that the event affected, in their current form.
    pub plans: Vec<PlanView>,
    /// Whether the event went to every plan that handles it; if so, the reply is a list.
    pub each: bool,
    /// The plan that was replaced or released.
    pub ended: Option<PlanView>,
    /// The effects, in order. In the answers of a session, this list is empty: a session delivers each effect once,
    /// through `Session::effects`.
    pub effects: Vec<EffectView>,
    /// The reply; null if the host runs a tool, whose result is the answer.
    pub reply: Json,
    /// The host tool that the host may run, because the machine has counted the call. The host stores the changes
    /// first.
    pub runs: Option<String>,
}

/// An emitted effect.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectView {
    /// The effect's name.
    pub name: Cow<'static, str>,
    /// The plan that emitted the effect; `None` if there was no plan.
    pub plan: Option<Id>,
    /// The effect's fields; unset fields are omitted.
    pub fields: Object,
}

/// A denial, which is a value and not an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Denial {
    /// The kind, which tells the sender how to proceed.
    pub kind: DenialKind,
    /// The reasons for the denial.
    pub messages: Vec<String>,
    /// The state that denied the event; `none` if there was no plan, or if the denial does not depend on a state.
    pub state: String,
    /// The states in which the event would have been allowed. The list is empty unless the kind is `not_allowed`.
    pub allowed_in: Vec<String>,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, joined(&self.messages))
    }
}

impl Outcome {
    /// Returns the answer to the sender: the reply, or the reason for the denial. Returns `None` if a host tool has yet
    /// to run: the answer will be the tool's result.
    ///
    #[cfg_attr(feature = "gate", doc = "```")]
    #[cfg_attr(not(feature = "gate"), doc = "```ignore")]
    /// use plan_machine::gate::{Gate, EventContext};
    ///
    /// plan_machine::machine! {
    ///     machine Note;
    ///     command begin = "/note";
    ///     command end = "/done";
    ///     state none { on begin => OPEN { reply "Write it."; } }
    ///     state OPEN { on end => CLOSED next none; }
    ///     final state CLOSED;
    /// }
    ///
    /// let mut gate = Gate::builder().with(note::Machine).open()?;
    /// let around = EventContext::default();
    /// let words = gate.command("/note", &around)?[0].outcome.answer();
    /// assert_eq!(words.as_deref(), Some("Write it."));
    /// let words = gate.command("/note", &around)?[0].outcome.answer();
    /// let denied = "not_allowed: `/note` is available only while there is no plan; the current plan is in OPEN";
    /// assert_eq!(words.as_deref(), Some(denied));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        match self {
            Outcome::Accepted(acceptance) if acceptance.runs.is_some() => None,
            Outcome::Accepted(acceptance) => Some(acceptance.answer()),
            Outcome::Run { .. } => None,
            Outcome::Denied(denial) => Some(denial.to_string()),
        }
    }

    /// Returns the host tool that the host may run, whether or not a machine has counted the call.
    #[must_use]
    pub fn runs(&self) -> Option<&str> {
        match self {
            Outcome::Accepted(acceptance) => acceptance.runs.as_deref(),
            Outcome::Run { tool, .. } => Some(tool),
            Outcome::Denied(_) => None,
        }
    }

    /// Returns whether a machine accepted the event.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Outcome::Accepted(_))
    }

    /// Removes and returns the effects, because a session delivers them separately.
    #[doc(hidden)]
    pub fn take_effects(&mut self) -> Vec<EffectView> {
        match self {
            Outcome::Accepted(acceptance) => std::mem::take(&mut acceptance.effects),
            Outcome::Run { .. } | Outcome::Denied(_) => Vec::new(),
        }
    }
}

impl Acceptance {
    /// Formats the reply: a string as it is, and any other value as JSON.
    #[must_use]
    pub fn answer(&self) -> String {
        let text = self.reply.as_text().map(str::to_owned);
        text.unwrap_or_else(|| self.reply.to_string())
    }
}
