//! Locations in a syntax tree that can be found again in a copy of the tree.

use crate::syntax::ast::{Field, Handler, HandlerKind, Spec, State, Transition};

/// A state, given by its index among its siblings at each level.
#[derive(Clone, Debug, Default)]
pub(super) struct StatePlace(Vec<usize>);

impl StatePlace {
    /// Returns the child of this state at index `at`.
    pub(super) fn child(&self, at: usize) -> Self {
        Self([&self.0[..], &[at]].concat())
    }

    pub(super) fn find<'s>(&self, spec: &'s mut Spec) -> Option<&'s mut State> {
        let (first, inner) = self.0.split_first()?;
        let mut state = spec.states.get_mut(*first)?;
        for at in inner {
            state = state.states.as_mut()?.get_mut(*at)?;
        }
        Some(state)
    }
}

/// A location in the syntax tree that declares how an event is handled.
#[derive(Clone, Debug)]
pub(super) enum HandlerPlace {
    /// An entry of the `on` of a state.
    On(StatePlace, usize),
    /// The `other_tools` of a state.
    OtherTools(StatePlace),
    /// A timer of a state.
    After(StatePlace, usize),
    /// The `other_tools` of the whole spec.
    Top,
}

impl HandlerPlace {
    pub(super) fn find<'s>(&self, spec: &'s mut Spec) -> Option<&'s mut Handler> {
        match self {
            Self::On(state, at) => state
                .find(spec)?
                .on
                .get_mut(*at)
                .map(|(_, handler)| handler),
            Self::OtherTools(state) => state.find(spec)?.other_tools.as_mut(),
            Self::After(state, at) => state
                .find(spec)?
                .after
                .get_mut(*at)
                .map(|timer| &mut timer.handler),
            Self::Top => spec.other_tools.as_mut(),
        }
    }

    pub(super) fn remove(&self, spec: &mut Spec) {
        match self {
            Self::On(state, at) => {
                if let Some(state) = state.find(spec) {
                    remove(&mut state.on, *at);
                }
            }
            Self::OtherTools(state) => {
                if let Some(state) = state.find(spec) {
                    state.other_tools = None;
                }
            }
            Self::After(state, at) => {
                if let Some(state) = state.find(spec) {
                    remove(&mut state.after, *at);
                }
            }
            Self::Top => spec.other_tools = None,
        }
    }

    /// Returns the alternatives of the handler; empty if the handler is `run` or `deny`.
    pub(super) fn alternatives<'s>(&self, spec: &'s mut Spec) -> &'s mut [Transition] {
        match self.find(spec).map(|handler| &mut handler.kind) {
            Some(HandlerKind::Transitions(alternatives)) => alternatives,
            _ => &mut [],
        }
    }
}

/// A group of fields that can have bounds.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldsPlace {
    Command(usize),
    Signal(usize),
    Tool(usize),
    Data,
}

impl FieldsPlace {
    pub(super) fn find(self, spec: &mut Spec, at: usize) -> Option<&mut Field> {
        let fields = match self {
            Self::Command(event) => &mut spec.commands.get_mut(event)?.input,
            Self::Signal(event) => &mut spec.signals.get_mut(event)?.input,
            Self::Tool(event) => &mut spec.tools.get_mut(event)?.input,
            Self::Data => &mut spec.data,
        };
        fields.get_mut(at)
    }
}

/// Removes the entry at an index, if it exists.
pub(super) fn remove<T>(all: &mut Vec<T>, at: usize) {
    if at < all.len() {
        all.remove(at);
    }
}
