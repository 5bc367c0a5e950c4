//! The timers of a machine.

use super::ids::{EventId, StateId};
use super::machine::{EventKind, Machine, StateTimer, Transition};

impl Machine {
    /// Returns the timers, in the order of the states that declare them, with the events that represent them.
    pub fn timers(&self) -> impl Iterator<Item = (EventId, StateTimer)> {
        self.event_ids()
            .filter_map(|id| self.timer(id).map(|timer| (id, timer)))
    }

    /// Returns the timer that an event represents.
    #[must_use]
    pub fn timer(&self, event: EventId) -> Option<StateTimer> {
        match self.event(event).kind {
            EventKind::Timer(timer) => Some(timer),
            _ => None,
        }
    }

    /// Returns whether the machine has timers.
    #[must_use]
    pub fn has_timers(&self) -> bool {
        self.timers().next().is_some()
    }

    /// Returns the index of a timer among all timers, as it appears in records.
    #[must_use]
    pub fn timer_place(&self, event: EventId) -> u16 {
        let at = self.timers().position(|(id, _)| id == event);
        at.and_then(|at| u16::try_from(at).ok()).unwrap_or(u16::MAX)
    }

    /// Returns the event of the timer at an index among all timers.
    #[must_use]
    pub fn timer_at(&self, place: u16) -> Option<EventId> {
        self.timers().nth(usize::from(place)).map(|(id, _)| id)
    }

    /// Returns whether a timer leaves its state whenever it fires, so that it never stays behind, spent.
    #[must_use]
    pub fn always_leaves(&self, event: EventId) -> bool {
        let Some(StateTimer { state, .. }) = self.timer(event) else {
            return false;
        };
        let leaves = |transition: &Transition| {
            transition.next.is_some() || transition.to.is_some_and(|to| self.restarts(state, to))
        };
        let all = self.alternatives(state, event).unwrap_or_default();
        let mut all = all.iter().map(|id| self.transition(*id));
        all.clone().all(leaves) && all.next_back().is_some_and(|last| last.when.is_none())
    }

    /// Returns whether a record inside a state that moves to `to` leaves the state.
    fn restarts(&self, state: StateId, to: StateId) -> bool {
        let target = self.state(to).initial_leaf;
        self.leaves_under(state)
            .into_iter()
            .all(|leaf| self.path(leaf, target).0.contains(&state))
    }
}
