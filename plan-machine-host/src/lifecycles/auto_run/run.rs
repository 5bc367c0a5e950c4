//! The active runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan_machine::Id;
use plan_machine_sessions::SessionIdentity;
use plan_specs::auto_run::types::RunKind;
use tracing::Span;

use crate::observe;

/// The number of consecutive failed turns after which a run fails.
const FAILURES: u32 = 3;

/// The data of an active run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// The session that started the run. No other session receives the messages of the run.
    pub(super) session: SessionIdentity,
    /// The id of the run.
    pub(super) id: String,
    /// Whether the run belongs to a goal.
    kind: RunKind,
    /// The id of the task.
    pub(super) task: Id,
    /// The id of the goal, if the run belongs to one.
    pub(super) goal: Option<Id>,
    /// The instructions, as the user typed them.
    pub(super) instructions: String,
    /// The current turn of the run, or a turn that is over if the run's plan has not been notified yet that it is over.
    turn: Option<Turn>,
    /// The number of turns that the run has taken.
    pub(super) turns: u32,
    /// The number of failed turns since the last success.
    failures: u32,
}

/// The progress of a run's turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turn {
    /// The model is working on the turn.
    AtWork,
    /// The model has stopped, but the plan has not been notified yet.
    Over,
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
            turn: None,
            turns: 0,
            failures: 0,
        }
    }

    /// Returns the span that identifies the run in logs.
    pub(super) fn span(&self) -> Span {
        let goal = self.goal.as_ref().map(ToString::to_string);
        let task = self.task.to_string();
        observe::run_span(&self.id, self.kind.as_str(), goal.as_deref(), &task)
    }
}

/// The active runs, by session and run id.
#[derive(Debug, Default)]
pub(super) struct Runs(Mutex<BTreeMap<(SessionIdentity, String), Run>>);

impl Runs {
    fn all(&self) -> MutexGuard<'_, BTreeMap<(SessionIdentity, String), Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run that was started.
    pub(super) fn enter(&self, run: Run) {
        let key = (run.session.clone(), run.id.clone());
        let (kind, channel) = (run.kind, run.session.channel().to_owned());
        // An effect may be delivered again; the run is counted as started only once.
        if self.all().insert(key, run).is_none() {
            observe::run_started(kind.as_str(), &channel);
        }
    }

    /// Removes a run that is over.
    pub(super) fn leave(&self, session: &SessionIdentity, run: &str, outcome: &str) {
        if let Some(run) = self.all().remove(&(session.clone(), run.to_owned())) {
            observe::run_completed(run.kind.as_str(), outcome);
        }
    }

    /// Returns the active runs.
    pub(super) fn going_on(&self) -> Vec<Run> {
        self.all().values().cloned().collect()
    }

    /// Returns whether a run is active.
    pub(super) fn has(&self, run: &Run) -> bool {
        let key = (run.session.clone(), run.id.clone());
        self.all().contains_key(&key)
    }

    /// Counts a failed or successful turn of a run; returns whether the run has failed.
    pub(super) fn has_broken(&self, run: &Run, failed: bool) -> bool {
        let key = (run.session.clone(), run.id.clone());
        let mut all = self.all();
        let Some(run) = all.get_mut(&key) else {
            return false;
        };
        run.failures = if failed { run.failures + 1 } else { 0 };
        run.failures >= FAILURES
    }

    /// Starts a turn of a run, counts it, and returns the run; returns `None` if the run is over or already has a turn.
    pub(super) fn take(&self, run: &Run) -> Option<Run> {
        let mut all = self.all();
        let run = all.get_mut(&(run.session.clone(), run.id.clone()))?;
        if run.turn.is_some() {
            return None;
        }
        run.turn = Some(Turn::AtWork);
        run.turns += 1;
        Some(run.clone())
    }

    /// Returns whether the plan of a run must still be notified that a turn is over.
    pub(super) fn is_to_rest(&self, run: &Run) -> bool {
        let key = (run.session.clone(), run.id.clone());
        let all = self.all();
        all.get(&key)
            .is_some_and(|run| run.turn == Some(Turn::Over))
    }

    /// Records the progress of a run's turn; `None` means that the plan has been notified that the turn is over.
    pub(super) fn note(&self, run: &Run, turn: Option<Turn>) {
        if let Some(run) = self.all().get_mut(&(run.session.clone(), run.id.clone())) {
            run.turn = turn;
        }
    }
}
