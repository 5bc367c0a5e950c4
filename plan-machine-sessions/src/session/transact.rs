//! One writer: step, store, answer, in this order; it starts over if another writer was faster.

use tracing::Instrument;

use super::answer::Committed;
use super::commit::Keep;
use super::load::{Opened, load};
use super::repeat::{self, CallKey, Remembered};
use super::sessions::Session;
use crate::error::SessionError;
use crate::observe;
use crate::store::{AppendOutcome, Head};
use plan_machine::gate::{EventContext, Gate, GateEvent, InvalidInput, Step, limits};

/// The maximum number of attempts before a session gives up. Whenever one fails, another writer has stored something,
/// so only a faulty store or a very large number of writers can exhaust them.
const ATTEMPTS: u32 = 1000;

/// The result of one attempt.
pub(super) struct Worked<T> {
    pub(super) answer: T,
    /// The call ids of the steps that were taken, in order.
    pub(super) call_ids: Vec<Option<String>>,
    /// Answers to store.
    pub(super) keep: Vec<Keep>,
    pub(super) repeated: bool,
}

impl<T> Worked<T> {
    /// Returns an answer with nothing to store.
    pub(super) fn plain(answer: T) -> Self {
        Self {
            answer,
            call_ids: Vec::new(),
            keep: Vec::new(),
            repeated: false,
        }
    }

    /// Returns the same work with a different answer.
    pub(super) fn map<U>(self, answer: impl FnOnce(T) -> U) -> Worked<U> {
        Worked {
            answer: answer(self.answer),
            call_ids: self.call_ids,
            keep: self.keep,
            repeated: self.repeated,
        }
    }
}

/// The facts known before an attempt.
pub(super) struct Known {
    /// The number of the session's last entry.
    pub(super) seq: u64,
    /// The earlier answers to calls that are repeated.
    pub(super) was: Remembered,
}

impl Session {
    /// Works on the session's gate and stores the result. If another process was faster, the work is repeated on a gate
    /// that includes what the other process stored.
    pub(super) async fn attempt<T: Send>(
        &self,
        around: &EventContext,
        calls: &[CallKey],
        work: impl Fn(&mut Gate, &Known) -> Worked<T> + Send + Sync,
    ) -> Result<Committed<T>, SessionError> {
        Ok(self.attempt_with_head(around, calls, work).await?.0)
    }

    /// Does the same, and also returns the session's last entry afterwards.
    pub(super) async fn attempt_with_head<T: Send>(
        &self,
        around: &EventContext,
        calls: &[CallKey],
        work: impl Fn(&mut Gate, &Known) -> Worked<T> + Send + Sync,
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
        work: impl Fn(&mut Gate, &Known) -> Worked<T> + Send + Sync,
    ) -> Result<(Committed<T>, Head), SessionError> {
        let (shared, live) = (&self.shared, &self.live);
        let store = &*shared.store;
        live.touch(shared.began);
        let mut place = live.lock().await;
        for _ in 0..ATTEMPTS {
            // The session is out of its slot until the result is stored: if this stops midway, because of an error or a
            // dropped future, nothing remains in memory that is not in the store.
            let (mut opened, fresh) = match place.take() {
                Some(opened) => (opened, false),
                None => (
                    load(store, &live.identity, &shared.machine_set(&live.identity)).await?,
                    true,
                ),
            };
            let known = Known {
                seq: opened.seq,
                was: repeat::look_up(store, &live.identity, calls).await?,
            };
            opened.gate.belong_to(shared.owner);
            let worked = work(&mut opened.gate, &known);
            let (steps, others) = sorted(opened.gate.happened());
            opened.gate.forget_ended();
            let draft = opened.draft(&live.identity, steps, worked.call_ids, worked.keep)?;
            let nothing = draft.commit.rows.is_empty() && draft.commit.answers.is_empty();
            if nothing {
                // The decision must be based on the current state.
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

    /// Reads the current content of the session.
    pub(super) async fn look<T>(&self, look: impl FnOnce(&Opened) -> T) -> Result<T, SessionError> {
        let (shared, live) = (&self.shared, &self.live);
        live.touch(shared.began);
        let mut place = live.lock().await;
        let mut known = place.take();
        if let Some(expected) = known.as_ref().map(Opened::head) {
            let head = shared.store.head(&live.identity).await?;
            known = known.filter(|_| head == expected);
        }
        let mut opened = match known {
            Some(opened) => opened,
            None => {
                load(
                    &*shared.store,
                    &live.identity,
                    &shared.machine_set(&live.identity),
                )
                .await?
            }
        };
        opened.gate.belong_to(shared.owner);
        let seen = look(&opened);
        *place = Some(opened);
        Ok(seen)
    }
}

/// Refuses names that are too long: the data that a journal stores in addition to an event is also limited.
pub(super) fn refuse_long_names(
    around: &EventContext,
    calls: &[CallKey],
) -> Result<(), InvalidInput> {
    let mut calls = calls.iter();
    calls.try_for_each(|call| limits::name("the id of the call", &call.id))?;
    let actor = around.actor.as_deref().unwrap_or_default();
    limits::name("the actor", actor)
}

/// Separates the steps that were taken from everything else that happened.
fn sorted(happened: Vec<GateEvent>) -> (Vec<Step>, Vec<GateEvent>) {
    let (mut steps, mut others) = (Vec::new(), Vec::new());
    for one in happened {
        match one {
            GateEvent::Taken(step) => steps.push(*step),
            other => others.push(other),
        }
    }
    (steps, others)
}
