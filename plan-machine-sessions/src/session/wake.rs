//! Fires timers that are due even if no events arrive.

use std::collections::BTreeSet;

use plan_machine::gate::EventContext;
use plan_machine_kernel::time::Instant;

use super::answer::Committed;
use super::sessions::{Session, Sessions};
use super::transact::AttemptOutcome;
use crate::error::SessionError;
use crate::identity::SessionIdentity;

/// The number of sessions in the first lookup. It is doubled if all sessions of a full list have already been tried.
const PAGE: u32 = 100;

/// What happened when sessions were woken.
#[derive(Debug, Default)]
pub struct WakeReport {
    /// The sessions in which timers fired, or were started for a plan that was stored before its state had timers.
    pub fired: Vec<SessionIdentity>,
    /// The sessions that could not be woken. They stay due.
    pub failed: Vec<(SessionIdentity, SessionError)>,
}

impl Sessions {
    /// Returns at most `most` sessions with a timer that is due at or before an instant, ordered by the instants at
    /// which their timers are due. This takes one lookup in an index, however many sessions there are.
    ///
    /// A session is listed for the timers of the machines that it had when it was last used. Plans of a
    /// [parked](plan_machine::gate::GateBuilder::parks) machine are not taken into account.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn due(
        &self,
        until: Instant,
        most: u32,
    ) -> Result<Vec<SessionIdentity>, SessionError> {
        Ok(self.store().due(until, most).await?)
    }

    /// Fires all timers that are due by now, in all sessions of the store. Any number of processes can do this at the
    /// same time: each timer fires once.
    ///
    /// A host calls this from time to time, so that the effects of a timer become pending soon after the timer is due.
    /// Decisions about events do not depend on these calls, because a session fires its due timers before it considers
    /// an event.
    ///
    /// # Errors
    ///
    /// If the list of due sessions cannot be read; timers may have fired before that. A session that cannot be woken is
    /// listed in the result instead.
    pub async fn wake(&self, now: Instant) -> Result<WakeReport, SessionError> {
        self.wake_those(now, |_| true).await
    }

    /// Fires the timers that are due by now, like [`wake`](Self::wake), but only in the sessions for which `is_own`
    /// returns `true`. A host that shares its store uses this to leave the sessions of other hosts to those hosts,
    /// without reading them.
    ///
    /// # Errors
    ///
    /// If the list of due sessions cannot be read; timers may have fired before that. A session that cannot be woken is
    /// listed in the result instead.
    pub async fn wake_those(
        &self,
        now: Instant,
        is_own: impl Fn(&SessionIdentity) -> bool + Send,
    ) -> Result<WakeReport, SessionError> {
        let mut woken = WakeReport::default();
        // Each session is tried once: after a session has been woken, its time is not before `now`, so it has nothing
        // left to fire even if it is listed again.
        let mut tried = BTreeSet::new();
        let mut page = PAGE;
        loop {
            let mut due = self.due(now, page).await?;
            let is_whole = due.len() < page as usize;
            due.retain(|session| tried.insert(session.clone()));
            if due.is_empty() && is_whole {
                return Ok(woken);
            }
            if due.is_empty() {
                // Sessions that stay due come first in every list, so the others are further down.
                page = page.saturating_mul(2);
            }
            for session in due.into_iter().filter(&is_own) {
                match self.session(&session).wake(now).await {
                    Ok(done) if done.answer > 0 => woken.fired.push(session),
                    Ok(_) => {}
                    Err(error) => woken.failed.push((session, error)),
                }
            }
        }
    }
}

impl Session {
    /// Fires the timers of this session that are due by now; returns the number of steps that this took. Starting the
    /// timers of a plan that was stored before its state had timers also counts as a step.
    ///
    /// # Errors
    ///
    /// If the session cannot answer. In that case, no timer has fired, unless the outcome is unknown, as
    /// [`StoreError`](crate::store::StoreError) describes.
    pub async fn wake(&self, now: Instant) -> Result<Committed<usize>, SessionError> {
        self.attempt(&EventContext::at(now), &[], |_, known| AttemptOutcome {
            notes_due: true,
            ..AttemptOutcome::plain(known.fired)
        })
        .await
    }

    /// Returns the instant at which the session's next timer is due; `None` if no timer is running.
    ///
    /// # Errors
    ///
    /// If the store fails or the session cannot be read.
    pub async fn due(&self) -> Result<Option<Instant>, SessionError> {
        self.look(|opened| opened.gate.due()).await
    }
}
