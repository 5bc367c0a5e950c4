//! One turn of a run.

use plan_machine::Record;
use plan_specs::auto_run::{Event, Machine, State, event};

use super::memories;
use super::run::{Run, Runs, Turn};
use crate::error::HostError;
use crate::host::{Conversation, Work};
use crate::outgoing::Content;

/// The maximum length of one message of a run, in characters. Longer messages are split; a longer result is cut off.
const LONGEST: usize = 20_000;

/// The maximum number of characters of an error that a run stores.
const LONGEST_ERROR: usize = 2000;

/// The prefix of the answer that ends a run.
const DONE: &str = "DONE:";

/// Gives a run its turn, if one is due. Afterwards, the plan is notified that the turn is over, even if the turn
/// failed: otherwise, no other turn would ever be due.
pub(super) async fn turn(
    runs: &Runs,
    at: &Conversation<'_>,
    run: &Run,
) -> Result<Vec<Content>, HostError> {
    let plans = at.session.plans_of::<Machine>().await?;
    let is_due = |plan: &Record<Machine>| plan.id == *run.id && plan.state == State::Working;
    let mut said = Vec::new();
    if plans.iter().any(is_due)
        && let Some(run) = runs.take(run)
    {
        let worked = work(runs, at, &run).await;
        runs.note(&run, Some(Turn::Over));
        said.extend(worked.unwrap_or_else(|error| vec![Content::Error(error.to_string())]));
    }
    if runs.is_to_rest(run) {
        let over = at.signal::<Machine>(&run.id, Event::Worked).await?;
        runs.note(run, None);
        said.extend(over.report_unless_over(&not_taken(run, "the end of its turn")));
    }
    Ok(said)
}

/// Lets the model work on a run. If the run denies a signal, the denial is reported, unless the run was stopped in the
/// meantime.
async fn work(runs: &Runs, at: &Conversation<'_>, run: &Run) -> Result<Vec<Content>, HostError> {
    let entry = at.enter_work::<Machine>(&run.id, State::Working);
    // A stop that arrived before the work was added to the list of work has not taken effect yet.
    at.stop_given_up().await?;
    let mut work = Work {
        history: at.host.history(&format!("{}#{}", run.session, run.id))?,
        memories: memories::recall(at, run)?,
        notes: Vec::new(),
        is_background: true,
        stop: entry.stop.clone(),
    };
    let turn = at.turn(&mut work, &asked(run)).await?;
    let error = turn.iter().find_map(|said| match said {
        Content::Error(why) => Some(why.clone()),
        _ => None,
    });
    let mut said = Vec::new();
    for one in turn {
        match one {
            Content::Model(text) => said.extend(produce(at, run, &text).await?),
            // Errors of a run that was stopped in the meantime no longer matter.
            Content::Error(_) if !runs.has(run) => {}
            other => said.push(other),
        }
    }
    if runs.has_broken(run, error.is_some()) {
        let why = error.unwrap_or_default();
        let error = why.chars().take(LONGEST_ERROR).collect();
        let broke = Event::Broke(event::Broke { error });
        let taken = at.signal::<Machine>(&run.id, broke).await?;
        said.extend(taken.report_unless_over(&not_taken(run, "its failure")));
    }
    said.extend(at.effects().await?);
    Ok(said)
}

/// Passes the text of a run to its plan, which emits the text as an effect.
async fn produce(at: &Conversation<'_>, run: &Run, text: &str) -> Result<Vec<Content>, HostError> {
    let text = memories::keep(at, run, text)?;
    if let Some(result) = text.strip_prefix(DONE) {
        let result = result.trim().chars().take(LONGEST).collect();
        let finished = Event::Finished(event::Finished {
            result: Some(result),
        });
        let taken = at.signal::<Machine>(&run.id, finished).await?;
        let denied = taken.report_unless_over(&not_taken(run, "its result"));
        return Ok(denied.into_iter().collect());
    }
    let mut said = Vec::new();
    let text: Vec<char> = text.chars().collect();
    for part in text.chunks(LONGEST) {
        let text = part.iter().collect();
        let produced = Event::Produced(event::Produced { text });
        let taken = at.signal::<Machine>(&run.id, produced).await?;
        said.extend(taken.report_unless_over(&not_taken(run, "its message")));
    }
    Ok(said)
}

fn not_taken(run: &Run, what: &str) -> String {
    format!("the run {} did not accept {what}", run.id)
}

/// Returns the prompt for a turn of a run. The answers of earlier turns are in the run's history.
fn asked(run: &Run) -> String {
    let (task, turn) = (&run.instructions, run.turns);
    let goal = run.goal.as_ref().map_or_else(String::new, |goal| {
        format!("The task serves the goal {goal}, which other tasks may share; a line `DECISION: …` is stored for all of these tasks.\n")
    });
    format!(
        "Continue with the task: {task}\n{goal}This is turn {turn}. A line `NOTE: …` is stored for your later turns. Answer `DONE: …` when the task is finished."
    )
}
