//! What an outcome is to whoever sent the event.

#[cfg(feature = "sessions")]
use super::EffectView;
use super::{Outcome, Taken};

impl Outcome {
    /// What the sender is answered: the reply, or why the event was denied; nothing where a tool of the
    /// host has yet to run, which answers for itself.
    ///
    /// ```
    /// use plan_machine::gate::{Gate, Surroundings};
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
    /// let mut gate = Gate::new().with(note::Machine).open()?;
    /// let around = Surroundings::default();
    /// let words = gate.command("/note", &around)?[0].outcome.answer();
    /// assert_eq!(words.as_deref(), Some("Write it."));
    /// let words = gate.command("/note", &around)?[0].outcome.answer();
    /// let denied = "not_allowed: `/note` is not available: there is already a plan, in OPEN";
    /// assert_eq!(words.as_deref(), Some(denied));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        match self {
            Outcome::Accepted(taken) => Some(taken.answer()),
            Outcome::Run { .. } => None,
            Outcome::Denied(denial) => Some(denial.to_string()),
        }
    }

    /// Whether a machine took the event.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Outcome::Accepted(_))
    }

    /// Takes the effects out: a session delivers them another way.
    #[cfg(feature = "sessions")]
    pub(crate) fn take_effects(&mut self) -> Vec<EffectView> {
        match self {
            Outcome::Accepted(taken) => std::mem::take(&mut taken.effects),
            Outcome::Run { .. } | Outcome::Denied(_) => Vec::new(),
        }
    }
}

impl Taken {
    /// The reply in words: a text as it is, anything else as JSON.
    #[must_use]
    pub fn answer(&self) -> String {
        let text = self.reply.as_text().map(str::to_owned);
        text.unwrap_or_else(|| self.reply.to_string())
    }
}
