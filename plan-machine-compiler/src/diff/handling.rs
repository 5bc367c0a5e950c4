//! States and how they handle events, as written in the spec.

use super::facts::{Facts, names};
use crate::syntax::ast::{
    Fate, Handler, HandlerKind, Insert, Name, Next, Require, State, Timer, Transition, Update,
    Which,
};
use crate::syntax::dsl::line;

/// Adds the facts of a tree of states, parents before children.
pub(super) fn states(facts: &mut Facts, states: &[State]) {
    let mut order = Vec::new();
    for found in states {
        state(facts, found, None, &mut order);
    }
    facts.order("order of states", "", order.into_iter());
}

fn state<'s>(
    facts: &mut Facts,
    state: &'s State,
    parent: Option<&Name>,
    order: &mut Vec<&'s Name>,
) {
    let State {
        name,
        doc: _,
        title,
        initial,
        is_final,
        has,
        prompt,
        unavailable,
        require,
        on,
        other_tools,
        after,
        enter,
        exit,
        states,
    } = state;
    order.push(name);
    let mut parts = Vec::new();
    parts.extend(parent.map(|parent| format!("in {}", parent.node)));
    parts.extend(is_final.map(|_| "final".to_owned()));
    parts.extend(
        initial
            .as_ref()
            .map(|initial| format!("initial {}", initial.node)),
    );
    parts.extend(names(has).iter().map(|field| format!("has {field}")));
    facts.add("state", &name.node, parts);
    facts.some(
        "prompt",
        &name.node,
        prompt.iter().map(line::text).collect(),
    );
    facts.some("title", &name.node, title.iter().map(line::text).collect());
    for (event, text) in unavailable {
        let subject = format!("{} in {}", event.node, name.node);
        facts.add(
            "wording of the denial of",
            &subject,
            vec![line::template(text)],
        );
    }
    for (what, emits) in [("enter", enter), ("exit", exit)] {
        let emitted = emits
            .iter()
            .map(|emit| format!("emit {}", line::emit(emit)));
        facts.some(what, &name.node, emitted.collect());
    }
    let asked = require
        .iter()
        .map(|(event, require)| format!("{}: {}", event.node, required(require)));
    facts.some("requirements", &name.node, asked.collect());
    handlers(facts, &name.node, other_tools.as_ref(), on, after);
    for child in states.iter().flatten() {
        self::state(facts, child, Some(name), order);
    }
}

/// Adds the handlers of a state: for calls to other tools, for the events that the state names, and for its timers.
fn handlers(
    facts: &mut Facts,
    state: &str,
    other_tools: Option<&Handler>,
    on: &[(Name, Handler)],
    after: &[Timer],
) {
    let mut handle = |event: &str, handler: &Handler| {
        facts.add(
            "handling",
            &format!("{state} {event}"),
            handler_parts(handler),
        );
    };
    if let Some(handler) = other_tools {
        handle("other_tools", handler);
    }
    for (event, handler) in on {
        handle(&event.node, handler);
    }
    for timer in after {
        handle(&format!("after {}", timer.period.node), &timer.handler);
    }
    facts.order(
        "order of handling",
        state,
        on.iter().map(|(event, _)| event),
    );
}

/// Describes how an event is handled, as a list of parts.
pub(super) fn handler_parts(handler: &Handler) -> Vec<String> {
    let Handler { span: _, kind } = handler;
    match kind {
        HandlerKind::Run => vec!["run".to_owned()],
        HandlerKind::Deny => vec!["deny".to_owned()],
        HandlerKind::Transitions(all) => match &all[..] {
            [only] => transition(only),
            all => {
                let numbered = all.iter().enumerate().flat_map(|(at, each)| {
                    let parts = transition(each).into_iter();
                    parts.map(move |part| format!("alternative {}: {part}", at + 1))
                });
                numbered.collect()
            }
        },
    }
}

/// Describes one alternative, as a list of parts; an alternative without any parts is described as `answer`.
fn transition(transition: &Transition) -> Vec<String> {
    let Transition {
        span: _,
        to,
        next,
        when,
        require,
        // The function `writes` describes the following changes.
        set: _,
        clear: _,
        update: _,
        remove: _,
        insert: _,
        append: _,
        emit,
        reply,
        fate,
    } = transition;
    let mut parts = Vec::new();
    parts.extend(
        when.iter()
            .map(|when| format!("when {}", line::condition(when))),
    );
    parts.extend(to.iter().map(|to| format!("to {}", to.node)));
    parts.extend(next.iter().map(|next| match &next.node {
        Next::None => "next none".to_owned(),
        Next::Copy(state) => format!("next {}", state.node),
        Next::Fresh(state) => format!("next a fresh {}", state.node),
    }));
    parts.extend(require.iter().map(required));
    parts.extend(writes(transition).into_iter().map(|(_, words)| words));
    parts.extend(emit.iter().map(|emit| format!("emit {}", line::emit(emit))));
    parts.extend(
        reply
            .iter()
            .map(|reply| format!("reply {}", line::value(reply))),
    );
    parts.extend(match fate {
        Fate::Accept => None,
        Fate::Count => Some("run: true".to_owned()),
        Fate::Run => Some("run".to_owned()),
        Fate::Deny => Some("deny".to_owned()),
    });
    if parts.is_empty() {
        parts.push("answer".to_owned());
    }
    parts
}

/// Describes the writes of an alternative, each with the name of its field.
pub(super) fn writes(transition: &Transition) -> Vec<(&str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    for (field, value) in &transition.set {
        let words = format!("set {}: {}", field.node, line::value(value));
        all.push((&field.node, words));
    }
    for field in &transition.clear {
        all.push((&field.node, format!("clear {}", field.node)));
    }
    for update in &transition.update {
        all.push((&update.list.node, updated(update)));
    }
    for (list, at) in &transition.remove {
        let words = format!("remove {} at {}", list.node, line::expression(at));
        all.push((&list.node, words));
    }
    for insert in &transition.insert {
        all.push((&insert.list.node, inserted(insert)));
    }
    for (list, item) in &transition.append {
        let words = format!("append {}: {}", list.node, line::value(item));
        all.push((&list.node, words));
    }
    all
}

fn required(require: &Require) -> String {
    let Require { that, otherwise } = require;
    let that = line::condition(that);
    match otherwise {
        Some(message) => format!("require {that} else {}", line::template(message)),
        None => format!("require {that}"),
    }
}

fn updated(update: &Update) -> String {
    let Update {
        list,
        which,
        set,
        clear,
    } = update;
    let which = match which {
        Which::At(at) => format!("at {}", line::expression(at)),
        Which::Where(found) => format!("where {}", line::expression(found)),
        Which::First(found) => format!("first {}", line::expression(found)),
    };
    let set = set
        .iter()
        .map(|(field, value)| format!("{}: {}", field.node, line::value(value)));
    let clear = clear.iter().map(|field| format!("clear {}", field.node));
    let parts: Vec<String> = set.chain(clear).collect();
    format!("update {} {which} {{ {} }}", list.node, parts.join(", "))
}

fn inserted(insert: &Insert) -> String {
    let Insert { list, at, value } = insert;
    let (at, value) = (line::expression(at), line::value(value));
    format!("insert {} at {at}: {value}", list.node)
}
