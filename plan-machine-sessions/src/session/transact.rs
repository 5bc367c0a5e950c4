//! Handles a request to a session: takes a step, stores the result, and then answers. If another writer commits first,
//! the request starts over.

use tracing::Instrument;

use super::answer::Committed;
use super::draft::Keep;
use super::load::OpenSession;
use super::repeat::{self, CallKey, Remembered};
use super::sessions::Session;
use crate::error::SessionError;
use crate::journal::{EntryKind, TURN, without_machine};
use crate::observe;
use crate::store::{AppendOutcome, Head, NextDue};
use plan_machine::gate::{EventContext, Gate, GateEvent, InvalidInput, Step, limits};

/// The maximum number of attempts before a session gives up. An attempt fails only if another writer has stored
/// something in the meantime, so all attempts can fail only if the store is faulty or a very large number of writers
/// compete.
const ATTEMPTS: u32 = 1000;

/// The result of one attempt.
pub(super) struct AttemptOutcome<T> {
    pub(super) answer: T,
    /// The call ids of the steps that were taken, in the order of the steps; `None` for a step without a call id.
    pub(super) call_ids: Vec<Option<String>>,
    /// The answers to store.
    pub(super) keep: Vec<Keep>,
    pub(super) repeated: bool,
    /// Whether the instant at which the next timer is due is stored even if nothing happened.
    pub(super) notes_due: bool,
}

impl<T> AttemptOutcome<T> {
    /// Returns the result of an attempt whose steps have no call ids, so that its answer is not stored.
    pub(super) fn plain(answer: T) -> Self {
        Self {
            answer,
            call_ids: Vec::new(),
            keep: Vec::new(),
            repeated: false,
            notes_due: false,
        }
    }

    /// Converts the answer, and leaves the rest unchanged.
    pub(super) fn map<U>(self, answer: impl FnOnce(T) -> U) -> AttemptOutcome<U> {
        AttemptOutcome {
            answer: answer(self.answer),
            call_ids: self.call_ids,
            keep: self.keep,
            repeated: self.repeated,
            notes_due: self.notes_due,
        }
    }
}

/// The state when the work of an attempt begins.
pub(super) struct AttemptStart {
    /// The number of the session's last entry.
    pub(super) seq: u64,
    /// The number of steps that timers caused in this attempt, before its work began: the timers that fired, and the
    /// plans whose timers were started because the plans were stored before their states had timers.
    pub(super) fired: usize,
    /// The earlier answers to calls with the same ids.
    pub(super) was: Remembered,
}

impl Session {
    /// Calls `work` with the session's gate and stores the result. If another process commits first, `work` is called
    /// again with a gate that includes what the other process stored.
    pub(super) async fn attempt<T: Send>(
        &self,
        around: &EventContext,
        calls: &[CallKey],
        work: impl Fn(&mut Gate, &AttemptStart) -> AttemptOutcome<T> + Send + Sync,
    ) -> Result<Committed<T>, SessionError> {
        Ok(self.attempt_with_head(around, calls, work).await?.0)
    }

    /// Does the same as [`attempt`](Self::attempt), and also returns the number and digest of the session's last entry
    /// after the request.
    pub(super) async fn attempt_with_head<T: Send>(
        &self,
        around: &EventContext,
        calls: &[CallKey],
        work: impl Fn(&mut Gate, &AttemptStart) -> AttemptOutcome<T> + Send + Sync,
    ) -> Result<(Committed<T>, Head), SessionError> {
        refuse_long_names(around, calls)?;
        let span = observe::span(self.identity());
        let attempts = self.attempts(around, calls, work);
        attempts.instrument(span).await
    }

