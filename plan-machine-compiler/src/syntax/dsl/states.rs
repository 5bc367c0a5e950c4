//! Reads states.

use super::reader::Reader;
use super::statements::UsedNames;
use super::tokens::Bracket;
use super::transitions::{emit, handler, requirement};
use crate::syntax::ast::{Emit, Name, State, Timer, same_period};

const KEYS: [&str; 13] = [
    "title",
    "initial",
    "has",
    "prompt",
    "unavailable",
    "require",
    "on",
    "other_tools",
    "after",
    "enter",
    "exit",
    "state",
    "final",
];

/// Keys that may appear only once.
const ONCE: [&str; 7] = [
    "title",
    "initial",
    "has",
    "prompt",
    "other_tools",
    "enter",
    "exit",
];

/// Reads `state draft { … }` or `final state approved`; `key` is the first word.
pub(super) fn state(reader: &mut Reader<'_>, key: &Name, doc: Option<Name>) -> Option<State> {
    let is_final = (key.node == "final").then_some(key.span);
    if is_final.is_some() && reader.eat_word("state").is_none() {
        return reader.wanted("`state`");
    }
    let mut state = State::named(reader.name("the state's name")?);
    (state.doc, state.is_final) = (doc, is_final);
    if let Some(run) = reader.group(Bracket::Curly) {
        let mut seen = UsedNames::default();
        reader.within(run, |reader| {
            reader.statements(|reader, doc| item(reader, &mut state, &mut seen, doc));
        });
    }
    Some(state)
}

fn item(
    reader: &mut Reader<'_>,
    state: &mut State,
    seen: &mut UsedNames,
    doc: Option<Name>,
) -> Option<()> {
    let key = reader.key("a state", &KEYS)?;
    if ONCE.contains(&key.as_str()) {
        seen.is_new(reader, "key", &key);
    }
    match key.as_str() {
        "title" => {
            let title = reader.text("a string")?;
            state.title = Some(title.map(|text| text.trim().to_owned()));
        }
        "initial" => state.initial = Some(reader.name("a state's name")?),
        "has" => state.has = reader.names("a field's name")?,
        "prompt" => {
            let prompt = reader.text("a string")?;
            state.prompt = Some(prompt.map(|text| text.trim().to_owned()));
        }
        "unavailable" => {
            let event = reader.name("an event's name")?;
            reader.expect(":")?;
            let text = reader.template("a string")?;
            if seen.is_new(reader, "text", &event) {
                state.unavailable.push((event, text));
            }
        }
        "require" => {
            let event = reader.name("an event's name")?;
            reader.expect(":")?;
            let required = requirement(reader).map(|require| (event, require));
            state.require.extend(required);
        }
        "on" => {
            let event = reader.name("an event's name")?;
            let handler = handler(reader, event.span)?;
            if seen.is_new(reader, "event", &event) {
                state.on.push((event, handler));
            }
            return Some(());
        }
        "other_tools" => {
            state.other_tools = Some(handler(reader, key.span)?);
            return Some(());
        }
        "after" => return timer(reader, state),
        "enter" => state.enter = emitting(reader, "`enter`")?,
        "exit" => state.exit = emitting(reader, "`exit`")?,
        _ => {
            let child = self::state(reader, &key, doc)?;
            if seen.is_new(reader, "state", &child.name) {
                state.states.get_or_insert_default().push(child);
            }
        }
    }
    reader.finish()
}

/// Reads `1h => EXPIRED { … }`, or a period and a list of alternatives, after `after`.
fn timer(reader: &mut Reader<'_>, state: &mut State) -> Option<()> {
    let period = reader.period()?;
    let handler = handler(reader, period.span)?;
    if state.after.iter().any(|timer| timer.period == period) {
        reader.shape(period.span, same_period(period.node));
        return Some(());
    }
    state.after.push(Timer { period, handler });
    Some(())
}

/// Reads the block of an `enter` or `exit`, which can only emit effects.
fn emitting(reader: &mut Reader<'_>, place: &str) -> Option<Vec<Emit>> {
    let run = reader.expect_group(Bracket::Curly)?;
    let mut all = Vec::new();
    reader.within(run, |reader| {
        reader.statements(|reader, _| {
            reader.key(place, &["emit"])?;
            all.push(emit(reader)?);
            reader.finish()
        });
    });
    Some(all)
}
