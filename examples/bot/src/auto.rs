//! Runs that work by themselves: a registry, ticks, and one turn of the model for each tick.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan_machine::gate::{EventContext, Trail};
use plan_machine::{Id, Object};
use plan_machine_sessions::observe;
use plan_machine_sessions::{Session, SessionIdentity};
use plan_specs::auto_run::types::RunKind;
use plan_specs::memory::{GoalId, GoalRun, Identity, TaskId, TaskRun};

use crate::bot::Bot;
use crate::delivery::cards_last;
use crate::model::short;
use crate::outgoing::{Outgoing, Said};
use crate::turn::Work;

/// How many characters a run says at a time; what is longer is said in parts.
const LONGEST: usize = 20_000;

/// How many characters of an error a run keeps.
const LONGEST_ERROR: usize = 2000;

/// How many characters of each turn a run remembers.
const SHORT: usize = 300;

/// After so many turns that went wrong, one after the other, a run is given up.
const FAILURES: u32 = 3;

/// What a run is about: it is carried from the tick to the last word.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The session that started it, and the only one that hears of it.
    pub session: SessionIdentity,
    /// Its identity.
    pub run: String,
    /// Whether it belongs to a goal.
    pub kind: RunKind,
    /// The task.
    pub task: Id,
    /// The goal.
    pub goal: Option<Id>,
    /// What there is to do, as the user typed it.
    pub instructions: String,
    /// It has its turn, and nobody has taken it yet.
    pub due: bool,
    /// How many turns it has had.
    pub turns: u32,
    /// How many turns have gone wrong since one went well.
    pub failures: u32,
}

impl Run {
    /// What logs tell of it.
    fn trail(&self) -> Trail {
        Trail {
            run_id: Some(self.run.clone()),
            run_kind: Some(self.kind.as_str().to_owned()),
            goal_id: self.goal.as_ref().map(ToString::to_string),
            task_id: Some(self.task.to_string()),
            transport_chat: None,
        }
    }
}

/// The runs that are going on.
#[derive(Debug, Default)]
pub struct Runs(Mutex<BTreeMap<(SessionIdentity, String), Run>>);

impl Runs {
    fn all(&self) -> MutexGuard<'_, BTreeMap<(SessionIdentity, String), Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run was started.
    pub fn enter(&self, run: Run) {
        let key = (run.session.clone(), run.run.clone());
        let (kind, channel) = (run.kind, run.session.channel().to_owned());
        // Entered twice is entered once: an effect may be handed out again.
        if self.all().insert(key, run).is_none() {
            observe::run_started(kind.as_str(), &channel);
        }
    }

    /// A run has its turn.
    pub fn due(&self, session: &SessionIdentity, run: &str) {
        if let Some(run) = self.all().get_mut(&(session.clone(), run.to_owned())) {
            run.due = true;
        }
    }

    /// A run is over.
    pub fn leave(&self, session: &SessionIdentity, run: &str, outcome: &str) {
        if let Some(run) = self.all().remove(&(session.clone(), run.to_owned())) {
            observe::run_completed(run.kind.as_str(), outcome);
        }
    }

    /// The runs that are going on.
    #[must_use]
    pub fn going_on(&self) -> Vec<Run> {
        self.all().values().cloned().collect()
    }

    /// Whether a run is going on.
    #[must_use]
    pub fn has(&self, session: &SessionIdentity, run: &str) -> bool {
        self.all().contains_key(&(session.clone(), run.to_owned()))
    }

    /// A turn of a run went wrong, or well; whether it cannot go on.
    pub fn has_broken(&self, run: &Run, failed: bool) -> bool {
        let key = (run.session.clone(), run.run.clone());
        let mut all = self.all();
        let Some(run) = all.get_mut(&key) else {
            return false;
        };
        run.failures = if failed { run.failures + 1 } else { 0 };
        run.failures >= FAILURES
    }

    /// Takes the turn of a run, if it has one.
    pub fn take(&self, session: &SessionIdentity, run: &str) -> Option<Run> {
        let mut all = self.all();
        let run = all.get_mut(&(session.clone(), run.to_owned()))?;
        if !std::mem::take(&mut run.due) {
            return None;
        }
        run.turns += 1;
        Some(run.clone())
    }
}

impl Bot {
    /// Gives every run its turn, and lets the model work on those that have one. What comes of it goes to
    /// the sessions that started them.
    pub async fn tick(&self) -> Vec<Outgoing> {
        let mut out = Vec::new();
        for run in self.runs.going_on() {
            let session = self.sessions.session(&run.session);
            let said = self.work(&session, &run).await;
            let said = said.unwrap_or_else(|error| vec![Said::Error(error)]);
            out.extend(Outgoing::all(&run.session, said));
        }
        let out = cards_last(out);
        self.was_shown(&out);
        out
    }

