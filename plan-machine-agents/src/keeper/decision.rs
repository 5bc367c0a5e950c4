//! The decisions that a person can make about a plan.

use plan_machine_kernel::digest::Token;

/// The decision of a person about a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanDecision {
    /// The plan may be carried out.
    Approve,
    /// The plan must not be carried out, for this reason.
    Reject(String),
}

impl PlanDecision {
    /// Returns whether an event with this name expresses this decision.
    pub(super) fn is_named(&self, event: &str) -> bool {
        let word = match self {
            Self::Approve => "approve",
            Self::Reject(_) => "reject",
        };
        event.split('_').any(|part| part == word)
    }

    /// Returns the line of a command for a plan, as a person would type it.
    pub(super) fn line(&self, text: &str, prefix: char, token: Token, plan: &str) -> String {
        let reason = match self {
            Self::Approve => "",
            Self::Reject(reason) => reason,
        };
        let mut words = Vec::new();
        for word in text
            .replacen('/', &prefix.to_string(), 1)
            .split_whitespace()
        {
            words.push(match word {
                "{token?}" => String::from(token),
                "{plan_id}" | "{plan_id?}" => plan.to_owned(),
                word if word.starts_with('{') => reason.to_owned(),
                word => word.to_owned(),
            });
        }
        words.join(" ").trim_end().to_owned()
    }
}
