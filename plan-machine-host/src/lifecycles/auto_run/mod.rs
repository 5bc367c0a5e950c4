//! Runs that work in the background: one turn of the model whenever a timer of the run is due.

mod memories;
mod run;
mod turn;

use std::pin::Pin;

use plan_machine::Json;
use plan_machine::command::nearest;
use plan_machine::machine::Denial;
use plan_machine::{DenialKind, Id};
use plan_machine_sessions::SessionIdentity;
use plan_specs::auto_run::{Effect, Event, Machine, State};
use tracing::Instrument as _;

use crate::error::HostError;
use crate::host::{Attendant, ContentFuture, Conversation, Handler, Host, Mode, Modes};
use crate::outgoing::{Content, Outgoing};
use crate::words::{QUOTED, in_a_line};
use run::{Run, Runs};

/// The maximum number of characters of a task shown in a list.
const LONGEST: usize = 1000;

/// The maximum number of typed characters that a message repeats.
const TYPED: usize = 60;

/// The handler of `auto_run`.
#[derive(Debug, Default)]
pub struct AutoRuns(Runs);

impl Handler for AutoRuns {
    type Machine = Machine;

    fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: Effect) -> ContentFuture<'a> {
        let session = at.session.identity();
        Box::pin(async move {
            Ok(match effect {
                Effect::RunStarted {
                    run,
                    kind,
                    task,
                    goal,
                    instructions,
                } => {
                    let stops = format!("`/auto off {run}` stops the run.");
                    let instructions = instructions.unwrap_or_default();
                    self.0
                        .enter(Run::new(session, &run, kind, task, goal, instructions));
                    vec![Content::Notice(stops)]
                }
                // There is nothing to do: the state of the run already shows that a turn is due, whichever process has
                // fired the timer.
                Effect::TaskDue { .. } => Vec::new(),
                Effect::Message { run, text, .. } => vec![Content::Run {
                    run: run.to_string(),
                    text,
                }],
                Effect::RunOver { run, outcome, .. } => {
                    self.0.leave(session, run.as_str(), &outcome);
                    // Only a person can stop a run, and that person gets the reply.
                    if outcome == State::Stopped.as_str() {
                        return Ok(Vec::new());
                    }
                    over(at, &run, &outcome).await?
                }
            })
        })
    }
}

impl Attendant for AutoRuns {
    fn noun(&self) -> &'static str {
        "run"
    }

    /// Ends the runs of the previous process: runs are not resumed.
    fn take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(async move {
            let mut said = Vec::new();
            for run in at.session.plans_of::<Machine>().await? {
                if matches!(run.state, State::Running | State::Working) {
                    let stopped = at.signal::<Machine>(&run.id, Event::Interrupted).await?;
                    // The run may have ended since it was looked up.
                    said.extend(stopped.report_unless_over(&format!("{} did not stop", run.id)));
                }
            }
            Ok(said)
        })
    }

    fn restarted(&self, session: &SessionIdentity) {
        for run in self.0.going_on() {
            if run.session == *session {
                self.0.leave(session, &run.id, "interrupted");
            }
        }
    }

    fn tick<'a>(
        &'a self,
        host: &'a Host,
    ) -> Pin<Box<dyn Future<Output = Vec<Outgoing>> + Send + 'a>> {
        Box::pin(async move {
            let mut out = Vec::new();
            for run in self.0.going_on() {
                let at = host.conversation(&run.session);
                let turn = turn::turn(&self.0, &at, &run);
                let said = turn.instrument(run.span()).await;
                let said = said.unwrap_or_else(|error| vec![Content::Error(error.to_string())]);
                out.extend(Outgoing::all(&run.session, said));
            }
            out
        })
    }

    /// Reports the active runs, which do not continue: the next host ends them when it takes over their sessions.
    fn ending(&self) -> Vec<Outgoing> {
        let runs = self.0.going_on().into_iter();
        let told = runs.map(|run| {
            let id = &run.id;
            let told = format!("The run {id} stops here; runs are not resumed at the next start.");
            Outgoing::new(&run.session, Content::Notice(told))
        });
        told.collect()
    }

    fn mistyped(&self, _: &Modes, _: &Mode, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [first, second, option, rest @ ..] = &words[..] else {
            return None;
        };
        let starts = first.eq_ignore_ascii_case("/auto") && second.eq_ignore_ascii_case("on");
        starts
            .then(|| wrong_option(option, rest.is_empty()))
            .flatten()
    }

    /// Formats the list of active runs, one per line.
    fn reply(&self, reply: &Json) -> Option<Content> {
        let runs = reply.as_list()?;
        if runs.is_empty() {
            return Some(Content::Notice("No run is active.".to_owned()));
        }
        let runs: Option<Vec<String>> = runs.iter().map(in_words).collect();
        runs.map(Content::List)
    }

    fn denial(&self, denial: &Denial, line: &str) -> Option<String> {
        if denial.kind != DenialKind::NotAllowed {
            return None;
        }
        let run = line.split_whitespace().nth(2)?;
        let mut states = State::ALL.iter();
        let state = states.find(|state| state.as_str() == denial.state.as_str())?;
        let how = match state {
            State::Completed => "it was completed",
            State::Failed => "it failed",
            State::Stopped => "it was stopped",
            State::Running | State::Working => return None,
        };
        Some(format!("{run} has already ended: {how}"))
    }
}

