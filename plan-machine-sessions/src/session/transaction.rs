//! Transactions: several events that are stored together. Each event may have its own call id.

use super::answer::Committed;
use super::decide::kept;
use super::draft::Keep;
use super::repeat::{self, CallContent, CallKey, Earlier, EarlierAnswer, Remembered};
use super::sessions::Session;
use super::transact::{AttemptOutcome, AttemptStart};
use crate::error::SessionError;
use crate::journal::Sender;
use plan_machine::gate::{Batch, CommandAnswer, EventContext, Gate};
use plan_machine::machine::{Call, CallKind, EffectView, Outcome};

/// A session's gate within one transaction. The events that are sent through this gate are stored together or not at
/// all, and an event with a call id is accepted only once.
pub struct Transaction<'a> {
    pub(super) gate: &'a mut Gate,
    known: &'a AttemptStart,
    pub(super) around: &'a EventContext,
    seq: u64,
    call_ids: Vec<Option<String>>,
    keep: Vec<Keep>,
    /// The answers given earlier in this transaction. They are needed because a call id may occur twice in one
    /// transaction.
    given: Remembered,
    /// Whether anything in this transaction happened for the first time.
    pub(super) fresh: bool,
    /// Whether an event or the start of a turn was repeated.
    pub(super) repeated: bool,
}

/// The result of one event of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct EventOutcome {
    /// The result.
    pub outcome: Outcome,
    /// The effects of the event, for use in reports. A host must not carry these out: [`Session::effects`] delivers the
    /// effects, with the identities under which they are settled.
    pub emitted: Vec<EffectView>,
    /// Whether the same event was sent earlier with the same call id. If so, this is the earlier result.
    pub repeated: bool,
}

impl EventOutcome {
    fn of(mut outcome: Outcome, repeated: bool) -> Self {
        Self {
            emitted: outcome.take_effects(),
            outcome,
            repeated,
        }
    }
}

impl Session {
    /// Sends any number of events in one transaction; `work` can inspect the gate between them. `call_ids` must contain
    /// all call ids that the events carry. If another process commits first, `work` is called again with a gate that
    /// includes what the other process stored.
    ///
    /// # Errors
    ///
    /// If a call id or the actor is too long, or the session cannot answer. In either case, no event of the transaction
    /// has been stored, unless the outcome is unknown, as [`StoreError`](crate::store::StoreError) describes.
    pub async fn transaction<T: Send>(
        &self,
        around: &EventContext,
        call_ids: &[&str],
        work: impl Fn(&mut Transaction<'_>) -> T + Send + Sync,
    ) -> Result<Committed<T>, SessionError> {
        // The kind of sender that a call id belongs to is known only when its event is sent, so the answers for all
        // kinds of senders are looked up.
        let keys = call_ids
            .iter()
            .flat_map(|id| Sender::ALL.map(|sender| CallKey::new(sender, id)));
        self.transaction_of(around, &keys.collect::<Vec<_>>(), work)
            .await
    }

    /// Runs a transaction whose events carry no call ids other than these.
    pub(super) async fn transaction_of<T: Send>(
        &self,
        around: &EventContext,
        calls: &[CallKey],
        work: impl Fn(&mut Transaction<'_>) -> T + Send + Sync,
    ) -> Result<Committed<T>, SessionError> {
        self.attempt(around, calls, |gate, known| {
            let mut transaction = Transaction {
                gate,
                known,
                around,
                seq: known.seq,
                call_ids: Vec::new(),
                keep: Vec::new(),
                given: Remembered::default(),
                fresh: false,
                repeated: false,
            };
            let answer = work(&mut transaction);
            AttemptOutcome {
                answer,
                repeated: transaction.repeated && !transaction.fresh,
                call_ids: transaction.call_ids,
                keep: transaction.keep,
                notes_due: false,
            }
        })
        .await
    }
}

impl Transaction<'_> {
    /// Returns the gate in its current state, after the events that have been sent in this transaction.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        self.gate
    }

    /// Sends an event to a machine.
    ///
    /// # Errors
    ///
    /// If there is no such machine, if the machine has no such event, or if the call id was used for a different event.
    pub fn send(
        &mut self,
        machine: &str,
        call: &Call,
        call_id: Option<&str>,
    ) -> Result<EventOutcome, SessionError> {
        self.send_as(None, machine, call, call_id)
    }

