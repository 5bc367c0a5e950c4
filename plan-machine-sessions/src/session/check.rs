//! Compares plans that a host itself has stored with the session's journal.

use super::sessions::Session;
use crate::error::SessionError;
use crate::journal::Snapshot;
use plan_machine::description::Description;
use plan_machine::machine::StoredPlans;

impl Session {
    /// Checks plans that the host itself has stored against the session's journal, before the host restores them. Each
    /// plan must match the journal, including its timers; the slot must contain the same plan as in the journal; and
    /// no edition may be reused.
    ///
    /// A successful restore shows only that the machine can use the plans. Only the journal can show that a person
    /// approved them:
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use plan_machine::gate::{Gate, EventContext};
    /// # use plan_machine_sessions::{SessionIdentity, Sessions};
    /// # use plan_machine_sessions::store::Memory;
    /// # plan_machine::machine! {
    /// #     machine Note;
    /// #     command begin = "/note";
    /// #     command approve = "/approve {token?}" reviewed;
    /// #     command end = "/done";
    /// #     review text;
    /// #     data { text: string? }
    /// #     state none { on begin => OPEN; }
    /// #     state OPEN { on approve => APPROVED; on end => CLOSED next none; }
    /// #     state APPROVED { on end => CLOSED next none; }
    /// #     final state CLOSED;
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let machines = Gate::builder().with(note::Machine).join()?;
    /// # let sessions = Sessions::new(Arc::new(Memory::new()), machines);
    /// # let session = sessions.session(&SessionIdentity::new("terminal", "kept-by-the-host")?);
    /// # session.command("/note", &EventContext::now().by("ann")).await?;
    /// let mut kept = session.at_gate(|gate| gate.machines()[0].stored()).await?;
    /// session.check_stored(&note::MACHINE, &kept).await?;
    ///
    /// kept.plans[0].state = "APPROVED".into(); // no one approved the plan
    /// let refused = session.check_stored(&note::MACHINE, &kept).await.expect_err("not in the journal");
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "the plans of Note do not match the journal: \
    ///      the plan plan-1 is in APPROVED, but according to the entries, it should be in OPEN",
    /// );
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// This check trusts the entries if their hash chain is intact. To also replay their events, use
    /// [`verify`](Self::verify).
    ///
    /// # Errors
    ///
    /// Returns [`SessionError::OtherPlans`] with the first difference if the plans do not match the journal, or another
    /// error if the session cannot be read.
    pub async fn check_stored(
        &self,
        machine: &Description,
        stored: &StoredPlans,
    ) -> Result<(), SessionError> {
        let held = Snapshot::load(&*self.shared.store, &self.live.identity).await?;
        match held.difference(machine, stored) {
            None => Ok(()),
            Some(problem) => Err(SessionError::OtherPlans {
                machine: machine.name.to_owned(),
                problem,
            }),
        }
    }
}
