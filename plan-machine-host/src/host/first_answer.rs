//! The first answer of a terminal to a line that is typed while a step of a plan runs.

use super::delivery::outgoing;
use super::meanwhile::{LONGEST, waits};
use super::parts::Host;
use crate::chats::Transport;
use crate::outgoing::{Content, Outgoing};
use crate::words::in_a_line;

/// The first answer to a line that is typed while a step of a plan runs.
pub(crate) struct FirstAnswer {
    /// The answer.
    pub(crate) said: Vec<Outgoing>,
    /// Whether the line is handled later.
    pub(crate) waits: bool,
}

impl Host {
    /// Returns whether a step of a plan runs in a chat's conversation.
    pub(crate) fn has_step(&self, transport: &Transport) -> bool {
        let active = self.chats.active(transport);
        active.is_ok_and(|session| self.conversation(&session).has_step())
    }

    /// Refuses a line that is typed while a step of a plan runs, or reports that the line waits.
    pub(crate) async fn answer_first(&self, transport: &Transport, line: &str) -> FirstAnswer {
        let Ok(session) = self.chats.active(transport) else {
            return FirstAnswer {
                said: Vec::new(),
                waits: true,
            };
        };
        let at = self.conversation(&session);
        let (said, waits) = match at.refused_now(line.trim()).await {
            Ok(Some(said)) => (Ok(said), false),
            Ok(None) => (Ok(vec![waits(line)]), true),
            Err(error) => (Err(error), true),
        };
        FirstAnswer {
            said: outgoing(&session, said),
            waits,
        }
    }

    /// Refuses a command that is typed again while it is already waiting.
    pub(crate) fn answer_again(&self, transport: &Transport, line: &str) -> FirstAnswer {
        let told = format!("`{}` is already waiting", in_a_line(line, LONGEST));
        let session = self.chats.active(transport);
        let said = session.map_or_else(
            |_| Vec::new(),
            |session| vec![Outgoing::new(&session, Content::Error(told))],
        );
        FirstAnswer { said, waits: false }
    }
}