/// Describes how a run ended: why it failed, or its final text.
async fn over(at: &Conversation<'_>, run: &Id, outcome: &str) -> Result<Vec<Content>, HostError> {
    let runs = at.session.plans_of::<Machine>().await?;
    let data = runs.iter().find(|one| one.id == *run).map(|one| &one.data);
    let why = data.and_then(|data| data.error.as_deref());
    let why = why.map_or_else(String::new, |why| {
        format!(", {}", in_a_line(why, QUOTED).trim_end_matches('.'))
    });
    let over = Content::Notice(format!("The run {run} is over: {outcome}{why}."));
    let words = data.and_then(|data| data.result.clone());
    let words = words.map(|text| Content::Run {
        run: run.to_string(),
        text,
    });
    Ok(words.into_iter().chain([over]).collect())
}

/// Formats a run for a list.
fn in_words(run: &Json) -> Option<String> {
    let field = |key: &str| run.as_object()?.get(key)?.as_text();
    let (id, state) = (field("id")?, field("state")?);
    let task = in_a_line(field("instructions").unwrap_or("no task"), LONGEST);
    Some(match field("goal") {
        Some(goal) => format!("{id} is {state} for the goal {goal}: {task}"),
        None => format!("{id} is {state}: {task}"),
    })
}

/// Describes the error in the first word after `/auto on` if that word looks like an option.
fn wrong_option(word: &str, is_last: bool) -> Option<String> {
    const GOAL: &str = "`/auto on --goal GOAL INSTRUCTIONS...`";
    if word.eq_ignore_ascii_case("--goal") {
        return is_last.then(|| format!("`--goal` needs a goal and instructions: {GOAL}"));
    }
    let name = word.trim_start_matches(['-', '–', '—']);
    if name == word || !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let typed = in_a_line(word, TYPED);
    let name = name.split('=').next().unwrap_or(name);
    let meant = match nearest(name, ["goal"]) {
        Some(_) => format!("did you mean {GOAL}?"),
        None => format!("the only option is {GOAL}."),
    };
    Some(format!(
        "`/auto on` has no option `{typed}`; {meant} (If the instructions start with that word, put it in quotes.)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::modes_of_shipped_specs;

    fn refused(line: &str) -> Option<String> {
        let modes = modes_of_shipped_specs();
        let mode = modes.named("work_by_plan").expect("a mode");
        AutoRuns::default().mistyped(&modes, mode, line)
    }

    #[test]
    fn what_looks_like_an_option_is_one_or_is_refused() {
        for line in [
            "/auto on --gaol ship Count.",
            "/auto on -goal ship Count.",
            "/auto on —goal ship Count.",
            "/auto on --goal=ship Count.",
        ] {
            let told = refused(line).expect(line);
            assert!(
                told.contains("did you mean `/auto on --goal GOAL INSTRUCTIONS...`?"),
                "{told}"
            );
        }
        assert!(refused("/auto on --quiet Count.").is_some());
        assert!(refused("/auto on --goal").is_some());
        for line in [
            "/auto on --goal ship Count.",
            "/auto on Count --gaol.",
            "/auto on -5 is cold: say why.",
            "/auto on - milk",
            "/auto on \"--gaol\" is a word.",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }
}
