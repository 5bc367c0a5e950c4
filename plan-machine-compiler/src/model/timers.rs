//! The timers of a machine.

use super::ids::{EventId, StateId};
use super::machine::{EventKind, Machine, StateTimer, Transition};

/// The name by which an invariant refers to all timers of a machine.
pub(crate) const TIMER: &str = "timer";

impl Machine {
    /// Returns all timers, if a name in an invariant means all of them.
    #[must_use]
    pub fn timers_named(&self, name: &str) -> Option<Vec<EventId>> {
        let is_meant = name == TIMER && self.has_timers();
        is_meant.then(|| self.timers().map(|(id, _)| id).collect())
    }

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

    /// Returns whether this timer is the first to fire if a record stays in the leaf long enough. A timer that could
    /// not take a transition when it was due is spent and no longer fires; this method ignores that case.
    #[must_use]
    pub fn fires_next(&self, leaf: StateId, event: EventId) -> bool {
        let Some(own) = self.timer(event) else {
            return false;
        };
        let others = self.timers().filter(|(id, _)| *id != event);
        let mut others = others
            .filter(|(_, other)| self.is_within(leaf, other.state))
            .peekable();
        let alone = others.peek().is_none();
        // A timer of the same state, or of a state inside that state, started at the same time as this timer or later.
        let mut others = others.map(|(_, other)| other);
        let is_later = |other: StateTimer| {
            self.is_within(other.state, own.state) && other.period >= own.period
        };
        self.always_leaves(event)
            && others.all(is_later)
            && (alone || !self.comes_back_by_time(event))
    }

    /// Returns whether the record exits the timer's state or leaves the slot, whichever transition of the timer is
    /// taken. Otherwise, a transition could keep the record in the state with a spent timer.
    fn always_leaves(&self, event: EventId) -> bool {
        let Some(StateTimer { state, .. }) = self.timer(event) else {
            return false;
        };
        let leaves = |transition: &Transition| {
            transition.next.is_some() || transition.to.is_some_and(|to| self.restarts(state, to))
        };
        let all = self.alternatives(state, event).unwrap_or_default();
        all.iter().all(|id| leaves(self.transition(*id)))
    }

    /// Returns whether timers alone can lead back to the state of a timer after it has fired. If that happens during a
    /// catch-up, this timer starts again only at the end of the catch-up, and other timers of the same state may have
    /// started earlier.
    fn comes_back_by_time(&self, event: EventId) -> bool {
        let Some(StateTimer { state, .. }) = self.timer(event) else {
            return false;
        };
        let leaves = self.leaves_under(state).into_iter();
        let mut open: Vec<(StateId, EventId)> = leaves.map(|leaf| (leaf, event)).collect();
        let mut seen = Vec::new();
        while let Some((leaf, fired)) = open.pop() {
            for id in self.alternatives(leaf, fired).unwrap_or_default() {
                let Some((to, entered)) = self.led_by(leaf, self.transition(*id)) else {
                    continue;
                };
                if entered.contains(&state) {
                    return true;
                }
                if !seen.contains(&to) {
                    seen.push(to);
                    let timers = self.timers();
                    let timers = timers.filter(|(_, timer)| self.is_within(to, timer.state));
                    open.extend(timers.map(|(fired, _)| (to, fired)));
                }
            }
        }
        false
    }

    /// Returns the leaf that a transition leads to, and the states that are entered; `None` if no state is entered.
    fn led_by(&self, leaf: StateId, transition: &Transition) -> Option<(StateId, Vec<StateId>)> {
        if transition.next.is_some() {
            let to = self.successor(transition)?;
            return Some((to, self.entries_from_root(to)));
        }
        transition.to?;
        let to = self.target(leaf, transition);
        Some((to, self.path(leaf, to).1))
    }

    /// Returns whether every record inside `state` leaves `state` when it moves to `to`.
    fn restarts(&self, state: StateId, to: StateId) -> bool {
        let target = self.state(to).initial_leaf;
        self.leaves_under(state)
            .into_iter()
            .all(|leaf| self.path(leaf, target).0.contains(&state))
    }
}
