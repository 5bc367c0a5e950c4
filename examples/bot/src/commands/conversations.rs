//! Conversations: started, titled, listed and gone back to.

use plan_machine_sessions::{Session, SessionIdentity};

use crate::bot::Bot;
use crate::chats::Transport;
use crate::mode::Mode;
use crate::model::first_words;
use crate::outgoing::Said;

/// How many characters a title has.
const LONGEST_TITLE: usize = 60;

impl Bot {
    /// Starts a conversation.
    pub(super) fn begin(&self, transport: &Transport, mode: &str) -> Result<Vec<Said>, String> {
        let mode = if mode.is_empty() {
            Mode::default()
        } else {
            mode.parse()?
        };
        self.chats.begin(transport, mode)?;
        Ok(vec![Said::Notice(format!(
            "Started a conversation in {mode}."
        ))])
    }

    /// Lists the conversations of a chat.
    pub(super) fn conversations(&self, transport: &Transport, active: &Session) -> Vec<Said> {
        let all = self.chats.conversations(transport);
        let lines = (1..).zip(&all).map(|(number, session)| {
            let mark = if session == active.identity() {
                "*"
            } else {
                " "
            };
            let (mode, key) = (self.chats.mode(session), session.conversation());
            format!("{mark} {number}  {}  {mode}  {key}", self.title(session))
        });
        vec![Said::List(lines.collect())]
    }

    /// Goes on with another conversation, and shows what waits there.
    pub(super) async fn switch(
        &self,
        transport: &Transport,
        name: &str,
    ) -> Result<Vec<Said>, String> {
        if name.is_empty() {
            return Err(
                "`/switch` needs a conversation: `/switch NAME`; `/sessions` lists their numbers, titles and keys"
                    .to_owned(),
            );
        }
        let key = self.named(transport, name)?;
        let identity = self.chats.switch(transport, &key)?;
        let title = self.title(&identity);
        let mut said = vec![Said::Notice(format!("Switched to {title}."))];
        let session = self.sessions.session(&identity);
        self.show_waiting(&session, &mut said).await?;
        Ok(said)
    }

    /// The key of the conversation that has a number in the list or a title that begins so; a name that is neither
    /// is a key.
    fn named(&self, transport: &Transport, name: &str) -> Result<String, String> {
        let all = self.chats.conversations(transport);
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
            _ => Err(format!(
                "{} conversations have titles that begin with `{name}`; `/sessions` shows their numbers",
                found.len()
            )),
        }
    }

    /// Shows the title of a conversation, or changes it.
    pub(super) fn title_command(&self, session: &Session, text: &str) -> Result<Vec<Said>, String> {
        let identity = session.identity();
        if !text.is_empty() {
            self.chats
                .set_title(identity, &first_words(text, LONGEST_TITLE))?;
        }
        let told = match self.words_of(identity) {
            Some(title) => format!("The title is {}.", quoted(&title)),
            None => "This conversation has no title yet; `/title TEXT` gives it one.".to_owned(),
        };
        Ok(vec![Said::Notice(told)])
    }

    /// A conversation as people read of it: its title in quotes.
    fn title(&self, session: &SessionIdentity) -> String {
        let title = self.words_of(session).map(|title| quoted(&title));
        title.unwrap_or_else(|| "an untitled conversation".to_owned())
    }

    /// The title that a conversation was given, or the first words of its user.
    fn words_of(&self, session: &SessionIdentity) -> Option<String> {
        // A history that cannot be read is reported when its conversation goes on.
        let history = || self.history(&session.to_string()).ok();
        self.chats.title(session).or_else(|| history()?.subject())
    }
}

fn quoted(title: &str) -> String {
    format!("\u{201c}{title}\u{201d}")
}
