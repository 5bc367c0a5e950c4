//! Reads turns from YAML.

use plan_machine::{Json, Object};
use serde::Deserialize;

use crate::model::{ArgumentsError, arguments};

/// A message from the user, and the model's responses to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "TurnDoc")]
pub(super) struct Turn {
    pub(super) cue: Cue,
    pub(super) lines: Vec<Line>,
}

/// The message that triggers a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cue {
    Whole(String),
    /// A part of the message, in lower case.
    Part(String),
    Any,
}

/// A response, before its placeholders are filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "LineDoc")]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) calls: Vec<ScriptedCall>,
}

/// A call that has no id yet.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Json")]
pub(super) struct ScriptedCall {
    pub(super) tool: String,
    pub(super) args: Result<Object, ArgumentsError>,
}

/// A turn as it is written in the script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnDoc {
    user: Option<String>,
    contains: Option<String>,
    model: Option<Vec<Line>>,
    default: Option<Vec<Line>>,
}

/// A response as it is written in the script.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineDoc {
    #[serde(default)]
    text: String,
    #[serde(default)]
    calls: Vec<ScriptedCall>,
}

pub(super) fn turns(yaml: &str) -> Result<Vec<Turn>, String> {
    let options = serde_saphyr::options! {
        // `no` and `on` are ordinary words in a conversation.
        strict_booleans: true,
        with_snippet: false,
    };
    let turns: Vec<Turn> = serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        let told = error.to_string();
        match told.rsplit_once(" at line ").zip(error.location()) {
            Some(((why, _), place)) => format!("line {}: {why}", place.line()),
            None => told,
        }
    })?;
    if turns.is_empty() {
        return Err("the script has no turns".to_owned());
    }
    let defaults = turns.iter().filter(|turn| turn.cue == Cue::Any);
    if defaults.count() > 1 {
        return Err("found several turns with `default`, expected at most one".to_owned());
    }
    Ok(turns)
}

impl TryFrom<TurnDoc> for Turn {
    type Error = &'static str;

    fn try_from(doc: TurnDoc) -> Result<Self, Self::Error> {
        let (cue, lines) = match (doc.user, doc.contains, doc.model, doc.default) {
            (Some(whole), None, Some(lines), None) => (Cue::Whole(whole.trim().to_owned()), lines),
            (None, Some(part), Some(lines), None) => (Cue::Part(part.trim().to_lowercase()), lines),
            (None, None, None, Some(lines)) => (Cue::Any, lines),
            _ => {
                return Err(
                    "the turn has the wrong keys, expected `model` with `user` or `contains`, or only `default`",
                );
            }
        };
        match &cue {
            Cue::Whole(text) | Cue::Part(text) if text.is_empty() => {
                Err("`user` or `contains` is blank, expected a message")
            }
            _ if lines.is_empty() => Err("the turn has no responses, expected at least one"),
            _ => Ok(Self { cue, lines }),
        }
    }
}

impl TryFrom<LineDoc> for Line {
    type Error = &'static str;

    fn try_from(LineDoc { text, calls }: LineDoc) -> Result<Self, Self::Error> {
        if text.is_empty() && calls.is_empty() {
            return Err("the response is empty, expected `text`, `calls` or both");
        }
        Ok(Self { text, calls })
    }
}

impl TryFrom<Json> for ScriptedCall {
    type Error = String;

    fn try_from(doc: Json) -> Result<Self, Self::Error> {
        let (tool, args) = match doc {
            Json::Text(tool) => (tool.into(), Json::Null),
            Json::Object(pair) if pair.len() == 1 => pair
                .into_iter()
                .next()
                .ok_or("the call does not name a tool")?,
            found => {
                return Err(format!(
                    "expected a call, which is the name of a tool, or a mapping from the name of one tool to its \
                     arguments; found {found}"
                ));
            }
        };
        let args = match args {
            Json::Null => Ok(Object::new()),
            Json::Object(args) => Ok(args),
            Json::Text(raw) => arguments::read(&raw),
            found => {
                return Err(format!(
                    "expected a mapping of arguments, or a string that contains JSON, as model APIs send it; \
                     found {found}"
                ));
            }
        };
        let tool = tool.into_owned();
        Ok(Self { tool, args })
    }
}
