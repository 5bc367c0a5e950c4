//! Mutants of states: entry and exit actions, handlers, and the gating of host tools.

use super::place::{HandlerPlace, StatePlace, remove};
use super::site::{Site, one_line};
use super::{Kind, Maker};
use crate::model::{Decision, EventId, HandlerId, StateId};
use crate::source::Span;
use crate::syntax::ast::{Emit, Handler, HandlerKind, State, Transition};

impl<'a> Maker<'a> {
    pub(super) fn handlers(&mut self) {
        if let Some(handler) = &self.spec.other_tools {
            let other = self.machine.other_tools();
            self.site(StateId::NONE, other, |id| Site {
                place: HandlerPlace::Top,
                id,
                name: "`other_tools`".to_owned(),
                span: handler.span,
                handler,
                inherited: None,
            });
        }
        let states = &self.spec.states;
        for (at, state) in states.iter().enumerate() {
            self.state(state, &StatePlace::default().child(at), &[]);
        }
    }

    fn state(&mut self, state: &'a State, place: &StatePlace, outer: &[&'a State]) {
        self.emits_of_state(state, place);
        self.requirements_of_state(state, place);
        let Some(id) = self.machine.state_named(&state.name.node) else {
            return;
        };
        for (at, (name, handler)) in state.on.iter().enumerate() {
            let Some(event) = self.machine.event_named(&name.node) else {
                continue;
            };
            let above = outer.iter().rev().find_map(|state| {
                let mut entries = state.on.iter();
                entries.find(|(known, _)| known == name)
            });
            self.site(id, event, |id| Site {
                place: HandlerPlace::On(place.clone(), at),
                id,
                name: format!("`{}` in {}", name.node, state.name.node),
                span: name.span,
                handler,
                inherited: above.map(|(_, handler)| handler),
            });
        }
        if let Some(handler) = &state.other_tools {
            let mut above = outer.iter().rev();
            let inherited = above.find_map(|state| state.other_tools.as_ref());
            self.site(id, self.machine.other_tools(), |id| Site {
                place: HandlerPlace::OtherTools(place.clone()),
                id,
                name: format!("`other_tools` in {}", state.name.node),
                span: handler.span,
                handler,
                inherited,
            });
        }
        self.timers(id, state, place);
        let outer = [outer, &[state]].concat();
        for (at, child) in state.states.iter().flatten().enumerate() {
            self.state(child, &place.child(at), &outer);
        }
    }

    /// Creates mutants of a handler, unless no plan ever reaches the handler: in that case, nothing could detect the
    /// mutants.
    pub(super) fn site(
        &mut self,
        state: StateId,
        event: EventId,
        site: impl FnOnce(HandlerId) -> Site<'a>,
    ) {
        let entry = self.machine.entry(state, event);
        let Some(id) = entry.filter(|id| self.machine.handler(*id).state == state) else {
            return;
        };
        let users = self.machine.users(id);
        if users.iter().any(|leaf| self.machine.can_hold(*leaf)) {
            self.handler(&site(id), self.machine.is_host_tool(event));
        }
    }

    fn handler(&mut self, site: &Site<'a>, host_tool: bool) {
        self.subject.clone_from(&site.name);
        if host_tool {
            for (kind, word) in [(HandlerKind::Run, "run"), (HandlerKind::Deny, "deny")] {
                self.decide(site, kind, word);
            }
        }
        if self.drop_differs(site, host_tool) {
            let is_timer = matches!(site.place, HandlerPlace::After(..));
            let (kind, change) = match (host_tool, is_timer) {
                (true, _) => (Kind::HostTool, format!("drop the entry for {}", site.name)),
                (_, true) => (Kind::Timer, format!("drop {}", site.name)),
                _ => (Kind::Handler, format!("drop the entry for {}", site.name)),
            };
            let place = site.place.clone();
            self.make(kind, site.span, change, move |spec| place.remove(spec));
        }
        if let HandlerKind::Transitions(alternatives) = &site.handler.kind {
            for (at, written) in alternatives.iter().enumerate() {
                self.alternative(site, at, written);
            }
            self.subject.clone_from(&site.name);
            for (at, pair) in alternatives.windows(2).enumerate() {
                self.swap(site, at, pair);
            }
        }
    }

    /// Creates a mutant in which a host tool runs, or is denied, whatever the spec says.
    fn decide(&mut self, site: &Site<'a>, decided: HandlerKind, word: &str) {
        if site.handler.kind == decided {
            return;
        }
        let written = match site.handler.kind {
            HandlerKind::Run => "`run`",
            HandlerKind::Deny => "`deny`",
            HandlerKind::Transitions(_) => "the transition",
        };
        let change = format!("`{word}` instead of {written} for {}", site.name);
        let place = site.place.clone();
        self.make(Kind::HostTool, site.handler.span, change, move |spec| {
            if let Some(handler) = place.find(spec) {
                handler.kind = decided.clone();
            }
        });
    }

    /// Returns whether dropping the entry is a distinct change: the result must differ from the inherited entry and,
    /// for a host tool, from an entry with `run` or `deny`.
    fn drop_differs(&self, site: &Site<'a>, host_tool: bool) -> bool {
        let same = |inherited: &Handler| inherited.kind == site.handler.kind;
        if site.inherited.is_some_and(same) {
            return false;
        }
        let without = || {
            let users = self.machine.users(site.id).into_iter();
            users.map(|leaf| self.decision_without(site.id, leaf))
        };
        let all = |decision: Decision| without().all(|found| found == decision);
        !(host_tool && (all(Decision::Run) || all(Decision::Deny)))
    }

    /// Returns what happens to a host tool in a leaf if a handler is dropped.
    fn decision_without(&self, id: HandlerId, leaf: StateId) -> Decision {
        let machine = self.machine;
        let handler = machine.handler(id);
        let outer = machine.state(handler.state).parent;
        let outer = outer.and_then(|outer| machine.entry(outer, handler.event));
        let other = machine.other_tools();
        match outer {
            Some(outer) => machine.decision(machine.handler(outer).state, handler.event),
            None if handler.event == other => Decision::Run,
            None => machine.decision(leaf, other),
        }
    }

    fn requirements_of_state(&mut self, state: &'a State, place: &StatePlace) {
        for (at, (event, require)) in state.require.iter().enumerate() {
            let shown = one_line(&require.that.text);
            let (event, name) = (&event.node, &state.name.node);
            self.subject = format!("the requirements of {name}");
            let change = format!("drop the requirement `{shown}` for `{event}` in {name}");
            let place = place.clone();
            self.make(Kind::Require, require.that.expr.span, change, move |spec| {
                if let Some(state) = place.find(spec) {
                    remove(&mut state.require, at);
                }
            });
        }
    }

    fn emits_of_state(&mut self, state: &'a State, place: &StatePlace) {
        type Emits = fn(&mut State) -> &mut Vec<Emit>;
        let kinds: [(&[Emit], &str, Emits); 2] = [
            (&state.enter, "enter", |state| &mut state.enter),
            (&state.exit, "exit", |state| &mut state.exit),
        ];
        for (written, word, emits) in kinds {
            self.subject = format!("`{word}` of {}", state.name.node);
            for (at, emit) in written.iter().enumerate() {
                let of = format!("from `{word}` of {}", state.name.node);
                let change = format!("drop `emit: {}` {of}", emit.effect.node);
                let own = place.clone();
                self.make(Kind::Emit, emit.effect.span, change, move |spec| {
                    if let Some(state) = own.find(spec) {
                        remove(emits(state), at);
                    }
                });
                for (span, change, edit) in self.field_changes(emit) {
                    let place = place.clone();
                    let change = format!("{change} {of}");
                    self.make(Kind::Emit, span, change, move |spec| {
                        let emits = place.find(spec).map(emits);
                        if let Some(emit) = emits.and_then(|emits| emits.get_mut(at)) {
                            edit(emit);
                        }
                    });
                }
            }
        }
    }

    /// Creates a mutant of one alternative.
    pub(super) fn alter(
        &mut self,
        (site, at): (&Site<'a>, usize),
        kind: Kind,
        span: Span,
        change: impl AsRef<str>,
        edit: impl Fn(&mut Transition) + Send + Sync + 'static,
    ) {
        let change = change.as_ref();
        let word = if change.starts_with("drop ") {
            "from"
        } else {
            "for"
        };
        let change = format!("{change} {word} {}", site.alternative(at));
        let place = site.place.clone();
        self.make(kind, span, change, move |spec| {
            if let Some(transition) = place.alternatives(spec).get_mut(at) {
                edit(transition);
            }
        });
        // A location before the name of the event means that the text was inserted through an alias.
        if span.order() < site.span.order()
            && let Some(made) = self.made.last_mut()
        {
            made.used = Some(site.span);
        }
    }
}
