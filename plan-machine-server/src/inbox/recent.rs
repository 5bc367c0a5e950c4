//! The most recently active sessions.

use std::collections::{BTreeMap, HashMap};

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{Entry, EntryKind};
use plan_machine_sessions::store::Place;

/// The number of sessions that are kept. Older ones are still in the store.
const MOST: usize = 10_000;

/// The number of plans that are kept for a session.
const MOST_PLANS: usize = 16;

/// The summary of a session that a list shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionSummary {
    /// The session.
    pub(crate) session: SessionIdentity,
    /// The number of its last entry.
    pub(crate) seq: u64,
    /// The time of its last entry.
    pub(crate) at: Instant,
    /// The position of its last entry among all entries.
    pub(crate) place: Place,
    /// Its plans: the name of the machine, the id and the state of each plan.
    pub(crate) states: Vec<(String, String, String)>,
}

/// The most recently active sessions.
#[derive(Debug, Default)]
pub(super) struct Recent {
    sessions: HashMap<SessionIdentity, SessionSummary>,
    order: BTreeMap<Place, SessionIdentity>,
}

impl Recent {
    /// Updates the summary of a session with its next entry. `is_many` says whether the machine of the entry has many
    /// plans.
    pub(super) fn follow(
        &mut self,
        session: &SessionIdentity,
        place: Place,
        entry: &Entry,
        is_many: bool,
    ) {
        let known = self.sessions.remove(session);
        if let Some(known) = &known {
            self.order.remove(&known.place);
        }
        let mut states = known.map(|known| known.states).unwrap_or_default();
        let step = &entry.step;
        if matches!(entry.kind, EntryKind::Restarted { .. }) {
            states.clear();
        }
        if let Some(ended) = &step.acceptance.ended {
            states
                .retain(|(machine, plan, _)| *machine != step.machine || ended.id != plan.as_str());
        }
        for plan in &step.acceptance.plans {
            let id = plan.id.as_str();
            states
                .retain(|(machine, known, _)| *machine != step.machine || (is_many && known != id));
            let state = (
                step.machine.to_string(),
                id.to_owned(),
                plan.state.to_string(),
            );
            states.push(state);
        }
        let surplus = states.len().saturating_sub(MOST_PLANS);
        states.drain(..surplus);
        let summary = SessionSummary {
            session: session.clone(),
            seq: entry.seq,
            at: step.at,
            place,
            states,
        };
        self.order.insert(place, session.clone());
        self.sessions.insert(session.clone(), summary);
        if self.sessions.len() > MOST
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.sessions.remove(&oldest);
        }
    }

    /// Returns the summary of a session.
    pub(super) fn get(&self, session: &SessionIdentity) -> Option<&SessionSummary> {
        self.sessions.get(session)
    }

    /// Returns the sessions before a position, latest first.
    pub(super) fn before(&self, place: Option<Place>) -> impl Iterator<Item = &SessionSummary> {
        use std::ops::Bound::{Excluded, Unbounded};
        let end = place.map_or(Unbounded, Excluded);
        let order = self.order.range((Unbounded, end)).rev();
        order.filter_map(|(_, session)| self.sessions.get(session))
    }
}