    async fn attempts<T: Send>(
        &self,
        around: &EventContext,
        calls: &[CallKey],
        work: impl Fn(&mut Gate, &AttemptStart) -> AttemptOutcome<T> + Send + Sync,
    ) -> Result<(Committed<T>, Head), SessionError> {
        let (shared, live) = (&self.shared, &self.live);
        let store = &*shared.store;
        live.touch(shared.began);
        let mut place = live.lock().await;
        for _ in 0..ATTEMPTS {
            // The content is taken out of `place` until the result is stored. If this function stops midway, because of
            // an error or a dropped future, no content that differs from the store remains in memory.
            let (mut opened, fresh) = match place.take() {
                Some(opened) => (opened, false),
                None => (self.open().await?, true),
            };
            // Timers that are due fire before the request is considered, and their entries come first.
            let fired = opened.gate.catch_up(around.now);
            let known = AttemptStart {
                seq: opened.seq + fired as u64,
                fired,
                was: repeat::look_up(store, &live.identity, calls).await?,
            };
            opened.gate.belong_to(shared.owner);
            let worked = work(&mut opened.gate, &known);
            let (steps, others) = sorted(opened.gate.happened());
            opened.gate.forget_ended();
            let mut call_ids = vec![None; fired];
            call_ids.extend(worked.call_ids);
            let (keep, notes_due) = (worked.keep, worked.notes_due);
            let draft = opened.draft(&live.identity, steps, call_ids, keep, notes_due)?;
            let nothing = draft.commit.rows.is_empty()
                && draft.commit.answers.is_empty()
                && draft.commit.due == NextDue::Unchanged;
            if nothing {
                // There is nothing to store, but the decision must be based on the current content of the store.
                if !fresh && store.head(&live.identity).await? != opened.head() {
                    continue;
                }
            } else {
                if opened.seq == 0 && !live.identity.may_be_new() {
                    return Err(SessionError::Identity(live.identity.not_new()));
                }
                if store.append(draft.commit).await? == AppendOutcome::Conflict {
                    observe::conflict();
                    continue;
                }
            }
            (opened.seq, opened.chain) = (draft.seq, draft.chain);
            observe::told(
                &live.identity,
                around.actor.as_deref(),
                opened.gate.machine_set(),
                &draft.entries,
                &others,
            );
            let head = opened.head();
            live.acknowledge(head);
            *place = Some(opened);
            let done = Committed {
                answer: worked.answer,
                seq: draft.seq,
                repeated: worked.repeated,
            };
            return Ok((done, head));
        }
        Err(SessionError::Contended)
    }

    /// Calls `look` with the current content of the session.
    pub(super) async fn look<T>(
        &self,
        look: impl FnOnce(&OpenSession) -> T,
    ) -> Result<T, SessionError> {
        let (shared, live) = (&self.shared, &self.live);
        live.touch(shared.began);
        let mut place = live.lock().await;
        let mut known = place.take();
        if let Some(expected) = known.as_ref().map(OpenSession::head) {
            let head = shared.store.head(&live.identity).await?;
            known = known.filter(|_| head == expected);
        }
        let mut opened = match known {
            Some(opened) => opened,
            None => self.open().await?,
        };
        live.acknowledge(opened.head());
        opened.gate.belong_to(shared.owner);
        let seen = look(&opened);
        *place = Some(opened);
        Ok(seen)
    }
}

/// Refuses an actor or a call id that is too long, because journals store these along with each event.
pub(super) fn refuse_long_names(
    around: &EventContext,
    calls: &[CallKey],
) -> Result<(), InvalidInput> {
    let mut calls = calls.iter();
    calls.try_for_each(|call| limits::name("the id of the call", &call.id))?;
    let actor = around.actor.as_deref().unwrap_or_default();
    limits::name("the actor", actor)
}

/// Separates the gate events that become entries from the others.
fn sorted(happened: Vec<GateEvent>) -> (Vec<(EntryKind, Step)>, Vec<GateEvent>) {
    let (mut steps, mut others) = (Vec::new(), Vec::new());
    for one in happened {
        match one {
            GateEvent::Taken(step) => steps.push((EntryKind::Taken, *step)),
            GateEvent::TurnBegan {
                at,
                actor,
                turn,
                floor,
            } => {
                let step = without_machine(at, actor, TURN);
                steps.push((EntryKind::TurnBegan { turn, floor }, step));
            }
            other => others.push(other),
        }
    }
    (steps, others)
}
