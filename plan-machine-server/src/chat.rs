//! Chats with a host. The server passes people's lines to the host, and the host's messages to the page. It keeps the
//! last messages in memory; the host keeps everything else.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::visible::visible;
use plan_machine_sessions::SessionIdentity;

use crate::live::Hub;

/// The number of messages that are kept for each session.
const MESSAGES: usize = 200;

/// The number of sessions whose messages are kept. The session that has been quiet for the longest time is forgotten
/// first.
const SESSIONS: usize = 200;

/// A line that a person has written on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// The session.
    pub session: SessionIdentity,
    /// The name of the person.
    pub person: String,
    /// The line.
    pub text: String,
}

/// The author of a message, which determines how the message is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The person at the page.
    You,
    /// A model or a tool, whose text is shown as Markdown. The page frames the text, so that it cannot be mistaken for
    /// a message of the host.
    Text,
    /// The host itself.
    Notice,
    /// An error.
    Error,
}

/// A message of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// The time of the message.
    pub at: Instant,
    /// The author of the message.
    pub kind: MessageKind,
    /// The text.
    pub text: String,
}

impl ChatMessage {
    pub(crate) fn json(&self, session: &SessionIdentity) -> Json {
        let kind = match self.kind {
            MessageKind::You => "you",
            MessageKind::Text => "text",
            MessageKind::Notice => "notice",
            MessageKind::Error => "error",
        };
        let mut object = Object::new();
        object.push("sessionId", session.to_string());
        object.push("at", self.at.to_string());
        object.push("kind", kind);
        object.push("text", visible(&self.text));
        object.into()
    }
}

/// The last messages of each session.
#[derive(Debug, Default)]
pub(crate) struct ChatLog(Mutex<Logs>);

#[derive(Debug, Default)]
struct Logs {
    of: HashMap<SessionIdentity, VecDeque<ChatMessage>>,
    /// The sessions, the one with the newest message last.
    order: VecDeque<SessionIdentity>,
}

impl ChatLog {
    fn add(&self, session: &SessionIdentity, message: ChatMessage) {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logs.order.retain(|one| one != session);
        logs.order.push_back(session.clone());
        if logs.order.len() > SESSIONS
            && let Some(oldest) = logs.order.pop_front()
        {
            logs.of.remove(&oldest);
        }
        let own = logs.of.entry(session.clone()).or_default();
        own.push_back(message);
        if own.len() > MESSAGES {
            own.pop_front();
        }
    }

    /// Returns the last messages of a session, oldest first.
    pub(crate) fn last(&self, session: &SessionIdentity, most: usize) -> Vec<Json> {
        let logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = logs.of.get(session);
        let skipped = own.map_or(0, |own| own.len().saturating_sub(most));
        let last = own.into_iter().flatten().skip(skipped);
        last.map(|message| message.json(session)).collect()
    }
}

/// The feed to which a host writes its messages.
#[derive(Clone, Debug)]
pub struct ChatFeed {
    hub: Arc<Hub>,
    log: Arc<ChatLog>,
}

impl ChatFeed {
    pub(crate) fn new(hub: Arc<Hub>, log: Arc<ChatLog>) -> Self {
        Self { hub, log }
    }

    /// Shows a message on the pages that show the session.
    pub fn say(&self, session: &SessionIdentity, message: ChatMessage) {
        let json = message.json(session);
        self.log.add(session, message);
        self.hub.message(session, &json);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: usize) -> SessionIdentity {
        let name = format!("web:conversation-{number}");
        name.parse().expect("an identity")
    }

    fn message(number: usize) -> ChatMessage {
        ChatMessage {
            at: Instant::at_second(0),
            kind: MessageKind::Text,
            text: number.to_string(),
        }
    }

    #[test]
    fn the_log_keeps_the_last_messages_of_the_last_sessions() {
        let log = ChatLog::default();
        for number in 0..MESSAGES + 10 {
            log.add(&session(0), message(number));
        }
        assert_eq!(log.last(&session(0), usize::MAX).len(), MESSAGES);
        let last = log.last(&session(0), 1);
        let text = last[0]
            .as_object()
            .and_then(|last| last.get("text")?.as_text());
        assert_eq!(text, Some((MESSAGES + 9).to_string().as_str()));
        for number in 1..=SESSIONS {
            log.add(&session(number), message(number));
        }
        assert_eq!(log.last(&session(0), 1), Vec::<Json>::new());
        assert_eq!(log.last(&session(SESSIONS), 1).len(), 1);
    }
}
