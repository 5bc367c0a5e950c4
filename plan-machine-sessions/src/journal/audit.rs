//! The audit log of a session: who did what to which plan.

use plan_machine_kernel::time::Instant;

use super::entry::Entry;
use plan_machine::Id;
use plan_machine::machine::ShownToken;

/// One line of an audit log: who sent which event, and which plans it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// The number of the entry.
    pub seq: u64,
    /// When the event was sent.
    pub at: Instant,
    /// The actor who sent the event, if known.
    pub actor: Option<String>,
    /// The name of the machine; empty if the entry begins a turn or restarts the session.
    pub machine: String,
    /// The name of the event or tool that was sent.
    pub event: String,
    /// The plans that the event changed, and their states after the event.
    pub plans: Vec<(Id, String)>,
    /// The token that was sent with the event. It identifies the version of the plan that the actor had seen. The word
    /// `current` means the version that was current when the event was sent.
    pub token: Option<String>,
}

impl AuditLine {
    /// Returns the audit line of an entry.
    #[must_use]
    pub fn of(entry: &Entry) -> Self {
        let step = &entry.step;
        let plans = step.acceptance.ended.iter().chain(&step.acceptance.plans);
        let plans: Vec<_> = plans
            .map(|plan| (plan.id.clone(), plan.state.to_string()))
            .collect();
        Self {
            seq: entry.seq,
            at: step.at,
            actor: step.actor.clone(),
            machine: step.machine.to_string(),
            event: entry.event().to_owned(),
            plans,
            token: match &step.call.token {
                ShownToken::Missing => None,
                ShownToken::Current => Some("current".to_owned()),
                ShownToken::Shown(token) => Some(token.clone()),
            },
        }
    }
}
