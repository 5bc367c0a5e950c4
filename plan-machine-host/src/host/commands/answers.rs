//! Formats the plans' answers for people.

use plan_machine::gate::CommandAnswer;
use plan_machine::machine::{Acceptance, Denial, Outcome};
use plan_machine::{DenialKind, Json};

use super::super::mode::END_WORDS;
use super::super::parts::Mode;
use super::super::signal::why;
use crate::outgoing::Content;
use crate::words::{in_a_line, in_sentence_case, state_in_words};

/// The maximum number of characters of a value shown in a reply.
pub(super) const LONGEST: usize = 1000;

/// Returns whether a decision was about an outdated version of the plan.
pub(super) fn is_stale(answer: &CommandAnswer) -> bool {
    matches!(&answer.outcome, Outcome::Denied(denial) if denial.kind == DenialKind::Stale)
}

/// Returns whether the machine has no plan with the id that a command names.
pub(super) fn is_not_found(answer: &CommandAnswer) -> bool {
    matches!(&answer.outcome, Outcome::Denied(denial) if denial.kind == DenialKind::NotFound)
}

/// Formats the answer to a line that a person typed.
pub(crate) fn answered(mode: &Mode, answer: &CommandAnswer, line: &str) -> Vec<Content> {
    let handler = mode.handler_of(&answer.machine);
    vec![match &answer.outcome {
        Outcome::Accepted(acceptance) if acceptance.runs.is_some() => {
            let tool = acceptance.runs.as_deref().unwrap_or_default();
            Content::Notice(format!("`{tool}` may run."))
        }
        // A state name is meant for programs; the plan's effects tell the user what happened.
        Outcome::Accepted(acceptance) if is_state_name(acceptance) => return Vec::new(),
        Outcome::Accepted(acceptance) => {
            match handler.and_then(|handler| handler.reply(&acceptance.reply)) {
                Some(said) => said,
                None if acceptance.reply == Json::List(Vec::new()) => {
                    Content::Notice("The list is empty.".to_owned())
                }
                None => return in_words(&with_spoken_state(mode, answer, acceptance)),
            }
        }
        Outcome::Run { tool, .. } => Content::Notice(format!("`{tool}` may run.")),
        Outcome::Denied(denial) if denial.kind == DenialKind::Stale => {
            let again = why(denial).replace(
                "review the plan again",
                "review the plan again with `/plan show`",
            );
            Content::Error(again)
        }
        // A damaged plan has no state that a handler could explain.
        Outcome::Denied(denial) if is_damage(denial) => Content::Error(why(denial)),
        Outcome::Denied(denial) => {
            let in_words = handler.and_then(|handler| handler.denial(denial, line));
            Content::Error(in_words.unwrap_or_else(|| why(denial)))
        }
    }]
}

/// Returns whether a command was denied because the plan is damaged.
fn is_damage(denial: &Denial) -> bool {
    denial.messages.iter().any(|text| text.contains(END_WORDS))
}

/// Returns whether a machine replied with nothing but the name of the plan's state.
fn is_state_name(acceptance: &Acceptance) -> bool {
    let mut plans = acceptance.plans.iter().chain(&acceptance.ended);
    plans.any(|plan| acceptance.reply.as_text() == Some(&*plan.state))
}

/// Returns a machine's reply. If the reply starts with the name of the plan's state and a colon, the name is replaced by
/// words: `PARTIALLY_COMPLETED: 1 of 2 done` becomes `Partially completed: 1 of 2 done`.
fn with_spoken_state(mode: &Mode, answer: &CommandAnswer, acceptance: &Acceptance) -> Json {
    let mut plans = acceptance.plans.iter().chain(&acceptance.ended);
    let spoken = plans.find_map(|plan| {
        let text = acceptance.reply.as_text()?.strip_prefix(&*plan.state)?;
        let rest = text.strip_prefix(':')?;
        let machine = mode
            .tables()
            .find(|machine| machine.name == answer.machine)?;
        let state = in_sentence_case(&state_in_words(machine, &plan.state));
        Some(Json::Text(format!("{state}:{rest}")))
    });
    spoken.unwrap_or_else(|| acceptance.reply.clone())
}

/// Formats a reply. If the reply is a string, only its first line is shown as the host's own text; the other lines are
/// shown as text from the plan.
fn in_words(reply: &Json) -> Vec<Content> {
    let text = reply.as_text().and_then(|text| text.split_once('\n'));
    let Some((first, rest)) = text else {
        return vec![Content::List(lines(reply))];
    };
    let said = Content::Output {
        from: "the plan".to_owned(),
        text: rest.trim_start_matches('\n').to_owned(),
    };
    vec![Content::Notice(in_a_line(first, LONGEST)), said]
}

/// Formats a reply for people, one item per line.
fn lines(reply: &Json) -> Vec<String> {
    match reply {
        Json::List(items) => items.iter().map(told).collect(),
        other => vec![told(other)],
    }
}

/// Formats a value for people: its items or fields, separated by commas.
fn told(reply: &Json) -> String {
    match reply {
        Json::Text(text) => in_a_line(text, LONGEST),
        Json::List(items) => items.iter().map(told).collect::<Vec<_>>().join(", "),
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{key}: {}", told(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
