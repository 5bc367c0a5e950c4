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

/// The kind of a line that was sent to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A command of a machine.
    Command,
    /// A request for the cards, or for the states if there are no cards. If a machine has such a command, the line is a
    /// `Command` instead.
    Show,
    /// An unknown command whose first word is the first word of a known command.
    Mistyped(String),
    /// Any other line, which is a message.
    Message,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandResult {
    /// The text that the person gets.
    pub(super) text: String,
    /// Whether a decision about a reviewed plan was accepted.
    pub(super) is_accepted_decision: bool,
    /// Whether at least one machine has accepted the command.
    pub(super) is_accepted: bool,
}

/// Returns the texts of a machine's commands.
pub(super) fn texts(tables: &'static Description) -> impl Iterator<Item = &'static str> {
    tables.events.iter().filter_map(|event| match event.kind {
        EventKind::Command { text, .. } => Some(text),
        _ => None,
    })
}

/// Returns the kind of a text. Only a single line can be a command, and only if it begins with the prefix and the first
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
        let mut reviews = session.at_gate(|gate| reviewed(gate, line)).await?;
        // A timer that is due may replace the plan, and the person has not seen the replacement. So it must fire before
        // the token is compared with the plans.
        if !reviews.is_empty() && session.wake(around.now).await?.answer > 0 {
            reviews = session.at_gate(|gate| reviewed(gate, line)).await?;
        }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;
    use std::{fs, path::Path};

    use plan_machine_kernel::time::Instant;
    use tokio::runtime::Builder;

    use super::*;
    use crate::keeper::{Delivery, identity};
    use crate::project::{self, Documents, Site, StateFolder};

    const SESSION: &str = "\
session: Leases
machines: { work: lease.yaml }
calls: \"plan-specs:codex\"
commands: { prefix: \".\" }
";

    const MACHINE: &str = "\
machine: Lease
review: [text]
data: { text: string }
commands:
  write: \"/work write {text}\"
  approve: { text: \"/work approve {token}\", reviewed: true }
states:
  none: { on: { write: { to: READY, set: { text: event.text } } } }
  READY: { on: { approve: APPROVED } }
  APPROVED: { after: { 8h: { to: EXPIRED, next: READY } } }
  EXPIRED: { final: true }
";

    fn gated(place: &Path) -> (StateFolder, Site) {
        let home = StateFolder::at(place.join("state"));
        let documents = place.join(project::FOLDER);
        fs::create_dir_all(&documents).expect("a folder");
        fs::write(documents.join(project::DOCUMENT), SESSION).expect("a document");
        fs::write(documents.join("lease.yaml"), MACHINE).expect("a document");
        let site = Site::of_project(&home, place);
        let (documents, _) = Documents::prove(&site).expect("proved documents");
        project::trust(&site, &documents).expect("trusted documents");
        (home, site)
    }

    #[test]
    fn a_plan_that_replaces_an_expired_approval_cannot_be_approved_before_it_was_shown() {
        let place = tempfile::tempdir().expect("a folder");
        let (home, site) = gated(place.path());
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let keeper = Keeper::open(&home, site, place.path())
                .await
                .expect("a gate");
            let name = identity("codex", "talk").expect("an identity");
            let session = keeper.session(&name);
            let now = EventContext::now();
            let nine_hours = now.now.since_1970() + Duration::from_secs(9 * 3600);
            let later = Instant::from_since_1970(nine_hours).expect("an instant");
            let later = EventContext::at(later);
            let send = async |line: &str, around| {
                let result = keeper.command(&session, line, around, true).await;
                result.expect("an answer")
            };
            assert!(send(".work write hello", &now).await.is_accepted);
            let view = keeper.view(&name).await.expect("a view");
            let card = &view.cards[0];
            let shown = Delivery::of(&name, card, "prompt");
            keeper.delivered(&[shown]).expect("a delivery");
            assert!(
                send(&format!(".work approve {}", card.token), &now)
                    .await
                    .is_accepted
            );

            // The successor has the same content and the next edition, so its token can be guessed.
            let (edition, digest) = card.token.split_once('-').expect("a token");
            let edition: u32 = edition.parse().expect("an edition");
            let guessed = format!(".work approve {}-{digest}", edition + 1);
            let refused = send(&guessed, &later).await;
            assert!(!refused.is_accepted, "{refused:?}");
            assert!(refused.text.contains("has not shown you"), "{refused:?}");
            let state = session.at_gate(|gate| {
                gate.machines()[0]
                    .plans()
                    .last()
                    .map(|plan| plan.state.clone())
            });
            assert_eq!(state.await.expect("a plan"), Some("READY".into()));
            keeper.close().await.expect("a closed store");
        });
    }
}
