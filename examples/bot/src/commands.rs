//! What a person types after a slash: the bot's own commands, and those of the session's plans.

use plan_machine::Token;
use plan_machine::description::EventKind;
use plan_machine::gate::Answer;
use plan_machine::machine::Outcome;
use plan_machine::session::{Session, SessionError};

use crate::bot::Bot;
use crate::chats::Transport;
use crate::history::History;
use crate::mode::Mode;
use crate::outgoing::Said;

/// The bot's own commands, and what each does.
const OWN: [(&str, &str); 7] = [
    ("/new [MODE]", "Begin a new conversation."),
    ("/sessions", "List the conversations of this chat."),
    ("/switch NAME", "Go on with another conversation."),
    (
        "/mode [MODE]",
        "Show the mode, or plan in another way: work_by_plan, plan_mode or plan_builder.",
    ),
    (
        "/memory [TEXT]",
        "Show what is remembered here, or remember something.",
    ),
    (
        "/promote NUMBER",
        "Let every conversation remember an item of /memory.",
    ),
    ("/help", "Show what can be typed now."),
];

impl Bot {
    /// Does what a line asks for; `None` where it is none of the bot's own commands.
    pub(crate) async fn own_command(
        &self,
        transport: &Transport,
        session: &Session,
        line: &str,
    ) -> Option<Result<Vec<Said>, String>> {
        let mut words = line.splitn(2, char::is_whitespace);
        let (word, rest) = (words.next()?, words.next().unwrap_or_default().trim());
        Some(match word {
            "/new" => self.begin(transport, rest),
            "/sessions" => Ok(self.conversations(transport, session)),
            "/switch" => self.chats.switch(transport, rest).map(|session| {
                let name = session.conversation().to_owned();
                vec![Said::Notice(format!("This is {name} now."))]
            }),
            "/mode" if rest.is_empty() => {
                let mode = self.chats.mode(session.identity());
                Ok(vec![Said::Notice(format!("The mode is {mode}."))])
            }
            "/mode" => self.change_mode(session, rest).await,
            "/memory" => self.memory_command(session, rest),
            "/promote" => self.promote_command(session, rest),
            "/help" => self.help(session).await,
            _ => return None,
        })
    }

    fn begin(&self, transport: &Transport, mode: &str) -> Result<Vec<Said>, String> {
        let mode = if mode.is_empty() {
            Mode::default()
        } else {
            mode.parse()?
        };
        let session = self.chats.begin(transport, mode)?;
        let name = session.conversation();
        Ok(vec![Said::Notice(format!(
            "A new conversation, {name}, in the mode {mode}."
        ))])
    }

    fn conversations(&self, transport: &Transport, active: &Session) -> Vec<Said> {
        let all = self.chats.conversations(&transport.channel);
        let lines = all.iter().map(|(session, mode)| {
            let mark = if session == active.identity() {
                "*"
            } else {
                " "
            };
            format!("{mark} {}  {mode}", session.conversation())
        });
        vec![Said::Notice(lines.collect::<Vec<_>>().join("\n"))]
    }

    async fn change_mode(&self, session: &Session, mode: &str) -> Result<Vec<Said>, String> {
        let mode: Mode = mode.parse()?;
        self.chats.set_mode(session.identity(), mode)?;
        session.reopen().await;
        Ok(vec![Said::Notice(format!(
            "The mode is {mode}. Plans of another mode are kept until it is back."
        ))])
    }

    async fn help(&self, session: &Session) -> Result<Vec<Said>, String> {
        let shown = session.at_gate(|gate| {
            let machines = gate.machines().iter();
            let events = machines.flat_map(|machine| machine.description().events);
            let commands = events.filter_map(|event| match event.kind {
                EventKind::Command { text, .. } => Some((text, event.doc)),
                _ => None,
            });
            commands.collect::<Vec<_>>()
        });
        let plans = shown.await.map_err(|error| error.to_string())?;
        let all = plans.into_iter().chain(OWN);
        let lines = all.map(|(text, doc)| format!("{text:<32} {}", doc.trim()));
        Ok(vec![Said::Notice(lines.collect::<Vec<_>>().join("\n"))])
    }

    /// Sends a line to the session's plans.
    pub(crate) async fn plan_command(
        &self,
        session: &Session,
        history: &mut History,
        line: &str,
    ) -> Result<Vec<Said>, String> {
        let line = self.with_shown_token(session, line).await?;
        let done = match session
            .command(&line, &self.around("user", session.identity()))
            .await
        {
            Ok(done) => done,
            Err(SessionError::NoCommand(error)) => return Ok(vec![Said::Error(error.to_string())]),
            Err(error) => return Err(error.to_string()),
        };
        if line.trim().eq_ignore_ascii_case("/reset") {
            history.clear()?;
        }
        let mut said: Vec<Said> = done.answer.iter().map(answered).collect();
        said.extend(self.effects(session).await?);
        Ok(said)
    }

    /// A person who was shown a card and types just `/plan approve` means that card.
    async fn with_shown_token(&self, session: &Session, line: &str) -> Result<String, String> {
        let reviewed = session.at_gate(|gate| {
            let machines = gate.machines().iter();
            let events = machines.flat_map(|machine| machine.description().events);
            let texts = events.filter_map(|event| match event.kind {
                EventKind::Command {
                    text,
                    reviewed: true,
                    ..
                } => text.split('{').next(),
                _ => None,
            });
            texts.map(str::trim).collect::<Vec<_>>()
        });
        let reviewed = reviewed.await.map_err(|error| error.to_string())?;
        let typed = line.trim().to_lowercase();
        let is_reviewed = reviewed.iter().any(|text| typed.starts_with(*text));
        let has_token = line
            .split_whitespace()
            .any(|word| word.parse::<Token>().is_ok());
        match self.shown_token(session.identity()) {
            Some(token) if is_reviewed && !has_token => Ok(format!("{line} {token}")),
            _ => Ok(line.to_owned()),
        }
    }
}

/// What a person is told of an answer.
fn answered(answer: &Answer) -> Said {
    match &answer.outcome {
        Outcome::Accepted(taken) => {
            let text = taken.reply.as_text().map(str::to_owned);
            Said::Notice(text.unwrap_or_else(|| taken.reply.to_string()))
        }
        Outcome::Run { tool, .. } => Said::Notice(format!("`{tool}` may run.")),
        Outcome::Denied(denial) => Said::Error(denial.to_string()),
    }
}
