//! A model that follows a script: a conversation in YAML, for demonstrations and tests.
//!
//! A script is a list of turns. A turn says what the user says and what the model answers to it, one
//! response after the other: after a response with calls the model is asked again, with their results,
//! and gives the next one. Where a turn has no more responses it says "Done." and calls nothing, so
//! that a host which asks until nothing is called comes to an end.
//!
//! ```
//! use plan_machine_host::model::{Message, Model, ModelRequest, script::Script};
//!
//! let script = Script::read("release", r#"
//! - user: Plan the release           # the whole text, but for white space around it
//!   model:
//!     - text: I look first.
//!       calls:                       # in order; one key each, the tool
//!         - list_files: { path: docs }
//!         - git_status               # without arguments
//!         - shell: '{"cmd": '        # a text is taken as a model's API gives it: here it is malformed
//!     - text: "There is {result.1}; I may call {tools}."
//! - contains: thank                  # a part of it, in any case
//!   model:
//!     - text: You're welcome.
//! - default:                         # whatever else the user says
//!     - text: I only know my script.
//! "#)?;
//!
//! let request = ModelRequest {
//!     messages: vec![Message::User("Plan the release".into())],
//!     ..ModelRequest::default()
//! };
//! let first = script.answer(&request)?;
//! assert_eq!(first.text, "I look first.");
//! assert_eq!(first.calls[0].tool, "list_files");
//! assert!(first.calls[2].args.is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - Of several turns with the same `user` (or the same `contains`) the first is for the first time
//!   that the messages show such a text, the second for the second; the last one stays. `user` goes
//!   before `contains`, earlier turns go before later ones.
//! - In a text `{result}` is the last result, `{result.2}` that of the second call of the response
//!   before, and `{tools}` are the names of the tools that are advertised. Other braces stay.
//! - A script keeps nothing between requests: any number of sessions can share one, and a request
//!   that is repeated, even after a restart, is answered the same, with the same call ids.
//! - A call id is a hash of all messages of the request, earlier ids and results among them, and the
//!   place of the call. It comes again only where all messages come again. A host that shortens the
//!   history and answers a repeated id from memory must therefore leave something that differs: an
//!   earlier call or its result, or a summary. The last message of a user alone is not enough.

mod fill;
mod read;

use std::collections::BTreeSet;
use std::hash::Hasher;
use std::path::Path;

use fnv::FnvHasher;

use super::{Message, Model, ModelCall, ModelError, ModelRequest, Response, ResponseFuture};
use crate::error::HostError;
use crate::words::short;
use read::{Cue, Line, Turn};

/// What is said where a turn has no more responses.
const DONE: &str = "Done.";

/// A model that follows a script.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    turns: Vec<Turn>,
}

impl Script {
    /// Reads a script; the name is in errors, and is the model's.
    ///
    /// # Errors
    ///
    /// What is wrong with the script, and where.
    pub fn read(name: &str, yaml: &str) -> Result<Self, HostError> {
        let turns = read::turns(yaml).map_err(|why| HostError::input(format!("{name}: {why}")))?;
        Ok(Self {
            name: name.to_owned(),
            turns,
        })
    }

    /// Reads the script of a file, which gives it its name.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, or is no script.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, HostError> {
        let path = path.as_ref();
        let yaml = std::fs::read_to_string(path).map_err(HostError::disk(path, "read"))?;
        Self::read(&path.display().to_string(), &yaml)
    }

    /// The answer to a request.
    ///
    /// # Errors
    ///
    /// [`ModelError::OffScript`], where no turn is for what the user said.
    pub fn answer(&self, request: &ModelRequest) -> Result<Response, ModelError> {
        let of_user = |message: &Message| matches!(message, Message::User(_));
        let last = request.messages.iter().rposition(of_user);
        let (before, turn) = request.messages.split_at(last.unwrap_or_default());
        let Some(Message::User(text)) = turn.first() else {
            return Err(ModelError::OffScript("no user said anything".to_owned()));
        };
        let lines = self
            .lines(before, text)
            .ok_or_else(|| self.off_script(text))?;
        let given = |message: &&Message| matches!(message, Message::Model(_));
        let (text, calls) = match lines.get(turn.iter().filter(given).count()) {
            Some(line) => (
                fill::fill(&line.text, turn, &request.tools),
                calls(line, &request.messages),
            ),
            None => (DONE.to_owned(), Vec::new()),
        };
        Ok(Response { text, calls })
    }

    /// The responses to a text, by how often such a text came before.
    fn lines(&self, before: &[Message], text: &str) -> Option<&[Line]> {
        let cue = self.cue(text)?;
        let again = |message: &&Message| matches!(message, Message::User(earlier) if self.cue(earlier) == Some(cue));
        let times = before.iter().filter(again).count();
        let turns = self.turns.iter().filter(|turn| turn.cue == *cue);
        Some(&turns.take(times + 1).last()?.lines)
    }

    fn cue(&self, text: &str) -> Option<&Cue> {
        let (text, lower) = (text.trim(), text.to_lowercase());
        let mut best: Option<&Cue> = None;
        for Turn { cue, .. } in &self.turns {
            match cue {
                Cue::Whole(whole) if whole == text => return Some(cue),
                Cue::Part(part) if lower.contains(part) && !matches!(best, Some(Cue::Part(_))) => {
                    best = Some(cue);
                }
                Cue::Any if best.is_none() => best = Some(cue),
                _ => {}
            }
        }
        best
    }

    fn off_script(&self, text: &str) -> ModelError {
        const SHOWN: usize = 8;
        let known = self.turns.iter().filter_map(|turn| match &turn.cue {
            Cue::Whole(whole) => Some(quoted(whole)),
            Cue::Part(part) => Some(format!("anything with {}", quoted(part))),
            Cue::Any => None,
        });
        let mut told = BTreeSet::new();
        let mut known: Vec<String> = known.filter(|cue| told.insert(cue.clone())).collect();
        let more = match known.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        known.truncate(SHOWN);
        let (name, text, known) = (&self.name, quoted(text), known.join(", "));
        ModelError::OffScript(format!(
            "{name} does not know {text}; it knows {known}{more}"
        ))
    }
}

impl Model for Script {
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a> {
        Box::pin(std::future::ready(self.answer(request)))
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// The calls of a line, with ids that do not come again while anything in the messages differs.
fn calls(line: &Line, messages: &[Message]) -> Vec<ModelCall> {
    // The hash of the standard library may change from release to release, and with it the ids.
    let mut hash = FnvHasher::default();
    hash.write(format!("{messages:?}").as_bytes());
    let numbered = (1..).zip(&line.calls);
    let calls = numbered.map(|(place, asked)| ModelCall {
        id: format!("script-{:016x}-{place}", hash.finish()),
        tool: asked.tool.clone(),
        args: asked.args.clone(),
    });
    calls.collect()
}

/// A text in quotes, on one line and not too long.
fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("\"{}\"", short(&words.join(" "), 40))
}
