//! From YAML to turns.

use plan_machine::{Json, Object};
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::{Cue, Line, Turn};
use crate::model::arguments;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnDoc {
    user: Option<String>,
    contains: Option<String>,
    model: Option<Vec<Spanned<LineDoc>>>,
    default: Option<Vec<Spanned<LineDoc>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineDoc {
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<Spanned<Json>>,
}

pub(super) fn turns(yaml: &str) -> Result<Vec<Turn>, String> {
    let options = serde_saphyr::options! {
        // `no` and `on` are words of a conversation.
        strict_booleans: true,
        with_snippet: false,
    };
    let docs: Vec<Spanned<TurnDoc>> =
        serde_saphyr::from_str_with_options(yaml, options).map_err(|why| why.to_string())?;
    let turns: Vec<Turn> = docs.into_iter().map(turn).collect::<Result<_, _>>()?;
    if turns.is_empty() {
        return Err("a script has at least one turn".to_owned());
    }
    let defaults = turns.iter().filter(|turn| turn.cue == Cue::Any);
    if defaults.count() > 1 {
        return Err("a script has one `default` at most".to_owned());
    }
    Ok(turns)
}

fn turn(doc: Spanned<TurnDoc>) -> Result<Turn, String> {
    let TurnDoc {
        user,
        contains,
        model,
        default,
    } = doc.value;
    let (cue, lines) = match (user, contains, model, default) {
        (Some(whole), None, Some(lines), None) => (Cue::Whole(whole.trim().to_owned()), lines),
        (None, Some(part), Some(lines), None) => (Cue::Part(part.trim().to_lowercase()), lines),
        (None, None, None, Some(lines)) => (Cue::Any, lines),
        _ => {
            let why = "a turn has `user` and `model`, `contains` and `model`, or `default` alone";
            return Err(at(doc.referenced, why));
        }
    };
    if matches!(&cue, Cue::Whole(text) | Cue::Part(text) if text.is_empty()) {
        return Err(at(doc.referenced, "a user says something"));
    }
    if lines.is_empty() {
        return Err(at(doc.referenced, "a turn has at least one response"));
    }
    let lines = lines.into_iter().map(line).collect::<Result<_, _>>()?;
    Ok(Turn { cue, lines })
}

fn line(doc: Spanned<LineDoc>) -> Result<Line, String> {
    let LineDoc { text, calls } = doc.value;
    if text.is_empty() && calls.is_empty() {
        return Err(at(
            doc.referenced,
            "a response has a `text`, `calls` or both",
        ));
    }
    let calls = calls
        .into_iter()
        .map(|doc| call(doc.value).map_err(|why| at(doc.referenced, why)));
    Ok(Line {
        text,
        calls: calls.collect::<Result<_, _>>()?,
    })
}

fn call(doc: Json) -> Result<(String, Result<Object, String>), &'static str> {
    let (tool, args) = match doc {
        Json::Text(tool) => (tool.into(), Json::Null),
        Json::Object(pair) if pair.len() == 1 => {
            pair.into_iter().next().ok_or("a call has a tool")?
        }
        _ => return Err("a call is the name of a tool, or one key with its arguments"),
    };
    let args = match args {
        Json::Null => Ok(Object::new()),
        Json::Object(args) => Ok(args),
        Json::Text(raw) => arguments::read(&raw),
        _ => return Err("arguments are a mapping, or a text as a model's API gives it"),
    };
    Ok((tool.into_owned(), args))
}

fn at(place: Location, why: &str) -> String {
    format!("line {}: {why}", place.line())
}
