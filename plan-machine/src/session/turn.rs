//! Events of one transaction, each of them under the identity that it may carry.

use std::collections::HashMap;

use super::answer::Done;
use super::commit::Keep;
use super::decide::kept;
use super::error::SessionError;
use super::repeat::{self, Was};
use super::sessions::Session;
use super::transact::{Known, Worked};
use crate::gate::{Answer, Gate, Surroundings, UnknownName};
use crate::machine::{Call, EffectView, Outcome, What};

/// A session's gate within one transaction. What is sent here is stored together, or not at all, and
/// an event that carries an identity is taken once.
pub struct Turn<'a> {
    gate: &'a mut Gate,
    known: &'a Known,
    around: &'a Surroundings,
    seq: u64,
    call_ids: Vec<Option<String>>,
    keep: Vec<Keep>,
    /// What was answered in this transaction: an identity may come twice in it.
    given: HashMap<String, Outcome>,
    fresh: bool,
}

/// What came of one event of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// What came of it.
    pub outcome: Outcome,
    /// The effects that it had, for a report. They are not delivered here:
    /// [`Session::effects`] does that, with the identities under which they are settled.
    pub emitted: Vec<EffectView>,
    /// It had been sent before under the same call id: this is what came of it then.
    pub repeated: bool,
}

impl Sent {
    fn of(mut outcome: Outcome, repeated: bool) -> Self {
        Self {
            emitted: outcome.take_effects(),
            outcome,
            repeated,
        }
    }
}

impl Session {
    /// Sends any events in one transaction, with a look at the gate between them. `call_ids` are all
    /// that the events carry. Where another process was faster, `work` is done again at a gate that
    /// holds what the other has left.
    ///
    /// # Errors
    ///
    /// Where the store fails or the session cannot be read; nothing has changed then.
    pub async fn turn<T: Send>(
        &self,
        around: &Surroundings,
        call_ids: &[&str],
        work: impl Fn(&mut Turn<'_>) -> T + Send + Sync,
    ) -> Result<Done<T>, SessionError> {
        self.attempt(around, call_ids, |gate, known| {
            let mut turn = Turn {
                gate,
                known,
                around,
                seq: known.seq,
                call_ids: Vec::new(),
                keep: Vec::new(),
                given: HashMap::new(),
                fresh: false,
            };
            let answer = work(&mut turn);
            Worked {
                answer,
                repeated: !turn.fresh && !turn.known.was.is_empty(),
                call_ids: turn.call_ids,
                keep: turn.keep,
            }
        })
        .await
    }
}

impl Turn<'_> {
    /// The gate as it is now.
    #[must_use]
    pub fn gate(&self) -> &Gate {
        self.gate
    }

    /// Sends any event to a machine.
    ///
    /// # Errors
    ///
    /// Where there is no such machine, or no such event of it.
    pub fn send(
        &mut self,
        machine: &str,
        call: &Call,
        call_id: Option<&str>,
    ) -> Result<Sent, UnknownName> {
        if let Some(outcome) = call_id.and_then(|id| self.answered(machine, id)) {
            return Ok(Sent::of(outcome, true));
        }
        let outcome = self.gate.send(machine, call, self.around)?;
        let (What::Event(event) | What::HostTool(event)) = &call.what;
        let answer = Answer {
            machine: machine.to_owned(),
            outcome,
        };
        let before = self.seq;
        let kept = kept(self.gate, &answer, event, &mut self.seq);
        if self.seq > before {
            self.call_ids.push(call_id.map(str::to_owned));
        }
        self.fresh = true;
        let outcome = answer.outcome;
        if let Some(id) = call_id {
            let keep = repeat::keep(id, event, self.around, vec![kept]);
            self.keep.push(keep);
            self.given.insert(id.to_owned(), outcome.clone());
        }
        Ok(Sent::of(outcome, false))
    }

    /// What was answered to a call, by this machine where several have answered.
    fn answered(&self, machine: &str, call_id: &str) -> Option<Outcome> {
        if let Some(outcome) = self.given.get(call_id) {
            return Some(outcome.clone());
        }
        let was = self.known.was.get(call_id)?.iter().cloned();
        let answers: Vec<Answer> = was.map(Was::answer).collect();
        let own = answers.iter().find(|answer| answer.machine == machine);
        own.or(answers.first()).map(|answer| answer.outcome.clone())
    }
}
