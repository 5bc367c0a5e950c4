//! The memory of a run: its progress and notes belong to the task, and its decisions to the goal. A run without a goal
//! stores its decisions as notes.

use plan_specs::memory::{GoalId, GoalRun, TaskId, TaskRun};

use super::run::Run;
use crate::error::HostError;
use crate::host::Conversation;
use crate::words::short;

/// The maximum number of characters of each turn that a run stores.
const SHORT: usize = 300;

/// The scopes that a run writes to.
enum Scopes {
    Goal(GoalRun),
    Task(TaskRun),
}

fn scopes(at: &Conversation<'_>, run: &Run) -> Result<Scopes, HostError> {
    let (identity, task) = (at.identity()?, TaskId::new(run.task.as_str())?);
    Ok(match &run.goal {
        Some(goal) => {
            let goal = GoalId::new(goal.as_str())?;
            Scopes::Goal(GoalRun::new(identity, goal, task))
        }
        None => Scopes::Task(TaskRun::new(identity, task)),
    })
}

/// Returns the memories of a run: those of its task, of its goal if it has one, of its session, and
/// the global ones.
pub(super) fn recall(at: &Conversation<'_>, run: &Run) -> Result<Vec<String>, HostError> {
    let memory = at.host.memory();
    let items = match scopes(at, run)? {
        Scopes::Goal(run) => memory.recall(&run)?,
        Scopes::Task(run) => memory.recall(&run)?,
    };
    Ok(items.into_iter().map(|item| item.text).collect())
}

/// Stores the text of a run's turn in the run's memory. Returns the part of the text that is shown to people.
pub(super) fn keep(at: &Conversation<'_>, run: &Run, text: &str) -> Result<String, HostError> {
    let memory = at.host.memory();
    let scopes = scopes(at, run)?;
    let now = at.host.now();
    let intermediate = |text: &str| match &scopes {
        Scopes::Goal(of) => memory.remember(&of.write_intermediate(), text, &run.id, now),
        Scopes::Task(of) => memory.remember(&of.write_intermediate(), text, &run.id, now),
    };
    let mut words = Vec::new();
    for line in text.lines() {
        match (Line::of(line), &scopes) {
            (Line::Decision(decision), Scopes::Goal(of)) => {
                memory.remember(&of.write_decision(), decision, &run.id, now)?;
            }
            (Line::Note(kept) | Line::Decision(kept), _) => intermediate(kept)?,
            (Line::Words, _) => words.push(line),
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

/// A line of a run's text. Notes and decisions are stored but not shown.
enum Line<'t> {
    Note(&'t str),
    Decision(&'t str),
    Words,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let line = line.trim();
        if let Some(note) = line.strip_prefix("NOTE:") {
            return Self::Note(note.trim());
        }
        let decision = line.strip_prefix("DECISION:");
        decision.map_or(Self::Words, |text| Self::Decision(text.trim()))
    }
}
