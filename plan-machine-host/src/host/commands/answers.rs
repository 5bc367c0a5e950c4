//! What a person reads of the plans' answers.

use plan_machine::gate::CommandAnswer;
use plan_machine::machine::{Acceptance, Outcome};
use plan_machine::{DenialKind, Json};

use super::super::parts::Mode;
use super::super::signal::why;
use crate::outgoing::Content;
use crate::words::in_a_line;

/// How many characters of a value a reply shows.
pub(super) const LONGEST: usize = 1000;

/// Whether a decision was about something else than the plan as it is.
pub(super) fn is_stale(answer: &CommandAnswer) -> bool {
    matches!(&answer.outcome, Outcome::Denied(denial) if denial.kind == DenialKind::Stale)
}

/// What a person reads of the answer to a line.
pub(crate) fn answered(mode: &Mode, answer: &CommandAnswer, line: &str) -> Vec<Content> {
    let handler = mode.handler_of(&answer.machine);
    vec![match &answer.outcome {
        // The name of a state is for programs; what the plan asks for then says in words what has happened.
        Outcome::Accepted(taken) if is_state_name(taken) => return Vec::new(),
        Outcome::Accepted(taken) => match handler.and_then(|handler| handler.reply(&taken.reply)) {
            Some(said) => said,
            None if taken.reply == Json::List(Vec::new()) => {
                Content::Notice("There are no runs.".to_owned())
            }
            None => return in_words(&taken.reply),
        },
        Outcome::Run { tool, .. } => Content::Notice(format!("`{tool}` may run.")),
        Outcome::Denied(denial) if denial.kind == DenialKind::Stale => {
            let again = why(denial).replace("review it again", "review it again with `/plan show`");
            Content::Error(again)
        }
        Outcome::Denied(denial) => {
            let in_words = handler.and_then(|handler| handler.denial(denial, line));
            Content::Error(in_words.unwrap_or_else(|| why(denial)))
        }
    }]
}

/// Whether a machine has replied with nothing but the state that the plan is in.
fn is_state_name(taken: &Acceptance) -> bool {
    let mut plans = taken.plans.iter().chain(&taken.ended);
    plans.any(|plan| taken.reply.as_text() == Some(&*plan.state))
}

/// A reply in words of the host. What a text has below its first line is what the plan says.
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

/// A reply as people read it, its items on lines of their own.
fn lines(reply: &Json) -> Vec<String> {
    match reply {
        Json::List(items) => items.iter().map(told).collect(),
        other => vec![told(other)],
    }
}

/// A value as people read it: items and fields one after the other.
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
