//! Lines that are typed while a step of a plan runs. A command that the plans do not accept now is refused at once, by the
//! state in which it was typed: if it waited, it could start the plan again after the last step.

use super::commands::is_of_plans;
use super::delivery::outgoing;
use super::desk::Ground;
use super::parts::{Conversation, Host};
use crate::chats::Transport;
use crate::error::HostError;
use crate::outgoing::{Content, Outgoing};
use crate::words::in_a_line;

/// The maximum number of typed characters that a message repeats.
const LONGEST: usize = 60;

/// The first answer to a line that was typed while a step of a plan runs.
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

    /// Refuses a line that was typed while a step of a plan runs, or says that the line waits.
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

    /// Refuses a command that is already waiting.
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

impl Conversation<'_> {
    /// Returns whether a step of a plan runs. Runs are not steps: no line waits for them.
    pub(super) fn has_step(&self) -> bool {
        let plans = self.mode().plans().name;
        let is_step = |ground: &Ground| match ground {
            Ground::State { machine, .. } => *machine == plans,
            Ground::LivePlan(_) => false,
        };
        self.desk(|desk| desk.work.iter().any(|one| is_step(&one.ground)))
    }

    /// Returns the answer to a command that the plans refuse in the state that they are in now. The result is `None` for
    /// every line that can wait: messages, the host's own commands, and commands that the plans accept.
    pub(super) async fn refused_now(&self, line: &str) -> Result<Option<Vec<Content>>, HostError> {
        if !is_of_plans(line) {
            return Ok(None);
        }
        self.plans_refuse(line).await
    }
}

/// Says that a line waits.
pub(super) fn waits(line: &str) -> Content {
    let line = line.trim();
    let what = if line.starts_with('/') {
        format!("`{}`", in_a_line(line, LONGEST))
    } else {
        "Your message".to_owned()
    };
    Content::Notice(format!(
        "{what} waits until the plan that is being carried out is done or has stopped."
    ))
}