    /// Sends an event that belongs to a batch, which [`Gate::begin_batch`] has started in this transaction. A tool that
    /// can change the outside world is denied if it could not have been called when the batch started.
    ///
    /// # Errors
    ///
    /// If there is no such machine, if the machine has no such event, or if the call id was used for a different event.
    pub fn send_in(
        &mut self,
        batch: &Batch,
        machine: &str,
        call: &Call,
        call_id: Option<&str>,
    ) -> Result<EventOutcome, SessionError> {
        self.send_as(Some(batch), machine, call, call_id)
    }

    /// Returns the result of an event that was sent earlier with the same call id; `None` if it was not. A host that
    /// checks a condition before it sends an event can skip the check for a repeated event, because the first event may
    /// have changed the condition.
    ///
    /// # Errors
    ///
    /// If the call id was used for a different event.
    pub fn earlier(
        &self,
        machine: &str,
        call: &Call,
        call_id: Option<&str>,
    ) -> Result<Option<EventOutcome>, SessionError> {
        let Some((key, called)) = self.identified(machine, call, call_id) else {
            return Ok(None);
        };
        let outcome = self.answered(machine, &key, &called)?;
        Ok(outcome.map(|outcome| EventOutcome::of(outcome, true)))
    }

    fn send_as(
        &mut self,
        batch: Option<&Batch>,
        machine: &str,
        call: &Call,
        call_id: Option<&str>,
    ) -> Result<EventOutcome, SessionError> {
        let identified = self.identified(machine, call, call_id);
        if let Some((key, called)) = &identified
            && let Some(outcome) = self.answered(machine, key, called)?
        {
            self.repeated = true;
            return Ok(EventOutcome::of(outcome, true));
        }
        let outcome = match batch {
            None => self.gate.send(machine, call, self.around)?,
            Some(batch) => self.gate.send_in(batch, machine, call, self.around)?,
        };
        let (CallKind::Event(event) | CallKind::HostTool(event)) = &call.what;
        let answer = CommandAnswer {
            machine: machine.to_owned(),
            outcome,
        };
        let mut seq = self.seq;
        let kept = kept(self.gate, &answer, event, &mut seq);
        if seq > self.seq {
            self.add_entry(call_id);
        }
        self.fresh = true;
        let outcome = answer.outcome;
        if let Some((key, called)) = identified {
            let keep = repeat::keep(&key, &called, self.around, vec![kept]);
            self.keep.push(keep);
            let was = vec![EarlierAnswer::outcome(machine, &outcome)];
            self.given.add(key, Earlier::now(&called, self.around, was));
        }
        Ok(EventOutcome::of(outcome, false))
    }

    /// Counts an entry that this transaction will store.
    pub(super) fn add_entry(&mut self, call_id: Option<&str>) {
        self.seq += 1;
        self.call_ids.push(call_id.map(str::to_owned));
    }

    /// Returns the id of an event, and the parts of the event that must be the same when it is repeated; `None` if the
    /// event has no id.
    fn identified(
        &self,
        machine: &str,
        call: &Call,
        call_id: Option<&str>,
    ) -> Option<(CallKey, CallContent)> {
        let key = CallKey::new(self.sender(machine, call), call_id?);
        Some((key, CallContent::event(machine, call)))
    }

    /// Returns the kind of sender that this event comes from.
    fn sender(&self, machine: &str, call: &Call) -> Sender {
        let at = self.gate.position(machine);
        let tables = at.map(|at| self.gate.machines()[at].description());
        tables.map_or(Sender::Host, |tables| repeat::sender(tables, &call.what))
    }

    /// Returns the earlier answer to a call, if there is one. If several machines answered, the answer of this machine
    /// is returned.
    fn answered(
        &self,
        machine: &str,
        key: &CallKey,
        called: &CallContent,
    ) -> Result<Option<Outcome>, SessionError> {
        let now = self.given.answers(key, called, self.around)?;
        let was = match now {
            Some(was) => Some(was),
            None => self.known.was.answers(key, called, self.around)?,
        };
        let answers = was
            .unwrap_or_default()
            .iter()
            .cloned()
            .map(EarlierAnswer::answer);
        let mut answers: Vec<CommandAnswer> = answers.collect();
        let own = answers.iter().position(|answer| answer.machine == machine);
        if answers.is_empty() {
            return Ok(None);
        }
        Ok(Some(answers.swap_remove(own.unwrap_or_default()).outcome))
    }
}
