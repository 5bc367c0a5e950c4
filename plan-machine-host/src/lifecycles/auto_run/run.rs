//! The active runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan_machine::Id;
use plan_machine_sessions::SessionIdentity;
use plan_specs::auto_run::types::RunKind;
use tracing::Span;

use crate::observe;

/// The number of consecutive failed turns after which a run is stopped.
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
    /// Whether the run is due for a turn that it has not taken yet.
    due: bool,
    /// The number of turns that the run has taken.
    pub(super) turns: u32,
    /// The number of failed turns since the last success.
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

    /// Marks a run as due for a turn.
    pub(super) fn due(&self, session: &SessionIdentity, run: &str) {
        if let Some(run) = self.all().get_mut(&(session.clone(), run.to_owned())) {
            run.due = true;
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

    /// Counts a failed or successful turn of a run; returns whether the run must stop.
    pub(super) fn has_broken(&self, run: &Run, failed: bool) -> bool {
        let key = (run.session.clone(), run.id.clone());
        let mut all = self.all();
        let Some(run) = all.get_mut(&key) else {
            return false;
        };
        run.failures = if failed { run.failures + 1 } else { 0 };
        run.failures >= FAILURES
    }

    /// Counts a turn of a run that is due, and returns the run; returns `None` if the run is not due.
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
