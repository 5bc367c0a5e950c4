//! The planner: a person talks to it, and it builds plans with tools.
//!
//! The planner works in **planner sessions**. Each planner session has its own history, and a plan records the planner
//! session in which it was started: a message that names the plan continues that session. `/reset` starts a new
//! planner session.
//!
//! The planner's answer is text, a reference to a plan, a failure or an interruption. A reference is checked against
//! the stored plans before it is used.

use plan_machine::Record;
use plan_machine_sessions::SessionIdentity;
use plan_specs::plan_builder::{Machine, State};

use super::answer::{self, Answer};
use crate::error::HostError;
use crate::history::History;
use crate::host::{Conversation, is_said};
use crate::outgoing::Content;
use crate::words::{in_a_line, sentence};

/// The maximum number of times the host asks a planner for an answer to one message. If an answer is wrong, the host
/// asks again.
const ANSWERS: usize = 2;

/// The maximum number of characters of a planner's text that the host quotes in a sentence.
const LONGEST: usize = 500;

/// The prompt that explains to a planner how to answer.
const CONTRACT: &str = "\
When you are done, answer in words, or with one of these JSON objects and nothing else: \
`{\"type\": \"plan\", \"plan_id\": …, \"status\": \"draft\" or \"proposal\"}` for a plan that you have worked on, with the \
status that its tools returned; `{\"type\": \"failure\", \"reason\": …}` if you cannot make a plan; \
`{\"type\": \"interruption\", \"reason\": …}` if you need something from the user before you can continue.";

/// Lets the planner answer a message, and checks the answer.
pub(super) async fn turn(at: &Conversation<'_>, line: &str) -> Result<Vec<Content>, HostError> {
    let mut said = enter_session(at, line).await?;
    let mut work = at.work(&thread(at), &mut said)?;
    work.notes = notes(at).await?;
    let mut asked = line.to_owned();
    for _ in 0..ANSWERS {
        let mut turn = at.stoppable_turn(&mut work, &asked).await?;
        let (answer, words) = match turn.last() {
            Some(Content::Model(text)) => answer::read(text),
            _ => (Answer::Words, String::new()),
        };
        if answer != Answer::Words {
            turn.pop();
        }
        said.append(&mut turn);
        if !words.is_empty() {
            said.push(Content::Model(words));
        }
        let Some(wrong) = check(at, answer, &mut said).await? else {
            return Ok(said);
        };
        let told = in_a_line(&wrong, LONGEST);
        said.push(Content::Error(format!(
            "the planner's answer is wrong: {told}"
        )));
        asked = format!(
            "Your answer was not accepted: {wrong}. Correct the answer, or report the plan as it is stored."
        );
    }
    Ok(said)
}

/// Handles an answer; if the answer is wrong, returns the reason.
async fn check(
    at: &Conversation<'_>,
    answer: Answer,
    said: &mut Vec<Content>,
) -> Result<Option<String>, HostError> {
    let (id, status) = match answer {
        Answer::Words => return Ok(None),
        Answer::Text(text) => {
            said.push(Content::Model(text));
            return Ok(None);
        }
        Answer::Failure(reason) => {
            let why = in_a_line(&reason, LONGEST);
            said.push(Content::Error(format!(
                "the planner could not make a plan: {why}"
            )));
            return Ok(None);
        }
        Answer::Interruption(reason) => {
            let why = sentence(&in_a_line(&reason, LONGEST));
            said.push(Content::Notice(format!(
                "The planner needs an answer: {why} Drafts are kept; answer to continue."
            )));
            return Ok(None);
        }
        Answer::Malformed(why) => return Ok(Some(why)),
        Answer::Plan { id, status } => (id, status),
    };
    let plans = at.session.plans_of::<Machine>().await?;
    let Some(plan) = plans.iter().find(|plan| plan.id == id.as_str()) else {
        return Ok(Some(format!("there is no plan {id}")));
    };
    let stored = plan.state.as_str();
    if stored != status {
        let wrong = format!(
            "{id} was reported with the status `{status}`, but its stored status is `{stored}`"
        );
        return Ok(Some(wrong));
    }
    let goal = in_a_line(&plan.data.goal, LONGEST);
    said.push(Content::Notice(format!(
        "The status of {id} is `{status}`: {goal}"
    )));
    if plan.state == State::Proposal {
        show(at, &id, said).await?;
    }
    Ok(None)
}

