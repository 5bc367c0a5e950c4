//! Turns: a message from a person begins a turn, and until the next turn, no model can open a host
//! tool.

use super::answer::Committed;
use super::sessions::Session;
use super::transact::AttemptOutcome;
use super::transaction::Transaction;
use crate::error::SessionError;
use plan_machine::gate::{EventContext, TurnId};

impl Session {
    /// Begins a turn: a person has sent a message that is not a command. Until the next turn, a host tool runs only if
    /// it could also run now, or if a person's command opens it. The turn is stored, so it outlives
    /// the process.
    ///
    /// A host calls this once for each message, before it does anything else with the message. If
    /// the turn with this id is the current one, nothing changes, and the answer says that the
    /// request was repeated.
    ///
    /// Ticks, wake-ups, subagents, signals and timers do not begin a turn: they continue the current one. In a session
    /// that never begins a turn, each model response is a separate turn.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use plan_machine::Object;
    /// # use plan_machine::gate::{Decision, EventContext, Gate, ToolCall, TurnId};
    /// # use plan_machine_sessions::{SessionIdentity, Sessions};
    /// # use plan_machine_sessions::store::Memory;
    /// plan_machine::machine! {
    ///     machine Note;
    ///     command begin = "/note";
    ///     tool give_up;
    ///     state none { on begin => OPEN; }
    ///     state OPEN { other_tools deny; on give_up => CLOSED next none; }
    ///     final state CLOSED;
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let machines = Gate::builder().with(note::Machine).host_tool("shell", "Runs a command.", Object::new()).join()?;
    /// # let sessions = Sessions::new(Arc::new(Memory::new()), machines);
    /// # let session = sessions.session(&SessionIdentity::new("terminal", "turn-by-turn")?);
    /// # let around = EventContext::now();
    /// session.command("/note", &around).await?;
    /// session.begin_turn(&TurnId::new("message-1"), &around.clone().by("ann")).await?;
    /// session.decide(&[ToolCall::new("give_up", Object::new())], &around).await?;
    /// let shell = [ToolCall::new("shell", Object::new())];
    /// assert!(matches!(session.decide(&shell, &around).await?.answer[0], Decision::Denied(_)));
    ///
    /// session.begin_turn(&TurnId::new("message-2"), &around.clone().by("ann")).await?;
    /// assert!(matches!(session.decide(&shell, &around).await?.answer[0], Decision::Run(_)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the id is too long, or the session cannot answer.
    pub async fn begin_turn(
        &self,
        turn: &TurnId,
        around: &EventContext,
    ) -> Result<Committed<()>, SessionError> {
        let done = self.attempt(around, &[], |gate, _| {
            AttemptOutcome::plain(gate.begin_turn(turn, around))
        });
        let done = done.await?;
        Ok(Committed {
            repeated: !done.answer?,
            answer: (),
            seq: done.seq,
        })
    }
}

impl Transaction<'_> {
    /// Begins a turn, as [`Session::begin_turn`] does; returns `false` if this turn has already begun.
    ///
    /// # Errors
    ///
    /// If the id is too long; in that case, nothing has changed.
    pub fn begin_turn(&mut self, turn: &TurnId) -> Result<bool, SessionError> {
        let began = self.gate.begin_turn(turn, self.around)?;
        if began {
            self.add_entry(None);
            self.fresh = true;
        } else {
            self.repeated = true;
        }
        Ok(began)
    }
}
