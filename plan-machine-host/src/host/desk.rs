//! What a host has of one session beside its plans.

use std::collections::HashMap;
use std::sync::Arc;

use plan_machine::Token;
use plan_machine_sessions::EffectId;

use crate::stop::Stop;

/// What a host has of one session beside its plans.
#[derive(Clone, Default)]
pub(super) struct Desk {
    /// One turn at a time.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// One at a time does what the plans ask for.
    pub(super) hands: Arc<tokio::sync::Mutex<()>>,
    /// Somebody has left more to do to whoever has the hands.
    pub(super) more: bool,
    /// Work on plans that can be stopped.
    pub(super) work: Vec<UnderWay>,
    pub(super) shown: Shown,
    /// Effects that are done, whose words have not been shown yet.
    pub(super) unshown: Vec<EffectId>,
    /// The plan of which a recorded call is being made. Whoever has the hands and finds one knows that the call
    /// was interrupted.
    pub(super) under_way: Option<String>,
}

/// Work on a plan. It is stopped as soon as the plan is not in the state any more in which it began.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    pub(super) plan: String,
    pub(super) state: &'static str,
    pub(super) stop: Stop,
}

/// The cards that a person was shown.
#[derive(Clone, Default)]
pub(super) struct Shown {
    /// From plans to the tokens of what was shown.
    pub(super) tokens: HashMap<String, String>,
    /// The plan that was shown last; none where several were shown at once.
    pub(super) last: Option<String>,
}

impl Shown {
    /// The token that was shown with all of its digits, where a person has typed eight of them.
    pub(super) fn in_full(&self, typed: Token) -> String {
        let shown = self.tokens.values().filter_map(|token| token.parse().ok());
        let mut meant = shown.filter(|shown: &Token| typed.fits(*shown));
        meant.next().unwrap_or(typed).to_string()
    }

    /// Of what was shown, only these plans still count.
    pub(super) fn keep(&mut self, plans: &[&str]) {
        let counts = |plan: &str| plans.contains(&plan);
        self.tokens.retain(|plan, _| counts(plan));
        self.last.take_if(|plan| !counts(plan));
    }

    /// Remembers that a plan was shown.
    pub(super) fn remember(&mut self, plan: &str, token: &str) {
        self.tokens.insert(plan.to_owned(), token.to_owned());
        self.last = Some(plan.to_owned());
    }
}
