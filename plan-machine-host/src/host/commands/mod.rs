//! Slash commands: the host's own, and those of the session's plans.

mod answers;
mod conversations;
mod deciding;
mod help;
mod memories;
mod plans;
mod unknown;

use plan_machine_sessions::SessionError;

use super::parts::Conversation;
use crate::chats::Transport;
use crate::error::HostError;
use crate::outgoing::Content;
use crate::words::in_a_line;
pub(crate) use answers::answered;
use answers::{LONGEST, is_not_found, is_stale};
use deciding::LineMeaning;
pub(crate) use help::{OWN, notation};
pub(crate) use unknown::{id_like, listed};

/// The host's own commands that take no arguments.
const ALONE: [&str; 5] = ["/sessions", "/where", "/help", "/quit", "/exit"];

/// The host's own commands that may run while a turn is in progress, whatever their arguments are.
pub(super) const WAIT_FOR_NOBODY: [&str; 8] = [
    "/new",
    "/sessions",
    "/switch",
    "/memory",
    "/promote",
    "/where",
    "/help",
    "/title",
];

/// Returns whether a line that does not run immediately is a command of the plans. The host's own commands are not, and
/// neither are `/reset` and `/plan` with a title in quotes.
pub(super) fn is_of_plans(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(word) = words.next().filter(|word| word.starts_with('/')) else {
        return false;
    };
    let mut own = OWN.iter().map(|(text, _)| *text);
    let is_own = if is_plan_word(word) {
        words.next().is_some_and(|next| is_word(next, "end")) || line.contains('"')
    } else {
        own.any(|text| text.split_whitespace().next() == Some(word))
    };
    !is_own && !word.eq_ignore_ascii_case("/reset")
}

