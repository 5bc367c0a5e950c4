//! Mutants of timers: a timer is dropped, has another period, or belongs to another state. The handler of a timer is
//! altered like any other handler.

use plan_machine_kernel::timers::Period;

use super::place::{HandlerPlace, StatePlace};
use super::site::Site;
use super::{Kind, Maker};
use crate::model::{EventId, StateId};
use crate::syntax::ast::{State, Timer};

impl<'a> Maker<'a> {
    /// Creates the mutants of a state's timers.
    pub(super) fn timers(&mut self, id: StateId, state: &'a State, place: &StatePlace) {
        for (at, timer) in state.after.iter().enumerate() {
            let Some(event) = self.timer_event(id, timer.period.node) else {
                continue;
            };
            let name = format!("`after: {}` of {}", timer.period.node, state.name.node);
            let own = HandlerPlace::After(place.clone(), at);
            self.site(id, event, |id| Site {
                place: own,
                id,
                name: name.clone(),
                span: timer.period.span,
                handler: &timer.handler,
                inherited: None,
            });
            self.subject = name;
            self.periods(state, place, at);
            self.moves(id, timer, place, at);
        }
    }

    fn timer_event(&self, state: StateId, period: Period) -> Option<EventId> {
        let mut timers = self.machine.timers();
        let found = timers.find(|(_, timer)| timer.state == state && timer.period == period);
        found.map(|(event, _)| event)
    }

    /// Halves and doubles the period of a timer.
    fn periods(&mut self, state: &'a State, place: &StatePlace, at: usize) {
        let Timer { period, .. } = &state.after[at];
        let seconds = period.node.seconds();
        for other in [seconds / 2, seconds * 2] {
            let is_taken = |timer: &Timer| timer.period.node.seconds() == other;
            let other = Period::of_seconds(other).filter(|_| !state.after.iter().any(is_taken));
            let Some(other) = other else { continue };
            let change = format!(
                "`after: {other}` instead of `after: {}` of {}",
                period.node, state.name.node
            );
            let place = place.clone();
            self.make(Kind::Timer, period.span, change, move |spec| {
                let timers = place.find(spec).map(|state| &mut state.after);
                if let Some(timer) = timers.and_then(|timers| timers.get_mut(at)) {
                    timer.period.node = other;
                }
            });
        }
    }

    /// Creates mutants in which a timer belongs to the composite state around its state, or to the leaf inside its
    /// state that is entered first. In the first case, transitions inside the composite state no longer restart the
    /// timer; in the second case, transitions inside the timer's state restart it.
    fn moves(&mut self, id: StateId, timer: &Timer, place: &StatePlace, at: usize) {
        let outer = self.machine.state(id).parent;
        let outer = outer.filter(|outer| self.live_leaves(*outer) > 1);
        let inner = self.machine.state(id).initial_leaf;
        let inner = (inner != id && self.live_leaves(id) > 1).then_some(inner);
        for other in outer.into_iter().chain(inner) {
            if self.timer_event(other, timer.period.node).is_some() {
                continue;
            }
            let to = self.machine.state(other).name.clone();
            let change = format!(
                "move `after: {}` from {} to {to}",
                timer.period.node,
                self.machine.state(id).name
            );
            let place = place.clone();
            self.make(Kind::Timer, timer.period.span, change, move |spec| {
                let timers = place.find(spec).map(|state| &mut state.after);
                let timers = timers.filter(|timers| at < timers.len());
                let Some(timer) = timers.map(|timers| timers.remove(at)) else {
                    return;
                };
                if let Some(state) = state_named(&mut spec.states, &to) {
                    state.after.push(timer);
                }
            });
        }
    }

    /// Returns the number of leaves inside a state that are not final.
    fn live_leaves(&self, state: StateId) -> usize {
        let leaves = self.machine.leaves_under(state).into_iter();
        leaves.filter(|leaf| !self.machine.is_final(*leaf)).count()
    }
}

fn state_named<'s>(states: &'s mut [State], name: &str) -> Option<&'s mut State> {
    for state in states {
        if state.name.node == name {
            return Some(state);
        }
        let inner = state.states.as_mut();
        if let Some(found) = inner.and_then(|inner| state_named(inner, name)) {
            return Some(found);
        }
    }
    None
}
