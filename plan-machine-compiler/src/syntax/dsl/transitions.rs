//! Reads the handlers of events: targets, requirements and changes.

use super::reader::{Reader, Run};
use super::statements::UsedNames;
use super::tokens::{Bracket, Kind};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{
    Condition, Emit, Fate, Handler, HandlerKind, Insert, Name, Next, Require, Transition, Update,
    Which,
};

/// Reads everything after an event's name, including the end of the statement: `run`, `deny`, a
/// transition, or a list of alternatives. `start` is the event's position.
pub(super) fn handler(reader: &mut Reader<'_>, start: Span) -> Option<Handler> {
    let kind = if reader.eat_word("run").is_some() {
        HandlerKind::Run
    } else if reader.eat_word("deny").is_some() {
        HandlerKind::Deny
    } else if let Some(run) = reader.group(Bracket::Square) {
        HandlerKind::Transitions(alternatives(reader, run)?)
    } else {
        let transition = transition(reader, start, None)?;
        return Some(Handler {
            span: transition.span,
            kind: HandlerKind::Transitions(vec![transition]),
        });
    };
    let span = start.to(reader.before());
    // A list ends with its closing bracket, so the `;` is optional.
    if matches!(kind, HandlerKind::Transitions(_)) {
        reader.eat(";");
    } else {
        reader.finish()?;
    }
    Some(Handler { span, kind })
}

/// Reads `[ when a => X; else => Y { … } ]`; for a host tool, the last alternative may be `else run;` or `else deny;`.
fn alternatives(reader: &mut Reader<'_>, run: Run) -> Option<Vec<Transition>> {
    let mut all = Vec::new();
    reader.within(run, |reader| {
        reader.statements(|reader, _| {
            let start = reader.here();
            let key = reader.key("a list of alternatives", &["when", "else"])?;
            let when = if key.node == "when" {
                let run = head_condition(reader);
                Some(reader.condition(run))
            } else if let Some(word) = word(reader, start) {
                all.push(word);
                return reader.finish();
            } else {
                None
            };
            // If the condition could not be read, the alternative is dropped, so that it does not become unconditional.
            let made = transition(reader, start, when.clone().flatten())?;
            if !matches!(when, Some(None)) {
                all.push(made);
            }
            Some(())
        });
    });
    if all.is_empty() && run.start == run.end {
        let message = "this list of alternatives is empty; add at least one alternative";
        reader.shape(reader.before(), message);
        return None;
    }
    Some(all)
}

/// Reads `run` or `deny` after `else`.
fn word(reader: &mut Reader<'_>, start: Span) -> Option<Transition> {
    let fate = if reader.eat_word("run").is_some() {
        Fate::Run
    } else {
        reader.eat_word("deny")?;
        Fate::Deny
    };
    Some(Transition {
        span: start.to(reader.before()),
        fate,
        ..Transition::default()
    })
}

