//! Turns the tree of states into a table. Handlers and transitions get their ids here; expressions are resolved later.

use super::{Resolver, declare, text};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::machine::{EventKind, Handler, HandlerKind, Next, State, Transition};
use crate::model::types::Type;
use crate::model::{EventId, FieldId, HandlerId, StateId, TransitionId};
use crate::source::Span;
use crate::syntax::ast::{self, Name, Spec};

/// States and transitions that already have an id, but whose expressions are not resolved yet.
#[derive(Default)]
pub(super) struct Pending<'s> {
    /// Each transition as written, by its id.
    pub(super) transitions: Vec<&'s ast::Transition>,
    /// Each state as written, by its id; `none` may be missing.
    pub(super) states: Vec<Option<&'s ast::State>>,
}

impl Resolver<'_> {
    pub(super) fn declare_states<'s>(&mut self, spec: &'s Spec) -> Pending<'s> {
        let mut pending = Pending::default();
        let none = spec.states.iter().find(|state| state.name.node == "none");
        self.add_none(none, &mut pending);
        for state in spec.states.iter().filter(|state| state.name.node != "none") {
            self.add_state(state, None, &mut pending);
        }
        self.resolve_initials(&pending);
        for index in 0..pending.states.len() {
            if let Some(state) = pending.states[index] {
                self.declare_handlers(StateId::at(index), state, &mut pending);
                self.resolve_has(StateId::at(index), state);
            }
        }
        self.declare_top_other_tools(spec, &mut pending);
        self.declare_requirements(&mut pending);
        pending
    }

    fn add_none<'s>(&mut self, none: Option<&'s ast::State>, pending: &mut Pending<'s>) {
        let span = none.map_or(self.machine.span, |state| state.name.span);
        self.states.insert("none".to_owned(), StateId::NONE);
        self.machine.states.push(blank("none", span, None));
        pending.states.push(none);
        let Some(state) = none else { return };
        self.machine.states[0].doc = text(state.doc.as_ref());
        self.machine.states[0].prompt = prompt(state);
        self.machine.states[0].requires = !state.require.is_empty();
        for (key, written) in [
            ("title", state.title.as_ref().map(|title| title.span)),
            ("initial", state.initial.as_ref().map(|name| name.span)),
            ("final", state.is_final),
            ("has", state.has.first().map(|name| name.span)),
            ("enter", state.enter.first().map(|emit| emit.effect.span)),
            ("exit", state.exit.first().map(|emit| emit.effect.span)),
            ("states", state.states.as_ref().map(|_| state.name.span)),
        ] {
            if let Some(span) = written {
                let message = format!("`none` cannot have `{key}`: in `none`, there is no plan");
                self.report(Diagnostic::new(Code::PM0103, span, message));
            }
        }
    }

    fn add_state<'s>(
        &mut self,
        state: &'s ast::State,
        parent: Option<StateId>,
        pending: &mut Pending<'s>,
    ) {
        let name = &state.name;
        declare::reserved(self.sink, "state", &name.node, name.span);
        if let Some(first) = self.states.get(&name.node) {
            let first = self.machine.state(*first).span;
            declare::twice(self.sink, "state", &name.node, name.span, first);
            return;
        }
        let id = StateId::at(self.machine.states.len());
        self.states.insert(name.node.clone(), id);
        let mut made = blank(&name.node, name.span, parent);
        made.doc = text(state.doc.as_ref());
        made.title = text(state.title.as_ref());
        made.is_final = state.is_final.is_some();
        made.prompt = prompt(state);
        made.requires = !state.require.is_empty();
        made.initial_leaf = id;
        self.machine.states.push(made);
        pending.states.push(Some(state));
        if let Some(parent) = parent {
            self.machine.states[parent.index()].children.push(id);
        }
        for child in state.states.iter().flatten() {
            self.add_state(child, Some(id), pending);
        }
        self.check_children(id, state);
    }

    fn check_children(&mut self, id: StateId, state: &ast::State) {
        let name = &state.name;
        let children = !self.machine.state(id).children.is_empty();
        if state.states.is_some() && !children {
            let message = format!("the composite `{}` has no children", name.node);
            let help = "add states to the composite, or remove `states` to make it a leaf";
            self.report(Diagnostic::new(Code::PM0201, name.span, message).help(help));
        }
        if let (Some(title), true) = (&state.title, children) {
            let message = format!("the composite `{}` cannot have a `title`", name.node);
            let help = "messages name the leaf that a plan is in: move `title` to the child states";
            self.report(Diagnostic::new(Code::PM0107, title.span, message).help(help));
        }
        if let (Some(span), true) = (state.is_final, children) {
            let message = format!("the final state `{}` has children", name.node);
            let help = "make the child states final instead";
            self.report(Diagnostic::new(Code::PM0202, span, message).help(help));
        }
    }

    /// Determines, from the leaves up, the leaf that is entered when a composite is the target.
    fn resolve_initials(&mut self, pending: &Pending<'_>) {
        for index in (0..self.machine.states.len()).rev() {
            let children = self.machine.states[index].children.clone();
            let initial = pending.states[index].and_then(|state| state.initial.as_ref());
            let first = children.first().copied();
            let chosen = match initial {
                Some(name) => self.initial_child(name, &children, index).or(first),
                None => first,
            };
            if let Some(child) = chosen {
                self.machine.states[index].initial_leaf = self.machine.state(child).initial_leaf;
            }
        }
    }

    fn initial_child(&mut self, name: &Name, children: &[StateId], of: usize) -> Option<StateId> {
        let named = |id: &&StateId| self.machine.state(**id).name == name.node;
        let found = children.iter().find(named).copied();
        if found.is_none() && of != 0 {
            let parent = &self.machine.states[of].name;
            let message = format!("`{}` is not a child of `{parent}`", name.node);
            let known: Vec<&str> = children
                .iter()
                .map(|id| self.machine.state(*id).name.as_str())
                .collect();
            let help = match &known[..] {
                [] => "a state without `states` has no initial child: remove `initial`".to_owned(),
                known => format!(
                    "`initial` must name a child of this state: {}",
                    known.join(", ")
                ),
            };
            let found = Diagnostic::new(Code::PM0201, name.span, message)
                .did_you_mean_one_of(self.sink, &name.node, known)
                .help(help);
            self.report(found);
        }
        found
    }

    fn resolve_has(&mut self, id: StateId, state: &ast::State) {
        for name in &state.has {
            let Some(field) = self.field(name) else {
                continue;
            };
            let ty = &self.machine.field(field).ty;
            if !matches!(ty, Type::Optional(_) | Type::Unknown) {
                let message = format!(
                    "`{}` is not optional, so it is always set: `has` can list only optional fields",
                    name.node
                );
                self.report(Diagnostic::new(Code::PM0107, name.span, message));
                continue;
            }
            let has = &mut self.machine.states[id.index()].has;
            if has
                .iter()
                .any(|(known, _): &(FieldId, Span)| *known == field)
            {
                let message = format!("`has` lists `{}` twice", name.node);
                self.report(Diagnostic::new(Code::PM0104, name.span, message));
                continue;
            }
            has.push((field, name.span));
        }
    }

    fn declare_handlers<'s>(
        &mut self,
        id: StateId,
        state: &'s ast::State,
        pending: &mut Pending<'s>,
    ) {
        for (name, handler) in &state.on {
            if name.node == "other_tools" {
                let message = "`other_tools` goes next to `on`, not inside it";
                self.report(Diagnostic::new(Code::PM0103, name.span, message));
                continue;
            }
            if let Some(event) = self.event(name) {
                self.check_host_tool(id, event, name);
                self.add_handler(id, event, name.span, handler, pending);
            }
        }
        if let Some(handler) = &state.other_tools {
            if self.machine.is_many() {
                let message =
                    "with `instances: many`, `other_tools` goes at the top level of the spec";
                self.report(Diagnostic::new(Code::PM0103, handler.span, message));
            }
            let event = self.machine.other_tools();
            self.add_handler(id, event, handler.span, handler, pending);
        }
        self.declare_timer_handlers(id, state, pending);
        self.machine.states[id.index()]
            .on
            .sort_by_key(|(event, _)| *event);
    }

    /// Reports a host tool handled by a single record: in a machine with many instances, no single record can decide
    /// whether a host tool runs.
    fn check_host_tool(&mut self, state: StateId, event: EventId, name: &Name) {
        let external = matches!(self.machine.event(event).kind, EventKind::External);
        if external && self.machine.is_many() && state != StateId::NONE {
            let message = format!(
                "with `instances: many`, a host tool such as `{}` can be handled only in `none`",
                name.node
            );
            self.report(Diagnostic::new(Code::PM0103, name.span, message));
        }
    }

    /// Declares the top-level `other_tools`: in a machine with many instances, the handler in
    /// `none` decides what happens to calls to other tools in the whole session.
    fn declare_top_other_tools<'s>(&mut self, spec: &'s Spec, pending: &mut Pending<'s>) {
        let Some(handler) = &spec.other_tools else {
            return;
        };
        if !self.machine.is_many() {
            let message = "in a machine with one instance, `other_tools` goes in the states, not at the top level";
            self.report(Diagnostic::new(Code::PM0103, handler.span, message));
            return;
        }
        let event = self.machine.other_tools();
        self.add_handler(StateId::NONE, event, handler.span, handler, pending);
        self.machine.states[0].on.sort_by_key(|(event, _)| *event);
    }

    pub(super) fn add_handler<'s>(
        &mut self,
        state: StateId,
        event: EventId,
        span: Span,
        handler: &'s ast::Handler,
        pending: &mut Pending<'s>,
    ) {
        let id = HandlerId::at(self.machine.handlers.len());
        let kind = match &handler.kind {
            ast::HandlerKind::Run => HandlerKind::Run,
            ast::HandlerKind::Deny => HandlerKind::Deny,
            ast::HandlerKind::Transitions(alternatives) => HandlerKind::Transitions(
                alternatives
                    .iter()
                    .map(|alternative| self.add_transition(id, alternative, pending))
                    .collect(),
            ),
        };
        self.machine.handlers.push(Handler {
            state,
            event,
            span,
            kind,
        });
        self.machine.states[state.index()].on.push((event, id));
    }

    fn add_transition<'s>(
        &mut self,
        handler: HandlerId,
        written: &'s ast::Transition,
        pending: &mut Pending<'s>,
    ) -> TransitionId {
        let to = written.to.as_ref().and_then(|name| self.target(name));
        let next = written.next.as_ref().and_then(|next| match &next.node {
            ast::Next::None => Some(Next::None),
            ast::Next::Copy(name) => self.state(name).map(Next::Copy),
            ast::Next::Fresh(name) => self.state(name).map(Next::Fresh),
        });
        let id = TransitionId::at(self.machine.transitions.len());
        pending.transitions.push(written);
        self.machine.transitions.push(Transition {
            handler,
            span: written.span,
            to,
            next,
            when: None,
            require: Vec::new(),
            changes: Vec::new(),
            emit: Vec::new(),
            reply: None,
            fate: written.fate,
        });
        id
    }

    fn target(&mut self, name: &Name) -> Option<StateId> {
        let state = self.state(name)?;
        if state == StateId::NONE {
            let message = "a record cannot move to `none`: use `next: none` to remove the record from the slot";
            self.report(Diagnostic::new(Code::PM0205, name.span, message));
            return None;
        }
        Some(state)
    }
}

fn blank(name: &str, span: Span, parent: Option<StateId>) -> State {
    State {
        name: name.to_owned(),
        span,
        doc: None,
        title: None,
        parent,
        children: Vec::new(),
        initial_leaf: StateId::NONE,
        is_final: false,
        has: Vec::new(),
        prompt: None,
        unavailable: Vec::new(),
        requires: false,
        on: Vec::new(),
        enter: Vec::new(),
        exit: Vec::new(),
    }
}

fn prompt(state: &ast::State) -> Option<(String, Span)> {
    state
        .prompt
        .as_ref()
        .map(|text| (text.node.clone(), text.span))
}
