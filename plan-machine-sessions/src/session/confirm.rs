//! Confirms that a call may still run, right before a host runs the call.

use super::answer::Committed;
use super::sessions::Session;
use super::transact::AttemptOutcome;
use crate::error::SessionError;
use crate::journal::EntryKind;
use plan_machine::gate::{AllowedCall, ConfirmedCall, DecisionPoint, EventContext, StartedCall};
use plan_machine::machine::{Denial, call_of};
use plan_machine::{Address, DenialKind, HostTool, Lifecycle};
use plan_machine_kernel::messages::{self, withdrawal};

/// A call is refused as too old if at least this many entries have been stored since the decision that allowed it.
const MOST_SINCE: u32 = 1024;

impl Session {
    /// Confirms a call that [`decide`](Self::decide) has allowed, right before the host runs it. Confirming a call does
    /// not take a step, and is not counted in the metrics. The data that other processes have stored since the decision
    /// is taken into account.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use plan_machine::Object;
    /// # use plan_machine::gate::{ConfirmedCall, Decision, Gate, EventContext, ToolCall};
    /// # use plan_machine_sessions::{SessionError, SessionIdentity, Sessions};
    /// # use plan_machine_sessions::store::Memory;
    /// plan_machine::machine! {
    ///     machine Note;
    ///     command begin = "/note";
    ///     command end = "/done";
    ///     state none { on begin => OPEN; }
    ///     state OPEN { other_tools deny; on end => CLOSED next none; }
    ///     final state CLOSED;
    /// }
    ///
    /// // The tools of a host accept only confirmed calls.
    /// fn shell(call: &ConfirmedCall) -> String {
    ///     format!("ran {}", call.tool())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let machines = Gate::builder().with(note::Machine).host_tool("shell", "Runs a command.", Object::new()).join()?;
    /// # let sessions = Sessions::new(Arc::new(Memory::new()), machines);
    /// # let session = sessions.session(&SessionIdentity::new("terminal", "confirmed-calls")?);
    /// # let around = EventContext::now();
    /// let calls = [ToolCall::new("shell", Object::new()), ToolCall::new("shell", Object::new())];
    /// let mut decided = session.decide(&calls, &around).await?.answer.into_iter();
    /// let (Some(Decision::Run(first)), Some(Decision::Run(second))) = (decided.next(), decided.next()) else {
    ///     return Err("both may run".into());
    /// };
    /// assert_eq!(shell(&session.confirm(first).await?), "ran shell");
    /// session.command("/note", &around).await?;
    /// assert!(matches!(session.confirm(second).await, Err(SessionError::NotConfirmed(_))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the session cannot answer, and in these cases:
    ///
    /// - This session did not allow the call.
    /// - Since the decision, a machine that allowed the call has been in another state or has had another plan in its
    ///   slot, the class of the call has changed, or a timer has become due.
    /// - Since the decision, the session has been restarted, deleted or replaced, or at least 1024 entries have been
    ///   stored.
    /// - The call would be denied now.
    pub async fn confirm(&self, allowed: AllowedCall) -> Result<ConfirmedCall, SessionError> {
        let Some(decided) = allowed.decided().cloned() else {
            return Err(SessionError::ForeignCall);
        };
        if decided.session != self.identity().to_string() {
            return Err(SessionError::ForeignCall);
        }
        let tool = allowed.tool().to_owned();
        let moved = self.moved_since(&allowed, &decided).await?;
        let owner = self.shared.owner;
        let confirmed = self.at_gate(|gate| gate.confirm_in_session(owner, allowed));
        let denial = match (confirmed.await, moved) {
            (Ok(Err(denial)), _) => denial,
            // If the session was deleted or replaced, confirming may fail, too: then that reason is returned.
            (Ok(Ok(_)) | Err(_), Some(why)) => withdrawn(&tool, &why),
            (Ok(Ok(confirmed)), None) => return Ok(confirmed),
            (Err(error), None) => return Err(error),
        };
        Err(SessionError::NotConfirmed(denial))
    }

    /// Returns the reason why a call may not run even if the gate would allow it now: since the decision, a machine
    /// that allowed the call has been in another state, the session has been restarted, deleted or replaced, or too
    /// many entries have been stored. Returns `None` if there is no such reason.
    async fn moved_since(
        &self,
        allowed: &AllowedCall,
        decided: &DecisionPoint,
    ) -> Result<Option<String>, SessionError> {
        let (store, identity) = (&self.shared.store, &self.live.identity);
        let head = store.head(identity).await?;
        if (head.seq, head.digest) == (decided.seq, decided.digest) {
            return Ok(None);
        }
        let last = match decided.seq.checked_sub(1) {
            None => Vec::new(),
            Some(before) => store.history(identity, before, 1).await?,
        };
        if last.first().map(|row| row.digest) != decided.digest {
            return Ok(Some(withdrawal::REPLACED.to_owned()));
        }
        let since = self.history(decided.seq, MOST_SINCE).await?;
        if since.len() >= MOST_SINCE as usize {
            return Ok(Some(withdrawal::too_many_entries(MOST_SINCE)));
        }
        let machines = self.shared.machine_set(identity);
        let left = since.iter().find(|entry| {
            let tables = machines
                .machines()
                .find(|tables| tables.name == entry.step.machine);
            let state_of = |name: &str| tables.and_then(|tables| tables.state_named(name));
            let restarted = matches!(entry.kind, EntryKind::Restarted { .. });
            restarted || allowed.is_left_by(&entry.step, state_of)
        });
        Ok(left.map(|entry| match &*entry.step.machine {
            "" => withdrawal::RESTARTED.to_owned(),
            machine => withdrawal::changed(machine),
        }))
    }

    /// Sends the event that starts a step of a plan, and confirms the recorded call of that step. The plan's machine
    /// determines in which states a step may start, and how often: for example, the event is denied before the plan is
    /// approved, or if the step has already started.
    ///
    /// # Errors
    ///
    /// If the session does not have the machine, or cannot answer.
    pub async fn start_recorded<L: Lifecycle>(
        &self,
        plan: impl Into<Address>,
        event: L::Event,
        call: HostTool,
        around: &EventContext,
    ) -> Result<Committed<StartedCall>, SessionError> {
        let event = call_of::<L>(event).to(plan);
        let machine = L::MACHINE.name;
        let done = self.attempt(around, &[], |gate, _| {
            AttemptOutcome::plain(gate.start_recorded(machine, &event, call.clone(), around))
        });
        let done = done.await?;
        Ok(Committed {
            answer: done.answer?,
            seq: done.seq,
            repeated: done.repeated,
        })
    }
}

fn withdrawn(tool: &str, why: &str) -> Denial {
    Denial {
        kind: DenialKind::NotAllowed,
        messages: vec![messages::may_no_longer_run(tool, why)],
        state: "none".to_owned(),
        allowed_in: Vec::new(),
    }
}
