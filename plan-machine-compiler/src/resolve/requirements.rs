//! Resolves the requirements of states. Each requirement is checked for its event in the state and in all states inside
//! it.
//!
//! The requirements of a state are added to the transitions that are taken in the state and in the states inside it,
//! and are checked before the transitions' own requirements. If plans outside the state use the same handler, the state
//! gets its own copy of the handler, so that those plans do not have to meet the requirements of this state.

use super::Resolver;
use super::states::Pending;
use crate::diagnostic::{Code, Diagnostic, Loss};
use crate::model::machine::{Handler, HandlerKind};
use crate::model::{EventId, HandlerId, StateId, TransitionId};
use crate::syntax::ast::{self, Name};

impl Resolver<'_> {
    /// Declares the requirements of states. If a state has requirements for an event, and leaves outside the state use
    /// the same inherited handler for that event, the state gets its own copy of the handler.
    pub(super) fn declare_requirements(&mut self, pending: &mut Pending<'_>) {
        // Outer states come first, so that an inner state copies the handler of the outer state.
        for index in 0..pending.states.len() {
            let Some(state) = pending.states[index] else {
                continue;
            };
            let mut seen: Vec<&str> = Vec::new();
            for (name, _) in &state.require {
                if seen.contains(&name.as_str()) {
                    continue;
                }
                seen.push(name.as_str());
                if let Some(event) = self.event(name) {
                    self.declare_requirement(StateId::at(index), event, name, pending);
                }
            }
        }
    }

    fn declare_requirement(
        &mut self,
        state: StateId,
        event: EventId,
        name: &Name,
        pending: &mut Pending<'_>,
    ) {
        let machine = &self.machine;
        let leaves = machine.leaves_under(state).into_iter();
        let entries = leaves.filter_map(|leaf| machine.entry(leaf, event));
        let taken: Vec<HandlerId> = entries
            .filter(|id| matches!(machine.handler(*id).kind, HandlerKind::Transitions(_)))
            .collect();
        if taken.is_empty() {
            self.never_required(state, event, name);
            return;
        }
        let is_outside = |id: &HandlerId| !machine.is_within(machine.handler(*id).state, state);
        let Some(outer) = taken.into_iter().find(is_outside) else {
            return;
        };
        let users = machine.users(outer);
        if !users.iter().all(|leaf| machine.is_within(*leaf, state)) {
            self.repeat_handler(outer, state, pending);
        }
    }

    /// Gives `state` its own copy of a handler that leaf states outside `state` also use.
    fn repeat_handler(&mut self, outer: HandlerId, state: StateId, pending: &mut Pending<'_>) {
        let mut handler = self.machine.handler(outer).clone();
        let HandlerKind::Transitions(alternatives) = &mut handler.kind else {
            return;
        };
        let id = HandlerId::at(self.machine.handlers.len());
        for alternative in alternatives {
            let mut transition = self.machine.transition(*alternative).clone();
            transition.handler = id;
            pending
                .transitions
                .push(pending.transitions[alternative.index()]);
            *alternative = TransitionId::at(self.machine.transitions.len());
            self.machine.transitions.push(transition);
        }
        handler.state = state;
        let event = handler.event;
        self.machine.handlers.push(handler);
        let on = &mut self.machine.states[state.index()].on;
        on.push((event, id));
        on.sort_by_key(|(event, _)| *event);
    }

    fn never_required(&mut self, state: StateId, event: EventId, name: &Name) {
        // The handler that applies may be one that could not be read.
        if self.sink.lacks(&[Loss::Handler, Loss::Text]) {
            return;
        }
        let machine = &self.machine;
        let place = machine.state(state);
        let nowhere = if place.is_leaf() {
            format!("`{}` has no transition for", place.name)
        } else {
            format!("no state in `{}` has a transition for", place.name)
        };
        let message = format!(
            "{nowhere} `{}`, so this requirement is never checked",
            name.node
        );
        let elsewhere = machine.leaves();
        let elsewhere = elsewhere.filter(|leaf| machine.alternatives(*leaf, event).is_some());
        let elsewhere: Vec<String> = elsewhere
            .map(|leaf| format!("`{}`", machine.state(leaf).name))
            .collect();
        let help = if elsewhere.is_empty() {
            let event = &name.node;
            format!("handle `{event}` with a transition in this state, or remove the requirement")
        } else {
            format!(
                "`{}` has a transition only in {}",
                name.node,
                elsewhere.join(", ")
            )
        };
        self.report(Diagnostic::new(Code::PM0308, name.span, message).help(help));
    }

    /// Returns the requirements for a handler's event, outermost state first. Only states that enclose every leaf that
    /// uses the handler contribute.
    pub(super) fn required_around<'s>(
        &self,
        handler: HandlerId,
        pending: &Pending<'s>,
    ) -> Vec<&'s ast::Require> {
        let Handler { state, event, .. } = *self.machine.handler(handler);
        let event = &self.machine.event(event).name;
        let users = self.machine.users(handler);
        let innermost = users.first().copied().unwrap_or(state);
        let states = self.machine.ancestry(innermost);
        let mut states: Vec<StateId> = states
            .filter(|outer| {
                users
                    .iter()
                    .all(|leaf| self.machine.is_within(*leaf, *outer))
            })
            .collect();
        states.reverse();
        let states = states.into_iter();
        let states = states.filter_map(|id| pending.states[id.index()]);
        states
            .flat_map(|state| &state.require)
            .filter(|(name, _)| name.node == *event)
            .map(|(_, require)| require)
            .collect()
    }
}