    /// One turn of a run. A run that was stopped meanwhile takes nothing any more, so it says nothing.
    async fn work(&self, session: &Session, run: &Run) -> Result<Vec<Said>, String> {
        let tell = |signal: &'static str, with: Object| {
            self.signal_of(
                session,
                run.trail(),
                "AutoRun",
                signal,
                run.run.as_str(),
                with,
            )
        };
        // A run that was stopped meanwhile takes nothing and says nothing; any other refusal is reported.
        let not_taken = |what: &str| format!("the run {} did not take its {what}", run.run);
        let ticked = tell("tick", Object::new()).await?;
        if !ticked.is_accepted() {
            let refused = ticked.report_unless_over(&not_taken("turn"));
            return Ok(refused.into_iter().collect());
        }
        let mut said = self.effects(session).await?;
        let Some(run) = self.runs.take(&run.session, &run.run) else {
            return Ok(said);
        };
        let listed = self.list_work(&run.session, &run.run, "running");
        // Whoever stopped the run before it was in the list could not stop this.
        self.stop_given_up(session).await?;
        let mut work = Work {
            session,
            history: self.history(&format!("{}#{}", run.session, run.run))?,
            memories: self.run_memories(&run)?,
            notes: Vec::new(),
            trail: run.trail(),
            stop: listed.stop.clone(),
        };
        let turn = self.turn(&mut work, &asked(&run)).await?;
        let error = turn.iter().find_map(|said| match said {
            Said::Error(why) => Some(why.clone()),
            _ => None,
        });
        for one in turn {
            let Said::Model(text) = one else {
                // What went wrong with a run that was stopped meanwhile is of no interest any more.
                if !matches!(one, Said::Error(_)) || self.runs.has(&run.session, &run.run) {
                    said.push(one);
                }
                continue;
            };
            let text = self.keep(&run, &text)?;
            if let Some(result) = text.strip_prefix("DONE:") {
                let result: String = result.trim().chars().take(LONGEST).collect();
                let taken = tell("finished", Object::from_iter([("result", result)])).await?;
                said.extend(taken.report_unless_over(&not_taken("result")));
                continue;
            }
            let text: Vec<char> = text.chars().collect();
            for part in text.chunks(LONGEST) {
                let part: String = part.iter().collect();
                let taken = tell("produced", Object::from_iter([("text", part)])).await?;
                said.extend(taken.report_unless_over(&not_taken("words")));
            }
        }
        if self.runs.has_broken(&run, error.is_some()) {
            let why: String = error
                .unwrap_or_default()
                .chars()
                .take(LONGEST_ERROR)
                .collect();
            let taken = tell("broke", Object::from_iter([("error", why)])).await?;
            said.extend(taken.report_unless_over(&not_taken("failure")));
        }
        said.extend(self.effects(session).await?);
        Ok(said)
    }

    /// What a run remembers: its task, its goal if it has one, its session, everybody.
    fn run_memories(&self, run: &Run) -> Result<Vec<String>, String> {
        let items = match scopes(run)? {
            Scopes::Goal(run) => self.memory.recall(&run)?,
            Scopes::Task(run) => self.memory.recall(&run)?,
        };
        Ok(items.into_iter().map(|item| item.text).collect())
    }

    /// Keeps what a run has said: how far it is and its notes with the task, its decisions with the goal. Gives the
    /// words for people.
    fn keep(&self, run: &Run, text: &str) -> Result<String, String> {
        let scopes = scopes(run)?;
        let now = EventContext::now().now;
        let intermediate = |text: &str| match &scopes {
            Scopes::Goal(of) => self
                .memory
                .remember(&of.write_intermediate(), text, &run.run, now),
            Scopes::Task(of) => self
                .memory
                .remember(&of.write_intermediate(), text, &run.run, now),
        };
        let mut words = Vec::new();
        for line in text.lines() {
            match (Kept::of(line), &scopes) {
                (Some(Kept::Decision(decision)), Scopes::Goal(of)) => {
                    let to = of.write_decision();
                    self.memory.remember(&to, decision, &run.run, now)?;
                }
                (Some(Kept::Note(kept) | Kept::Decision(kept)), _) => intermediate(kept)?,
                (None, _) => words.push(line),
            }
        }
        let words = if words.len() == text.lines().count() {
            text.to_owned()
        } else {
            words.join("\n").trim().to_owned()
        };
        if !words.trim().is_empty() {
            intermediate(&format!("Turn {}: {}", run.turns, short(&words, SHORT)))?;
        }
        Ok(words)
    }
}

/// A line of a run that is kept and not said.
enum Kept<'t> {
    Note(&'t str),
    Decision(&'t str),
}

impl<'t> Kept<'t> {
    fn of(line: &'t str) -> Option<Self> {
        let line = line.trim();
        let note = line.strip_prefix("NOTE:").map(Self::Note);
        note.or_else(|| line.strip_prefix("DECISION:").map(Self::Decision))
            .map(|kept| match kept {
                Self::Note(text) => Self::Note(text.trim()),
                Self::Decision(text) => Self::Decision(text.trim()),
            })
    }
}

/// The memory of a run.
enum Scopes {
    Goal(GoalRun),
    Task(TaskRun),
}

fn scopes(run: &Run) -> Result<Scopes, String> {
    let told = |error: plan_machine::scope::ScopeError| error.to_string();
    let session = &run.session;
    let identity = Identity::new(session.channel(), session.conversation()).map_err(told)?;
    let task = TaskId::new(run.task.as_str()).map_err(told)?;
    Ok(match &run.goal {
        Some(goal) => {
            let goal = GoalId::new(goal.as_str()).map_err(told)?;
            Scopes::Goal(GoalRun::new(identity, goal, task))
        }
        None => Scopes::Task(TaskRun::new(identity, task)),
    })
}

/// What the model is asked in a turn of a run. What it said in earlier turns is in the run's history.
fn asked(run: &Run) -> String {
    let (task, turn) = (&run.instructions, run.turns);
    let goal = run.goal.as_ref().map_or_else(String::new, |goal| {
        format!("The task serves the goal {goal}, as other tasks may; a line `DECISION: …` is kept for all of them.\n")
    });
    format!(
        "Go on with the task: {task}\n{goal}This is turn {turn}. A line `NOTE: …` is kept for your later turns. Answer `DONE: …` when the task is finished."
    )
}
