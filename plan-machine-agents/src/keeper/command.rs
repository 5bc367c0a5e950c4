//! The commands that a person types.

use plan_machine::description::{Description, EventKind};
use plan_machine::gate::{CommandAnswer, EventContext, Gate};
use plan_machine::machine::Outcome;
use plan_machine_kernel::denial::joined;
use plan_machine_kernel::session::CommandPrefix;
use plan_machine_sessions::{Session, SessionError};

use super::error::GateError;
use super::open::Keeper;
use super::reviewed::reviewed;

/// The second words of the lines that request the cards, such as `/plan show`.
const SHOW: [&str; 2] = ["show", "status"];

/// What a line means to the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A command of a machine.
    Command,
    /// A request for the cards, or for the states if there are no cards. If a machine has such a command, the line is a
    /// `Command` instead.
    Show,
    /// An unknown command whose first word is the first word of a known command.
    Mistyped(String),
    /// Anything else.
    Message,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandResult {
    /// The text for the person.
    pub(super) text: String,
    /// Whether a decision about a reviewed plan was accepted.
    pub(super) is_accepted_decision: bool,
    /// Whether anything was accepted.
    pub(super) is_accepted: bool,
}

/// Returns the texts of a machine's commands.
pub(super) fn texts(tables: &'static Description) -> impl Iterator<Item = &'static str> {
    tables.events.iter().filter_map(|event| match event.kind {
        EventKind::Command { text, .. } => Some(text),
        _ => None,
    })
}

/// Returns what a text means. Only a single line can be a command, and only if it begins with the prefix and the first
/// word of a command, because a message may begin with `.gitignore`.
pub(super) fn kind(gate: &Gate, prefix: CommandPrefix, text: &str) -> LineKind {
    let line = text.trim();
    if line.contains(['\n', '\r']) || !line.starts_with(prefix.as_char()) {
        return LineKind::Message;
    }
    let Err(unknown) = gate.machines_for(line) else {
        return LineKind::Command;
    };
    let mut words = line[prefix.as_char().len_utf8()..].split_whitespace();
    let first = words.next().unwrap_or_default();
    let mut machines = gate.machines().iter();
    let known = machines.any(|machine| {
        texts(machine.description()).any(|text| {
            let word = text.trim_start_matches('/').split_whitespace().next();
            word.is_some_and(|word| word.eq_ignore_ascii_case(first))
        })
    });
    match words.next() {
        _ if !known => LineKind::Message,
        Some(word) if SHOW.contains(&word) && words.next().is_none() => LineKind::Show,
        _ => LineKind::Mistyped(unknown.to_string()),
    }
}

impl Keeper {
    /// Sends a person's command. A decision about a plan is accepted only if exactly this plan was shown before. `shown`
    /// says whether the agent shows the answers to prompts.
    pub(super) async fn command(
        &self,
        session: &Session,
        line: &str,
        around: &EventContext,
        shown: bool,
    ) -> Result<CommandResult, GateError> {
        let line = line.trim();
        let reviews = session.at_gate(|gate| reviewed(gate, line)).await?;
        for review in &reviews {
            if let Some(text) = self.not_shown(session.identity(), review, shown)? {
                return Ok(CommandResult {
                    text,
                    is_accepted_decision: false,
                    is_accepted: false,
                });
            }
        }
        let answers = match session.command(line, around).await {
            Ok(done) => done.answer,
            Err(SessionError::NoCommand(unknown)) => {
                return Ok(CommandResult {
                    text: unknown.to_string(),
                    is_accepted_decision: false,
                    is_accepted: false,
                });
            }
            Err(error) => return Err(error.into()),
        };
        let accepted = |answer: &CommandAnswer| !matches!(answer.outcome, Outcome::Denied(_));
        let is_accepted = answers.iter().any(accepted);
        let texts = answers
            .iter()
            .filter_map(|answer| in_words(&answer.outcome));
        Ok(CommandResult {
            text: texts.collect::<Vec<_>>().join("\n"),
            is_accepted_decision: is_accepted && !reviews.is_empty(),
            is_accepted,
        })
    }
}

/// Returns the answer for a person. The kind of a denial is left out, because it only helps models.
fn in_words(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Denied(denial) => Some(joined(&denial.messages)),
        outcome => outcome.answer(),
    }
}

/// Returns whether a command only shows the plan.
pub(super) fn is_show(line: &str) -> bool {
    line.split_whitespace().nth(1) == Some(SHOW[0])
}
