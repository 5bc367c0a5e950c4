//! Sends events from a host: typed signals, and any event by its name.

use plan_machine_kernel::json::Object;

use super::answer::Committed;
use super::repeat::{self, CallKey};
use super::sessions::Session;
use super::transaction::Transaction;
use crate::error::SessionError;
use crate::journal::Sender;
use plan_machine::Address;
use plan_machine::Lifecycle;
use plan_machine::gate::EventContext;
use plan_machine::machine::{Call, CallKind, Outcome, call_of};

impl Session {
    /// Sends a typed event from the host, such as a signal, to a plan of a machine. The compiler rejects an event that
    /// the machine does not have.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use plan_machine::gate::{Gate, EventContext};
    /// # use plan_machine_sessions::{SessionIdentity, Sessions};
    /// # use plan_machine_sessions::store::Memory;
    /// plan_machine::machine! {
    ///     machine Note;
    ///     data { text: string? }
    ///     command begin = "/note";
    ///     signal sent { to: string }
    ///     state none { on begin => OPEN; }
    ///     state OPEN { on sent => SENT next none { set text = event.to; } }
    ///     final state SENT;
    /// }
    /// use note::{Event, event};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let machines = Gate::builder().with(note::Machine).join()?;
    /// # let sessions = Sessions::new(Arc::new(Memory::new()), machines);
    /// # let session = sessions.session(&SessionIdentity::new("terminal", "typed-signals")?);
    /// # let around = EventContext::now();
    /// session.command("/note", &around).await?;
    /// let plans = session.plans_of::<note::Machine>().await?;
    /// assert_eq!(plans[0].state, note::State::Open);
    /// let sent = Event::Sent(event::Sent { to: "ann".to_owned() });
    /// let done = session.signal::<note::Machine>(&plans[0].id, sent, &around).await?;
    /// assert!(done.answer.is_accepted());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the session does not have the machine, or cannot answer.
    pub async fn signal<L: Lifecycle>(
        &self,
        plan: impl Into<Address>,
        event: L::Event,
        around: &EventContext,
    ) -> Result<Committed<Outcome>, SessionError> {
        let call = call_of::<L>(event).to(plan);
        self.send(L::MACHINE.name, &call, around).await
    }

    /// Sends an event from the host by its name, for hosts that do not have the types of their machines. Prefer
    /// [`signal`](Self::signal) if the types are available: the compiler rejects an event that the machine does not
    /// have.
    ///
    /// # Errors
    ///
    /// If there is no such machine, if the machine has no such event, or if the session cannot answer.
    pub async fn signal_by_name(
        &self,
        machine: &str,
        name: &str,
        plan: impl Into<Address>,
        with: Object,
        around: &EventContext,
    ) -> Result<Committed<Outcome>, SessionError> {
        let mut call = Call::new(CallKind::Event(name.to_owned().into())).to(plan);
        call.with = with;
        self.send(machine, &call, around).await
    }

    /// Sends any event to a machine, without the checks for calls from a model. Use this only for events from the host
    /// itself; calls from a model must go through [`decide`](Self::decide).
    ///
    /// # Errors
    ///
    /// If there is no such machine, if the machine has no such event, or if the session cannot answer.
    pub async fn send(
        &self,
        machine: &str,
        call: &Call,
        around: &EventContext,
    ) -> Result<Committed<Outcome>, SessionError> {
        let id = around.call_id.as_deref();
        let tables = self.shared.machine_set(self.identity());
        let tables = tables.machines().find(|tables| tables.name == machine);
        let sender = tables.map_or(Sender::Host, |tables| repeat::sender(tables, &call.what));
        let key = id.map(|id| CallKey::new(sender, id));
        let send = |all: &mut Transaction<'_>| all.send(machine, call, id);
        let done = self.transaction_of(around, key.as_slice(), send).await?;
        Ok(Committed {
            answer: done.answer?.outcome,
            seq: done.seq,
            repeated: done.repeated,
        })
    }
}
