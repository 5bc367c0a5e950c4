//! Encodes states and their handlers.

use plan_machine_kernel::json::Json;

use super::expressions::expr;
use super::parts::{Parts, name, tagged};
use crate::syntax::ast::{
    Condition, Emit, Expr, Fate, Handler, HandlerKind, Insert, Name, Next, Require, State, Timer,
    Transition, Update, Which,
};

pub(super) fn state(state: &State) -> Json {
    let State {
        name: called,
        doc: _,
        title: _,
        initial,
        is_final,
        has,
        prompt: _,
        unavailable: _,
        require: required,
        on,
        other_tools,
        after,
        enter,
        exit,
        states,
    } = state;
    Parts::default()
        .part("name", name(called))
        .some("initial", initial.as_ref().map(name))
        .flag("final", is_final.is_some())
        .list("has", has.iter().map(name))
        .list("require", pairs(required, require))
        .list("on", pairs(on, handler))
        .some("other_tools", other_tools.as_ref().map(handler))
        .list("after", after.iter().map(timer))
        .list("enter", enter.iter().map(emit))
        .list("exit", exit.iter().map(emit))
        .list("states", states.iter().flatten().map(self::state))
        .json()
}

fn timer(timer: &Timer) -> Json {
    let Timer {
        period,
        handler: found,
    } = timer;
    let seconds = period.node.seconds().to_string();
    Json::List(vec![Json::from(seconds.as_str()), handler(found)])
}

fn pairs<T>(pairs: &[(Name, T)], value: impl Fn(&T) -> Json) -> impl Iterator<Item = Json> {
    pairs
        .iter()
        .map(move |(key, found)| Json::List(vec![name(key), value(found)]))
}

pub(super) fn handler(handler: &Handler) -> Json {
    let Handler { span: _, kind } = handler;
    match kind {
        HandlerKind::Run => Json::from("run"),
        HandlerKind::Deny => Json::from("deny"),
        HandlerKind::Transitions(all) => Json::List(all.iter().map(transition).collect()),
    }
}

fn transition(transition: &Transition) -> Json {
    let Transition {
        span: _,
        to,
        next,
        when,
        require: required,
        set,
        clear,
        update: updates,
        remove,
        insert: inserts,
        append,
        emit: emits,
        reply,
        fate,
    } = transition;
    match fate {
        Fate::Run => return Json::from("run"),
        Fate::Deny => return Json::from("deny"),
        Fate::Accept | Fate::Count => {}
    }
    Parts::default()
        .some("to", to.as_ref().map(name))
        .some("next", next.as_ref().map(|next| self::next(&next.node)))
        .some("when", when.as_ref().map(condition))
        .list("require", required.iter().map(require))
        .list("set", pairs(set, expr))
        .list("clear", clear.iter().map(name))
        .list("update", updates.iter().map(update))
        .list("remove", pairs(remove, expr))
        .list("insert", inserts.iter().map(insert))
        .list("append", pairs(append, expr))
        .list("emit", emits.iter().map(emit))
        .some("reply", reply.as_ref().map(expr))
        .flag("run", *fate == Fate::Count)
        .json()
}

fn next(next: &Next) -> Json {
    match next {
        Next::None => Json::from("none"),
        Next::Copy(state) => tagged("copy", [name(state)]),
        Next::Fresh(state) => tagged("fresh", [name(state)]),
    }
}

/// Encodes a condition without its display text, which shows how the condition was written but does
/// not affect its meaning.
fn condition(condition: &Condition) -> Json {
    let Condition {
        expr: said,
        text: _,
    } = condition;
    expr(said)
}

fn require(require: &Require) -> Json {
    let Require { that, otherwise } = require;
    Parts::default()
        .part("that", condition(that))
        .some("otherwise", otherwise.as_ref().map(expr))
        .json()
}

fn update(update: &Update) -> Json {
    let Update {
        list,
        which,
        set,
        clear,
    } = update;
    let (word, which): (_, &Expr) = match which {
        Which::At(at) => ("at", at),
        Which::Where(holds) => ("where", holds),
        Which::First(holds) => ("first", holds),
    };
    Parts::default()
        .part("list", name(list))
        .part(word, expr(which))
        .list("set", pairs(set, expr))
        .list("clear", clear.iter().map(name))
        .json()
}

fn insert(insert: &Insert) -> Json {
    let Insert { list, at, value } = insert;
    Parts::default()
        .part("list", name(list))
        .part("at", expr(at))
        .part("value", expr(value))
        .json()
}

fn emit(emit: &Emit) -> Json {
    let Emit { effect, fields } = emit;
    Parts::default()
        .part("effect", name(effect))
        .list("fields", pairs(fields, expr))
        .json()
}
