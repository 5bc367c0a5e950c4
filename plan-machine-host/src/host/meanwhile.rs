//! Lines that are typed while a step of a plan runs. A command that the plans do not accept at the time it is typed is
//! refused at once. If such a command waited, it could start the plan again after the last step.

use super::commands::is_of_plans;
use super::desk::Ground;
use super::parts::Conversation;
use crate::error::HostError;
use crate::outgoing::Content;
use crate::words::in_a_line;

/// The maximum number of typed characters that a message repeats.
pub(super) const LONGEST: usize = 60;

impl Conversation<'_> {
    /// Returns whether a step of a plan runs. Turns of background runs are not steps: no line waits for them.
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

/// Returns a notice that a line waits.
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