impl Conversation<'_> {
    /// Runs one of the host's own commands; returns `None` if the line is not such a command.
    pub(super) async fn own_command(
        &self,
        transport: &Transport,
        line: &str,
    ) -> Option<Result<Vec<Content>, HostError>> {
        let mut words = line.splitn(2, char::is_whitespace);
        let (word, rest) = (words.next()?, words.next().unwrap_or_default().trim());
        let word = if is_plan_word(word) { "/plan" } else { word };
        if ALONE.contains(&word) && !rest.is_empty() {
            let found = in_a_line(rest, LONGEST);
            return Some(Err(HostError::input(format!(
                "`{word}` takes no arguments, found `{found}`"
            ))));
        }
        Some(match word {
            "/new" => self.begin(transport, rest),
            "/sessions" => Ok(self.conversations(transport)),
            "/switch" => self.switch(transport, rest).await,
            "/title" => self.title_command(rest),
            "/mode" if rest.is_empty() => {
                let mode = self.mode();
                Ok(vec![Content::Notice(format!("The mode is {mode}."))])
            }
            "/mode" => self.change_mode(rest).await,
            "/memory" => self.memory_command(rest),
            "/promote" => self.promote_command(rest),
            "/where" => self.where_plans_are().await,
            "/plan" if begins_with(rest, "show") => self.show_command(rest).await,
            "/help" => self.help().await,
            "/plan" if begins_with(rest, "end") => self.end_damaged(rest).await,
            "/reset" if rest.is_empty() => return self.start_over().await,
            _ => {
                let mut handlers = self.mode().handlers().iter();
                return match handlers.find_map(|handler| handler.command(self, line)) {
                    Some(said) => Some(said.await),
                    None => None,
                };
            }
        })
    }

    async fn change_mode(&self, name: &str) -> Result<Vec<Content>, HostError> {
        let mode = self.host.modes.named(name)?;
        let mut said = self.effects().await?;
        let chats = &self.host.chats;
        chats.set_mode(self.session.identity(), mode.name())?;
        self.session.reopen().await;
        // While the conversation was in another mode, the timers of this mode's plans did not fire.
        self.session.wake(self.host.now()).await?;
        let notice =
            format!("The mode is {mode}. Plans of other modes are kept until you switch back.");
        said.push(Content::Notice(notice));
        // Steps that were running when the user left this mode are no longer running.
        said.extend(self.take_up_plans().await?);
        said.extend(self.effects().await?);
        self.show_waiting(&mut said).await?;
        Ok(said)
    }

    /// Draws the machine of the mode, and those additional machines that have plans.
    async fn where_plans_are(&self) -> Result<Vec<Content>, HostError> {
        let of_mode = self.mode().plans().name;
        let mut drawn = self.diagrams().await?;
        drawn.retain(|diagram| !diagram.is_empty || diagram.machine == of_mode);
        let texts = drawn.iter().map(|diagram| Content::Diagram(diagram.text()));
        // Damaged plans do not appear in the diagrams.
        let damaged = self.report_damaged().await?;
        Ok(texts.chain(damaged).collect())
    }

    /// Describes what is wrong with a mistyped line. The line is not sent to the plans, because they would take it for
    /// another command.
    async fn mistyped(&self, line: &str) -> Result<Option<String>, HostError> {
        let (modes, mode) = (&self.host.modes, self.mode());
        let mut handlers = mode.handlers().iter();
        match handlers.find_map(|handler| handler.mistyped(modes, mode, line)) {
            Some(told) => Ok(Some(told)),
            None => self.explain_misnamed(line).await,
        }
    }

    /// Returns the plans' answer to a line if the plans refuse it now. A decision on a plan that the person has to read
    /// first is not refused.
    pub(super) async fn plans_refuse(&self, line: &str) -> Result<Option<Vec<Content>>, HostError> {
        let mode = self.mode();
        if let Some(told) = self.mistyped(line).await? {
            return Ok(Some(vec![Content::Error(told)]));
        }
        let waiting = self.waiting(line).await?;
        let shown = self.desk(|desk| desk.shown.clone());
        let LineMeaning::Line(sent) = self.decided(line, &waiting) else {
            // This check shows no cards, so the record of shown cards is restored.
            self.desk(|desk| desk.shown = shown);
            return Ok(None);
        };
        let context = self.context("user", None);
        let refused = self.session.refusal(&sent, &context).await?;
        let said = refused.map(|answers| {
            let said = answers
                .iter()
                .flat_map(|answer| answered(mode, answer, line));
            said.collect()
        });
        Ok(said)
    }

    /// Sends a line to the session's plans. The caller performs the effects that the plans emit.
    pub(super) async fn plan_command(&self, line: &str) -> Result<Vec<Content>, HostError> {
        let mode = self.mode();
        if let Some(told) = self.mistyped(line).await? {
            return Ok(vec![Content::Error(told)]);
        }
        let mut said = Vec::new();
        for handler in mode.handlers() {
            said.extend(handler.before_line(self).await?);
        }
        let waiting = self.waiting(line).await?;
        let sent = match self.decided(line, &waiting) {
            LineMeaning::Line(sent) => sent,
            LineMeaning::NothingShown(mut cards) => {
                self.add_damaged(line, &mut cards).await?;
                return Ok(cards);
            }
        };
        let is_reset = line.eq_ignore_ascii_case("/reset");
        let done = self
            .session
            .command(&sent, &self.context("user", None))
            .await;
        let done = match done {
            Ok(done) => done.answer,
            // In some modes, there is nothing to reset besides the conversation.
            Err(SessionError::NoCommand(_)) if is_reset => Vec::new(),
            Err(SessionError::NoCommand(error)) => {
                let error = error.to_string().replace(&sent, line);
                return Ok(vec![Content::Error(
                    self.explain_unknown(line, &error).await?,
                )]);
            }
            Err(error) => return Err(error.into()),
        };
        if done.iter().any(is_not_found)
            && let Some(told) = self.explain_named_elsewhere(line).await?
        {
            return Ok(vec![Content::Error(told)]);
        }
        let answers = done.iter().flat_map(|answer| answered(mode, answer, line));
        let mut answers: Vec<Content> = answers.collect();
        self.add_damaged(line, &mut answers).await?;
        if answers.iter().all(|one| !matches!(one, Content::Error(_))) {
            answers.extend(self.ended_instead(line).await?);
        }
        said.extend(self.say(answers));
        // The plan has changed since it was shown, and only the host has a record of the shown token.
        if sent != line && done.iter().any(is_stale) {
            self.show_waiting(&mut said).await?;
        }
        for handler in mode.handlers() {
            said.extend(handler.answered(self, line).await?);
        }
        if is_reset {
            if let Some(reset) = mode.handler().reset(self) {
                said.extend(reset.await?);
            } else {
                self.begin_history_anew()?;
                said.push(Content::Notice("Started the conversation over.".to_owned()));
            }
        }
        Ok(said)
    }
}

/// Returns whether a typed word is this word of a `/plan` command. Case is ignored, as it is in the commands of plans,
/// which also start with `/plan`.
pub(super) fn is_word(typed: &str, word: &str) -> bool {
    typed.eq_ignore_ascii_case(word)
}

/// Returns whether the first word of a line is `/plan`.
pub(super) fn is_plan_word(typed: &str) -> bool {
    is_word(typed, "/plan")
}

/// Returns whether a line starts with this word, regardless of case.
fn begins_with(line: &str, word: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(|first| is_word(first, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_own_plan_commands_are_known_in_capitals() {
        for line in ["/plan end plan-1", "/plan END plan-1", "/PLAN End plan-1"] {
            assert!(!is_of_plans(line), "{line}");
        }
        for line in ["/plan approve", "/PLAN APPROVE", "/plan endless"] {
            assert!(is_of_plans(line), "{line}");
        }
    }
}
