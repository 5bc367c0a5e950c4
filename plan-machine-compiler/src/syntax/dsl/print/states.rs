//! Prints states and their handlers.

use super::expr::{condition, expression, record, template, value};
use super::page::{Page, Piece, text, text_piece, words};
use crate::syntax::ast::{
    Emit, Expr, Fate, Handler, HandlerKind, Name, Next, Require, State, Transition, Update, Which,
};

/// Prints states with empty lines between them, except between one-line states.
pub(super) fn states(page: &mut Page, states: &[State]) {
    let mut before = false;
    for state in states {
        let short = is_short(state);
        if !(short && before) {
            page.gap();
        }
        self::state(page, state);
        before = short;
    }
}

fn is_short(state: &State) -> bool {
    let said = state.doc.is_some()
        || state.title.is_some()
        || state.initial.is_some()
        || state.prompt.is_some()
        || !state.unavailable.is_empty();
    let emits = !state.enter.is_empty() || !state.exit.is_empty();
    let handles = !state.on.is_empty() || !state.after.is_empty() || state.other_tools.is_some();
    let promises = !state.has.is_empty() || !state.require.is_empty();
    !(said || emits || handles || promises || state.states.is_some())
}

fn state(page: &mut Page, state: &State) {
    page.doc(state.doc.as_ref());
    let word = if state.is_final.is_some() {
        "final state"
    } else {
        "state"
    };
    page.block(&format!("{word} {}", state.name.node), |page| {
        if let Some(title) = &state.title {
            page.statement(&behind("title ", text_piece(&title.node)), ";");
        }
        if let Some(initial) = &state.initial {
            page.line(&format!("initial {};", initial.node));
        }
        page.names("has", &words(&state.has));
        if let Some(prompt) = &state.prompt {
            page.statement(&behind("prompt ", text_piece(&prompt.node)), ";");
        }
        for (event, text) in &state.unavailable {
            let head = format!("unavailable {}: ", event.node);
            page.statement(&behind(head, template(text)), ";");
        }
        for (key, emits) in [("enter", &state.enter), ("exit", &state.exit)] {
            if !emits.is_empty() {
                page.block(key, |page| emits.iter().for_each(|found| emit(page, found)));
            }
        }
        for (event, found) in &state.require {
            require(page, &format!("require {}: ", event.node), found);
        }
        if let Some(found) = &state.other_tools {
            handler(page, "other_tools", found);
        }
        for (event, found) in &state.on {
            handler(page, &format!("on {}", event.node), found);
        }
        for timer in &state.after {
            handler(
                page,
                &format!("after {}", timer.period.node),
                &timer.handler,
            );
        }
        states(page, state.states.as_deref().unwrap_or_default());
    });
}

fn behind(words: impl Into<String>, piece: Piece) -> Piece {
    Piece::Behind(words.into(), Box::new(piece))
}

/// Prints the handler of the event that `head` names.
pub(super) fn handler(page: &mut Page, head: &str, handler: &Handler) {
    match &handler.kind {
        HandlerKind::Run => page.line(&format!("{head} run;")),
        HandlerKind::Deny => page.line(&format!("{head} deny;")),
        HandlerKind::Transitions(all) => match &all[..] {
            [only] if !only.fate.is_word() => transition(page, head, only, true),
            all => page.alternatives(head, |page| {
                for each in all {
                    if each.fate.is_word() {
                        page.line(&format!("else {};", word(each.fate)));
                        continue;
                    }
                    let first = match &each.when {
                        Some(when) => format!("when {}", condition(when)),
                        None => "else".to_owned(),
                    };
                    transition(page, &first, each, false);
                }
            }),
        },
    }
}

/// Returns the word of an alternative that has no parts.
fn word(fate: Fate) -> &'static str {
    if fate == Fate::Run { "run" } else { "deny" }
}

/// Prints a transition. Its `when` is in the block, except in alternatives, where it is in the head.
fn transition(page: &mut Page, head: &str, made: &Transition, when: bool) {
    let to = made.to.as_ref();
    let to = to.map_or_else(String::new, |to| format!(" => {}", to.node));
    let next = match made.next.as_ref().map(|next| &next.node) {
        Some(Next::None) => " next none".to_owned(),
        Some(Next::Copy(state)) => format!(" next {}", state.node),
        Some(Next::Fresh(state)) => format!(" next fresh {}", state.node),
        None => String::new(),
    };
    let head = format!("{head}{to}{next}");
    page.block(&head, |page| {
        if let Some(found) = made.when.as_ref().filter(|_| when) {
            page.line(&format!("when {};", condition(found)));
        }
        for found in &made.require {
            require(page, "require ", found);
        }
        changes(page, made);
        made.emit.iter().for_each(|found| emit(page, found));
        if let Some(reply) = &made.reply {
            page.statement(&behind("reply ", value(reply)), ";");
        }
        if made.fate == Fate::Count {
            page.line("run;");
        }
    });
}

fn require(page: &mut Page, head: &str, require: &Require) {
    let that = condition(&require.that);
    let piece = match &require.otherwise {
        Some(otherwise) => Piece::Row(vec![text(format!("{head}{that},")), template(otherwise)]),
        None => text(format!("{head}{that}")),
    };
    page.statement(&piece, ";");
}

fn changes(page: &mut Page, made: &Transition) {
    let assign = |page: &mut Page, head: String, expr: &Expr| {
        page.statement(&behind(format!("{head} = "), value(expr)), ";");
    };
    set(page, &made.set);
    page.names("clear", &words(&made.clear));
    made.update.iter().for_each(|found| update(page, found));
    for (list, at) in &made.remove {
        page.line(&format!("remove {} at {};", list.node, expression(at)));
    }
    for insert in &made.insert {
        let at = expression(&insert.at);
        assign(
            page,
            format!("insert {} at {at}", insert.list.node),
            &insert.value,
        );
    }
    for (list, item) in &made.append {
        assign(page, format!("append {}", list.node), item);
    }
}

fn set(page: &mut Page, fields: &[(Name, Expr)]) {
    for (field, expr) in fields {
        page.statement(&behind(format!("set {} = ", field.node), value(expr)), ";");
    }
}

fn update(page: &mut Page, update: &Update) {
    let which = match &update.which {
        Which::At(at) => format!("at {}", expression(at)),
        Which::Where(found) => format!("where {}", expression(found)),
        Which::First(found) => format!("first {}", expression(found)),
    };
    let head = format!("update {} {which}", update.list.node);
    page.always_block(&head, |page| {
        set(page, &update.set);
        page.names("clear", &words(&update.clear));
    });
}

fn emit(page: &mut Page, emit: &Emit) {
    let head = format!("emit {}", emit.effect.node);
    let piece = if emit.fields.is_empty() {
        text(head)
    } else {
        behind(format!("{head} "), record(&emit.fields))
    };
    page.statement(&piece, ";");
}