/// Consumes the tokens of a condition before `=> STATE`, `next STATE`, a block or the end. A final `next` followed by a
/// name cannot be part of an expression.
fn head_condition(reader: &mut Reader<'_>) -> Run {
    let tokens = reader.tokens;
    let run = reader.run(&["=>", ";"]);
    let word = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(Kind::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let behind = |distance: usize| run.end.checked_sub(distance).filter(|at| *at > run.start);
    let is_next = |at: &usize| word(*at) == Some("next") && word(*at + 1).is_some();
    let copy = behind(2).filter(is_next);
    let fresh = behind(3).filter(|at| is_next(at) && word(*at + 1) == Some("fresh"));
    let fresh = fresh.filter(|at| word(*at + 2).is_some());
    match fresh.or(copy) {
        Some(end) => {
            reader.at = end;
            Run {
                start: run.start,
                end,
            }
        }
        None => run,
    }
}

/// Reads `=> STATE next none { … }`; without a block, the transition ends with `;`.
fn transition(reader: &mut Reader<'_>, start: Span, when: Option<Condition>) -> Option<Transition> {
    let mut made = Transition {
        when,
        ..Transition::default()
    };
    if reader.eat("=>") {
        made.to = Some(reader.name("a state's name")?);
    }
    if let Some(span) = reader.eat_word("next") {
        made.next = Some(next(reader, span)?);
    }
    if let Some(run) = reader.group(Bracket::Curly) {
        let mut seen = UsedNames::default();
        reader.within(run, |reader| {
            reader.statements(|reader, _| statement(reader, &mut made, &mut seen));
        });
    }
    made.span = start.to(reader.before());
    reader.finish()?;
    Some(made)
}

/// Reads `none`, `STATE` or `fresh STATE`.
fn next(reader: &mut Reader<'_>, start: Span) -> Option<Spanned<Next>> {
    let fresh = reader.peek_second_word().is_some() && reader.eat_word("fresh").is_some();
    let state = reader.name("`none`, a state's name, or `fresh` and a state's name")?;
    let span = start.to(state.span);
    let next = match (fresh, state.as_str()) {
        (true, _) => Next::Fresh(state),
        (false, "none") => Next::None,
        _ => Next::Copy(state),
    };
    Some(Spanned::new(next, span))
}

const KEYS: [&str; 11] = [
    "when", "require", "set", "clear", "update", "remove", "insert", "append", "emit", "reply",
    "run",
];

fn statement(reader: &mut Reader<'_>, made: &mut Transition, seen: &mut UsedNames) -> Option<()> {
    let key = reader.key("a transition", &KEYS)?;
    match key.as_str() {
        "when" => {
            seen.is_new(reader, "key", &key);
            let run = reader.run(&[";"]);
            made.when = reader.condition(run);
        }
        "require" => made.require.extend(requirement(reader)),
        "emit" => made.emit.push(emit(reader)?),
        "reply" => {
            seen.is_new(reader, "key", &key);
            made.reply = reader.value(&[";"]);
        }
        "run" => {
            seen.is_new(reader, "key", &key);
            made.fate = Fate::Count;
        }
        "clear" => made.clear.extend(reader.names("a field's name")?),
        _ => change(reader, made, seen, &key)?,
    }
    reader.finish()
}

/// Reads `condition, "the message if it does not hold"`.
pub(super) fn requirement(reader: &mut Reader<'_>) -> Option<Require> {
    let run = reader.run(&[",", ";"]);
    let that = reader.condition(run);
    if !reader.eat(",") {
        let message = "this requirement has no message for the caller: add it after the condition, as in `a > 0, \"text\";`";
        reader.shape(reader.here(), message);
        return None;
    }
    let otherwise = reader.template("a string");
    Some(Require {
        that: that?,
        otherwise,
    })
}

/// Reads a change to one field; a field can have at most one change of each kind.
fn change(
    reader: &mut Reader<'_>,
    made: &mut Transition,
    seen: &mut UsedNames,
    key: &Name,
) -> Option<()> {
    let field = reader.name("a field's name")?;
    match key.as_str() {
        "set" => {
            let new = seen.is_new(reader, "`set` of", &field);
            let value = assigned(reader)?.filter(|_| new);
            made.set.extend(value.map(|value| (field, value)));
        }
        "append" => {
            let new = seen.is_new(reader, "`append` to", &field);
            let value = assigned(reader)?.filter(|_| new);
            made.append.extend(value.map(|value| (field, value)));
        }
        "remove" => {
            let new = seen.is_new(reader, "`remove` from", &field);
            let at = position(reader, &[";"])?.filter(|_| new);
            made.remove.extend(at.map(|at| (field, at)));
        }
        "insert" => {
            let new = seen.is_new(reader, "`insert` into", &field);
            let at = position(reader, &["=", ";"])?;
            let value = assigned(reader)?.filter(|_| new);
            let list = field;
            let insert = at.zip(value).map(|(at, value)| Insert { list, at, value });
            made.insert.extend(insert);
        }
        _ => {
            let new = seen.is_new(reader, "`update` of", &field);
            made.update.extend(update(reader, field)?.filter(|_| new));
        }
    }
    Some(())
}

/// Reads `= value`. The inner `None` means that the value could not be read, which was reported.
#[expect(
    clippy::option_option,
    reason = "a missing value and an unreadable one are different"
)]
fn assigned(reader: &mut Reader<'_>) -> Option<Option<crate::syntax::ast::Expr>> {
    reader.expect("=")?;
    Some(reader.value(&[";"]))
}

/// Reads `at position`.
#[expect(
    clippy::option_option,
    reason = "a missing value and an unreadable one are different"
)]
fn position(reader: &mut Reader<'_>, stops: &[&str]) -> Option<Option<crate::syntax::ast::Expr>> {
    if reader.eat_word("at").is_none() {
        return reader.wanted("`at`");
    }
    let run = reader.run(stops);
    Some(reader.expression(run))
}

/// Reads `steps at 0 { set …; }`, `steps where item.open { clear …; }` or `steps first item.open { … }`.
#[expect(
    clippy::option_option,
    reason = "a missing value and an unreadable one are different"
)]
fn update(reader: &mut Reader<'_>, list: Name) -> Option<Option<Update>> {
    let which = if reader.eat_word("at").is_some() {
        Which::At
    } else if reader.eat_word("where").is_some() {
        Which::Where
    } else if reader.eat_word("first").is_some() {
        Which::First
    } else {
        return reader.wanted("`at`, `where` or `first`");
    };
    let run = reader.run(&[";"]);
    let which = reader.expression(run).map(which);
    let block = reader.expect_group(Bracket::Curly)?;
    let (mut set, mut clear) = (Vec::new(), Vec::new());
    let mut seen = UsedNames::default();
    reader.within(block, |reader| {
        reader.statements(|reader, _| {
            let key = reader.key("an update", &["set", "clear"])?;
            if key.node == "clear" {
                clear.extend(reader.names("a field's name")?);
            } else {
                let field = reader.name("a field's name")?;
                let new = seen.is_new(reader, "`set` of", &field);
                let value = assigned(reader)?.filter(|_| new);
                set.extend(value.map(|value| (field, value)));
            }
            reader.finish()
        });
    });
    Some(which.map(|which| Update {
        list,
        which,
        set,
        clear,
    }))
}

/// Reads `effect { field: value }`, after `emit`.
pub(super) fn emit(reader: &mut Reader<'_>) -> Option<Emit> {
    let effect = reader.name("an effect's name")?;
    let fields = if reader.opens(Bracket::Curly) {
        reader.assignments()?
    } else {
        Vec::new()
    };
    Some(Emit { effect, fields })
}
