//! The runs that are going on.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan_machine::Id;
use plan_machine_sessions::SessionIdentity;
use plan_specs::auto_run::types::RunKind;
use tracing::Span;

use crate::observe;

/// After so many turns that went wrong, one after the other, a run is given up.
const FAILURES: u32 = 3;

/// What a run is about: it is carried from the tick to the last word.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// The session that started it, and the only one that hears of it.
    pub(super) session: SessionIdentity,
    /// Its identity.
    pub(super) id: String,
    /// Whether it belongs to a goal.
    kind: RunKind,
    /// The task.
    pub(super) task: Id,
    /// The goal.
    pub(super) goal: Option<Id>,
    /// What there is to do, as the user typed it.
    pub(super) instructions: String,
    /// It has its turn, and nobody has taken it yet.
    due: bool,
    /// How many turns it has had.
    pub(super) turns: u32,
    /// How many turns have gone wrong since one went well.
    failures: u32,
}

impl Run {
    pub(super) fn new(
        session: &SessionIdentity,
        id: &Id,
        kind: RunKind,
        task: Id,
        goal: Option<Id>,
        instructions: String,
    ) -> Self {
        Self {
            session: session.clone(),
            id: id.to_string(),
            kind,
            task,
            goal,
            instructions,
            due: false,
            turns: 0,
            failures: 0,
        }
    }

    /// What logs report of it.
    pub(super) fn span(&self) -> Span {
        let goal = self.goal.as_ref().map(ToString::to_string);
        let task = self.task.to_string();
        observe::run_span(&self.id, self.kind.as_str(), goal.as_deref(), &task)
    }
}

/// The runs that are going on, by session and run.
#[derive(Debug, Default)]
pub(super) struct Runs(Mutex<BTreeMap<(SessionIdentity, String), Run>>);

impl Runs {
    fn all(&self) -> MutexGuard<'_, BTreeMap<(SessionIdentity, String), Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run was started.
    pub(super) fn enter(&self, run: Run) {
        let key = (run.session.clone(), run.id.clone());
        let (kind, channel) = (run.kind, run.session.channel().to_owned());
        // Entered twice is entered once: an effect may be delivered again.
        if self.all().insert(key, run).is_none() {
            observe::run_started(kind.as_str(), &channel);
        }
    }

    /// A run has its turn.
    pub(super) fn due(&self, session: &SessionIdentity, run: &str) {
        if let Some(run) = self.all().get_mut(&(session.clone(), run.to_owned())) {
            run.due = true;
        }
    }

    /// A run is over.
    pub(super) fn leave(&self, session: &SessionIdentity, run: &str, outcome: &str) {
        if let Some(run) = self.all().remove(&(session.clone(), run.to_owned())) {
            observe::run_completed(run.kind.as_str(), outcome);
        }
    }

    /// The runs that are going on.
    pub(super) fn going_on(&self) -> Vec<Run> {
        self.all().values().cloned().collect()
    }

    /// Whether a run is going on.
    pub(super) fn has(&self, run: &Run) -> bool {
        let key = (run.session.clone(), run.id.clone());
        self.all().contains_key(&key)
    }

    /// A turn of a run went wrong, or well; whether it cannot go on.
    pub(super) fn has_broken(&self, run: &Run, failed: bool) -> bool {
        let key = (run.session.clone(), run.id.clone());
        let mut all = self.all();
        let Some(run) = all.get_mut(&key) else {
            return false;
        };
        run.failures = if failed { run.failures + 1 } else { 0 };
        run.failures >= FAILURES
    }

    /// Takes the turn of a run, if it has one.
    pub(super) fn take(&self, run: &Run) -> Option<Run> {
        let mut all = self.all();
        let run = all.get_mut(&(run.session.clone(), run.id.clone()))?;
        if !std::mem::take(&mut run.due) {
            return None;
        }
        run.turns += 1;
        Some(run.clone())
    }
}
