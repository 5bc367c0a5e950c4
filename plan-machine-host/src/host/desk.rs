//! The data that a host keeps about one session, apart from the session's plans.

use std::collections::HashMap;
use std::sync::Arc;

use plan_machine::Token;
use plan_machine::description::Description;
use plan_machine_sessions::EffectId;

use crate::stop::Stop;

/// The data that a host keeps about one session, apart from the session's plans.
#[derive(Clone, Default)]
pub(super) struct Desk {
    /// Allows one turn at a time.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// Stops the model's turn, if one is in progress.
    pub(super) stop_turn: Option<Stop>,
    /// Allows one task at a time to perform the plans' effects.
    pub(super) effects_lock: Arc<tokio::sync::Mutex<()>>,
    /// Whether the task that holds `effects_lock` must look for more effects before it releases the lock.
    pub(super) more: bool,
    /// The work in progress on plans, which can be stopped.
    pub(super) work: Vec<UnderWay>,
    pub(super) shown: ShownCards,
    /// Effects that were performed, but whose content has not been shown yet.
    pub(super) unshown: Vec<EffectId>,
    /// The plan whose recorded call is in progress. If the holder of `effects_lock` finds a plan here, the call was
    /// interrupted.
    pub(super) under_way: Option<String>,
}

/// Work on a plan. The work is stopped as soon as the condition in `ground` no longer holds.
#[derive(Clone)]
pub(super) struct UnderWay {
    pub(super) ground: Ground,
    pub(super) stop: Stop,
}

/// A condition that must hold while work continues.
#[derive(Clone)]
pub(super) enum Ground {
    /// The plan is in the state in which the work started.
    State {
        machine: &'static str,
        plan: String,
        state: &'static str,
    },
    /// The machine has a plan that has not ended. This need not be the plan that the machine had at the start, because
    /// the model may replace the plan that it works on.
    LivePlan(&'static Description),
}

/// The cards that a person was shown.
#[derive(Clone, Default)]
pub(super) struct ShownCards {
    /// Maps plans to the tokens of the content that was shown.
    pub(super) tokens: HashMap<String, String>,
    /// The plan that was shown last, or `None` if no plan was shown, or if several plans were shown together.
    pub(super) last: Option<String>,
}

impl ShownCards {
    /// Returns the full token that was shown, given the eight digits that a person typed. If no token with these digits
    /// was shown, returns the typed token.
    pub(super) fn in_full(&self, typed: Token) -> String {
        let shown = self.tokens.values().filter_map(|token| token.parse().ok());
        let mut meant = shown.filter(|shown: &Token| typed.fits(*shown));
        meant.next().unwrap_or(typed).to_string()
    }

    /// Forgets all shown plans except these.
    pub(super) fn keep(&mut self, plans: &[&str]) {
        let counts = |plan: &str| plans.contains(&plan);
        self.tokens.retain(|plan, _| counts(plan));
        self.last.take_if(|plan| !counts(plan));
    }

    /// Records that a plan was shown.
    pub(super) fn remember(&mut self, plan: &str, token: &str) {
        self.tokens.insert(plan.to_owned(), token.to_owned());
        self.last = Some(plan.to_owned());
    }
}
