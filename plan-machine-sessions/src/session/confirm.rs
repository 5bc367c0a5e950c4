//! Before a host runs a call, it asks whether the call may still run.

use super::sessions::Session;
use crate::error::SessionError;
use plan_machine::HostTool;
use plan_machine::gate::{AllowedCall, ConfirmedCall};
use plan_machine::machine::PlanView;

impl Session {
    /// Confirms a call that [`decide`](Self::decide) has allowed, right before the host runs it. This neither steps nor
    /// counts, and sees what other processes have stored.
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
    /// // The tools of a host take nothing but confirmed calls.
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
    /// Where a machine that let the call run has changed its state or its plan since, where any machine would not let it
    /// run now, and where the session cannot answer.
    pub async fn confirm(&self, allowed: AllowedCall) -> Result<ConfirmedCall, SessionError> {
        let identity = self.identity().to_string();
        if !allowed.is_of(&identity) {
            return Err(SessionError::ForeignCall);
        }
        let confirmed = self.at_gate(|gate| gate.confirm(allowed)).await?;
        confirmed.map_err(SessionError::NotConfirmed)
    }

    /// Confirms a call that a plan has recorded, right before the host runs it as a step of that plan; `plan` is the plan
    /// as it was when the host started the step.
    ///
    /// # Errors
    ///
    /// Where the plan does not hold such a call or has changed since it was read, where another machine would not let the
    /// call run now, and where the session cannot answer.
    pub async fn confirm_recorded(
        &self,
        machine: &str,
        plan: &PlanView,
        call: HostTool,
    ) -> Result<ConfirmedCall, SessionError> {
        let confirm = self.at_gate(|gate| gate.confirm_recorded(machine, plan, call));
        confirm.await?.map_err(SessionError::NotConfirmed)
    }
}