/// Shows a proposal that is waiting for the user, even if its card was shown long ago.
async fn show(at: &Conversation<'_>, id: &str, said: &mut Vec<Content>) -> Result<(), HostError> {
    let plans = at.session.plans().await?;
    let mut plans = plans.iter().filter(|held| held.plan.id == id);
    if let Some(held) = plans.find(|held| !is_said(said, held)) {
        said.push(at.show(held));
    }
    Ok(())
}

/// Switches to the planner session of the plan that a message names.
async fn enter_session(at: &Conversation<'_>, line: &str) -> Result<Vec<Content>, HostError> {
    let (identity, chats) = (at.session.identity(), at.host.chats());
    let words: Vec<&str> = line
        .split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .collect();
    let plans = at.session.plans_of::<Machine>().await?;
    let mut named = plans
        .iter()
        .filter(|plan| words.contains(&plan.id.as_str()));
    let Some(plan) = named.next() else {
        return Ok(Vec::new());
    };
    let begun_in = begun_in(identity, plan);
    let Some(begun_in) = begun_in.filter(|number| *number != chats.planner(identity)) else {
        return Ok(Vec::new());
    };
    chats.set_planner(identity, begun_in)?;
    Ok(vec![Content::Notice(format!(
        "Continuing in planner session {begun_in}, where {} was started.",
        plan.id
    ))])
}

/// Starts a new planner session. Its number follows that of the last planner session in which a plan was started. If
/// there is already a session with this number, it has no plans, and its history is discarded.
pub(super) async fn begin_session(at: &Conversation<'_>) -> Result<Vec<Content>, HostError> {
    let identity = at.session.identity();
    let plans = at.session.plans_of::<Machine>().await?;
    let known = plans.iter().filter_map(|plan| begun_in(identity, plan));
    let last = known.max().unwrap_or_default();
    at.host.chats().set_planner(identity, last + 1)?;
    History::begin_anew(&at.host.history_file(&thread(at)))?;
    let mut notice = "Started the conversation over.".to_owned();
    if last > 0 {
        notice.push_str(" Name a plan, such as `plan-1`, to continue in the planner session in which it was started.");
    }
    Ok(vec![Content::Notice(notice)])
}

/// Returns the name of a conversation's planner session, as plans refer to it.
pub(super) fn session(at: &Conversation<'_>) -> String {
    let identity = at.session.identity();
    reference(identity.conversation(), at.host.chats().planner(identity))
}

/// Returns the name of the history of a conversation's planner session.
fn thread(at: &Conversation<'_>) -> String {
    let identity = at.session.identity();
    reference(&identity.to_string(), at.host.chats().planner(identity))
}

/// Returns the notes for the planner: how to answer, and the state of its session's plans.
async fn notes(at: &Conversation<'_>) -> Result<Vec<String>, HostError> {
    let here = session(at);
    let plans = at.session.plans_of::<Machine>().await?;
    let is_here =
        |plan: &&Record<Machine>| plan.data.planner_session.as_deref() == Some(here.as_str());
    let lines: Vec<String> = plans.iter().filter(is_here).map(note).collect();
    let mut notes = vec![CONTRACT.to_owned()];
    if !lines.is_empty() {
        notes.push(format!(
            "The plans of this conversation:\n{}",
            lines.join("\n")
        ));
    }
    Ok(notes)
}

/// Returns the number of the planner session in which a plan was started.
fn begun_in(session: &SessionIdentity, plan: &Record<Machine>) -> Option<u32> {
    number(session, plan.data.planner_session.as_deref()?)
}

/// Returns the name of the planner session with this number. The first one has the name of the conversation itself.
fn reference(conversation: &str, number: u32) -> String {
    match number {
        0 | 1 => conversation.to_owned(),
        number => format!("{conversation}#{number}"),
    }
}

/// Returns the number of a planner session of a conversation, given its name.
fn number(session: &SessionIdentity, reference: &str) -> Option<u32> {
    let rest = reference.strip_prefix(session.conversation())?;
    match rest.strip_prefix('#') {
        None => rest.is_empty().then_some(1),
        Some(number) => number.parse().ok(),
    }
}

/// Summarizes a plan in one line, including why the user rejected it and which steps failed.
fn note(plan: &Record<Machine>) -> String {
    let (state, data) = (plan.state.as_str(), &plan.data);
    let mut line = format!("- {}, {state}: {}", plan.id, data.goal);
    if let Some(rejection) = &data.rejection {
        line = format!("{line}. The user rejected it: {rejection}");
    }
    for (at, step) in (1..).zip(&data.steps) {
        if let Some(error) = &step.error {
            line = format!("{line}. Step {at} failed: {error}");
        }
    }
    line
}
