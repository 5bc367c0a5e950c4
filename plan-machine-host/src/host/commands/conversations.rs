//! The commands that start, title, list and switch conversations.

use plan_machine_sessions::SessionIdentity;

use super::super::parts::Conversation;
use crate::chats::Transport;
use crate::error::HostError;
use crate::outgoing::Content;
use crate::words::{first_words, sentence};

/// The maximum length of a title, in characters.
const LONGEST_TITLE: usize = 60;

impl Conversation<'_> {
    /// Starts a conversation.
    pub(super) fn begin(
        &self,
        transport: &Transport,
        mode: &str,
    ) -> Result<Vec<Content>, HostError> {
        let mode = if mode.is_empty() {
            self.host.chats.default_mode()
        } else {
            self.host.modes.named(mode)?.name()
        };
        self.host.chats.begin(transport, mode)?;
        Ok(vec![Content::Notice(format!(
            "Started a conversation in {mode}."
        ))])
    }

    /// Lists the conversations of a chat.
    pub(super) fn conversations(&self, transport: &Transport) -> Vec<Content> {
        let all = self.host.chats.conversations(transport);
        let lines = (1..).zip(&all).map(|(number, session)| {
            let mark = if session == self.session.identity() {
                "*"
            } else {
                " "
            };
            let (mode, key) = (self.host.chats.mode(session), session.conversation());
            format!("{mark} {number}  {}  {mode}  {key}", self.title(session))
        });
        vec![Content::List(lines.collect())]
    }

    /// Switches to another conversation, and shows its plans that are waiting for a decision.
    pub(super) async fn switch(
        &self,
        transport: &Transport,
        name: &str,
    ) -> Result<Vec<Content>, HostError> {
        if name.is_empty() {
            return Err(HostError::input(
                "`/switch` needs a conversation: `/switch NAME`; `/sessions` lists the number, title and key of each conversation",
            ));
        }
        let key = self.named(transport, name)?;
        let identity = self.host.chats.switch(transport, &key)?;
        let title = self.title(&identity);
        let mut said = vec![Content::Notice(format!("Switched to {}", sentence(&title)))];
        let there = self.host.conversation(&identity);
        there.show_waiting(&mut said).await?;
        Ok(said)
    }

    /// Returns the key of the conversation that a name refers to. The name is a conversation's key, its number in the
    /// list, or the start of its title; any other name is returned unchanged.
    fn named(&self, transport: &Transport, name: &str) -> Result<String, HostError> {
        let all = self.host.chats.conversations(transport);
        let by_key = all.iter().find(|session| session.conversation() == name);
        let number = name.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
        let by_number = number.and_then(|at| all.get(at));
        if let Some(found) = by_key.or(by_number) {
            return Ok(found.conversation().to_owned());
        }
        let wanted = name.to_lowercase();
        let begins = |session: &&SessionIdentity| {
            let title = self.words_of(session).unwrap_or_default();
            !wanted.is_empty() && title.to_lowercase().starts_with(&wanted)
        };
        let found: Vec<&SessionIdentity> = all.iter().filter(begins).collect();
        match found[..] {
            [one] => Ok(one.conversation().to_owned()),
            [] => Ok(name.to_owned()),
            _ => Err(HostError::input(format!(
                "{} conversations have titles that begin with `{name}`; `/sessions` shows their numbers",
                found.len()
            ))),
        }
    }

    /// Shows or changes the title of a conversation.
    pub(super) fn title_command(&self, text: &str) -> Result<Vec<Content>, HostError> {
        let identity = self.session.identity();
        if !text.is_empty() {
            self.host
                .chats
                .set_title(identity, &first_words(text, LONGEST_TITLE))?;
        }
        let told = match self.words_of(identity) {
            Some(title) => format!("The title is {}.", quoted(&title)),
            None => "This conversation has no title yet; `/title TEXT` gives it one.".to_owned(),
        };
        Ok(vec![Content::Notice(told)])
    }

    /// Describes a conversation for people: its title in quotes, or that it is untitled.
    fn title(&self, session: &SessionIdentity) -> String {
        let title = self.words_of(session).map(|title| quoted(&title));
        title.unwrap_or_else(|| "an untitled conversation".to_owned())
    }

    /// Returns the title of a conversation, or the user's first words if the conversation has no
    /// title.
    fn words_of(&self, session: &SessionIdentity) -> Option<String> {
        // If the history cannot be read, the error is reported when the conversation continues.
        let history = || self.host.history(&session.to_string()).ok();
        self.host
            .chats
            .title(session)
            .or_else(|| history()?.subject())
    }
}

fn quoted(title: &str) -> String {
    format!("\u{201c}{title}\u{201d}")
}
