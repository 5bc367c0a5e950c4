//! Begins turns.

use super::event_context::EventContext;
use super::gate_event::GateEvent;
use super::limits::{self, InvalidInput};
use super::state::Gate;
use super::turn::{Turn, TurnId};

impl Gate {
    /// Begins a turn: a person has sent a message that is not a command. Until the next turn, a host tool runs only if
    /// it could also run now, or if a person's command opens it. Returns `false` if this is already the current turn;
    /// in this case, nothing has changed.
    ///
    /// Only people's messages begin turns. Ticks, wake-ups, subagents, signals and timers continue
    /// the turn that they are in. In a gate that never begins a turn, each batch is a separate turn.
    ///
    /// ```
    /// use plan_machine::Object;
    /// use plan_machine::gate::{Decision, EventContext, Gate, ToolCall, TurnId};
    ///
    /// plan_machine::machine! {
    ///     machine Note;
    ///     command begin = "/note";
    ///     tool give_up;
    ///     state none { on begin => OPEN; }
    ///     state OPEN { other_tools deny; on give_up => CLOSED next none; }
    ///     final state CLOSED;
    /// }
    ///
    /// let mut gate = Gate::builder().with(note::Machine).host_tool("shell", "Runs a command.", Object::new()).open()?;
    /// let around = EventContext::default();
    /// gate.command("/note", &around)?;
    /// gate.begin_turn(&TurnId::new("message-1"), &around)?;
    /// gate.decide(&[ToolCall::new("give_up", Object::new())], &around);
    /// let shell = [ToolCall::new("shell", Object::new())];
    /// let denied = "not_allowed: `shell` could not run when this turn began; it is available after the user's next message";
    /// assert_eq!(gate.decide(&shell, &around)[0].answer().as_deref(), Some(denied));
    ///
    /// gate.begin_turn(&TurnId::new("message-2"), &around)?;
    /// assert!(matches!(gate.decide(&shell, &around)[0], Decision::Run(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the id is too long; in this case, nothing has changed.
    pub fn begin_turn(&mut self, id: &TurnId, around: &EventContext) -> Result<bool, InvalidInput> {
        limits::name("the id of the turn", id.as_str())?;
        if self.turn.as_ref().is_some_and(|turn| turn.id == *id) {
            return Ok(false);
        }
        self.catch_up(around.now);
        let floor = self.open_now(self.not_before(around.now));
        let before = self.turn.replace(Turn {
            id: id.clone(),
            floor: floor.clone(),
        });
        let is_new = before.is_none_or(|before| before.floor != floor);
        self.note(|| GateEvent::TurnBegan {
            at: around.now,
            actor: around.actor.clone(),
            turn: id.clone(),
            floor: is_new.then_some(floor),
        });
        Ok(true)
    }

    /// Returns the current turn; `None` if no turn has begun yet.
    #[must_use]
    pub fn turn(&self) -> Option<&Turn> {
        self.turn.as_ref()
    }

    /// Restores the current turn of a stored session.
    #[doc(hidden)]
    pub fn set_turn(&mut self, turn: Option<Turn>) {
        self.turn = turn;
    }
}
