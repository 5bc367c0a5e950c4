//! Reads states and their handlers.

use super::declarations::unavailable;
use super::entries::declared;
use super::reader::{Reader, is_nothing};
use super::transitions::{alternative, emits, requirements, transition};
use super::tree::{Node, NodeKind};
use crate::source::Spanned;
use crate::syntax::ast::{
    Handler, HandlerKind, Name, Require, State, Timer, Transition, same_period,
};

pub(super) const KEYS: [&str; 14] = [
    "doc",
    "title",
    "initial",
    "final",
    "has",
    "prompt",
    "unavailable",
    "require",
    "on",
    "other_tools",
    "after",
    "enter",
    "exit",
    "states",
];

pub(super) fn state(reader: &mut Reader<'_>, name: &Name, node: &Node) -> State {
    let mut state = State::named(name.clone());
    for (key, node) in reader.map(node, "a state").iter() {
        match key.as_str() {
            "doc" => state.doc = reader.prose(node, "`doc`"),
            "title" => state.title = reader.prose(node, "`title`"),
            "initial" => state.initial = reader.name(node, "`initial`"),
            "final" => state.is_final = reader.flag(node, "`final`"),
            "has" => state.has = reader.names(node, "`has`"),
            "prompt" => state.prompt = reader.prose(node, "`prompt`"),
            "unavailable" => {
                state.unavailable =
                    declared(reader, node, "`unavailable`", |reader, event, node| {
                        Some((event.clone(), unavailable(reader, node)?))
                    });
            }
            "require" => state.require = required(reader, node),
            "on" => state.on = declared(reader, node, "`on`", handled),
            "other_tools" => state.other_tools = handler(reader, node),
            "after" => state.after = timers(reader, node),
            "enter" => state.enter = emitting(reader, node, "`enter`"),
            "exit" => state.exit = emitting(reader, node, "`exit`"),
            "states" => {
                state.states = Some(declared(reader, node, "`states`", |reader, name, node| {
                    Some(self::state(reader, name, node))
                }));
            }
            _ => reader.unknown_key(key, "a state", &KEYS),
        }
    }
    state
}

/// Reads requirements, grouped by the event that they apply to.
fn required(reader: &mut Reader<'_>, node: &Node) -> Vec<(Name, Require)> {
    if matches!(node.kind, NodeKind::Sequence(_)) {
        let message =
            "this `require` does not name an event: write `{ approve: [{ that: …, else: … }] }`";
        reader.shape(node.span, message);
        return Vec::new();
    }
    let by_event = declared(reader, node, "`require`", |reader, event, node| {
        let before = reader.problems();
        let all = requirements(reader, node);
        if all.is_empty() && reader.problems() == before {
            reader.shape(
                node.span,
                "this list of requirements is empty; add at least one requirement",
            );
        }
        let named = all.into_iter().map(|require| (event.clone(), require));
        Some(named.collect::<Vec<_>>())
    });
    by_event.into_iter().flatten().collect()
}

/// Reads timers: `{ 1h: EXPIRED }`. Two timers of a state cannot have the same period.
fn timers(reader: &mut Reader<'_>, node: &Node) -> Vec<Timer> {
    let mut all: Vec<Timer> = Vec::new();
    for (key, node) in reader.map(node, "`after`").iter() {
        let period = match key.node.parse() {
            Ok(period) => Spanned::new(period, key.span),
            Err(message) => {
                reader.shape(key.span, message);
                continue;
            }
        };
        if all.iter().any(|timer| timer.period == period) {
            reader.shape(key.span, same_period(period.node));
            continue;
        }
        let handler = handler(reader, node);
        all.extend(handler.map(|handler| Timer { period, handler }));
    }
    all
}

fn handled(reader: &mut Reader<'_>, event: &Name, node: &Node) -> Option<(Name, Handler)> {
    Some((event.clone(), handler(reader, node)?))
}

/// Reads a handler: `run`, `deny`, a state's name, a transition, or a list of alternatives.
pub(super) fn handler(reader: &mut Reader<'_>, node: &Node) -> Option<Handler> {
    let kind = match &node.kind {
        NodeKind::Scalar(scalar) if is_nothing(scalar) => {
            HandlerKind::Transitions(vec![transition(reader, node)])
        }
        NodeKind::Scalar(_) => {
            let target = reader.name(node, "a state's name, `run` or `deny`")?;
            match target.as_str() {
                "run" => HandlerKind::Run,
                "deny" => HandlerKind::Deny,
                _ => HandlerKind::Transitions(vec![Transition {
                    span: node.span,
                    to: Some(target),
                    ..Transition::default()
                }]),
            }
        }
        NodeKind::Mapping(_) => HandlerKind::Transitions(vec![transition(reader, node)]),
        NodeKind::Sequence(items) if items.is_empty() => {
            reader.shape(
                node.span,
                "this list of alternatives is empty; add at least one alternative",
            );
            return None;
        }
        NodeKind::Sequence(items) => {
            let alternatives = items.iter().map(|item| alternative(reader, item));
            HandlerKind::Transitions(alternatives.collect())
        }
    };
    Some(Handler {
        span: node.span,
        kind,
    })
}

pub(super) const PASSAGE_KEYS: [&str; 1] = ["emit"];

/// Reads an `enter` or `exit`, which can only emit effects.
fn emitting(reader: &mut Reader<'_>, node: &Node, what: &str) -> Vec<crate::syntax::ast::Emit> {
    let mut all = Vec::new();
    for (key, node) in reader.map(node, what).iter() {
        match key.as_str() {
            "emit" => all.extend(emits(reader, node)),
            _ => reader.unknown_key(key, what, &PASSAGE_KEYS),
        }
    }
    all
}
