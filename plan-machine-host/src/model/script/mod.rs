//! A model that follows a script: a conversation in YAML, for demonstrations and tests.
//!
//! A script is a list of turns. A turn contains a message from the user and the model's responses to it. After a
//! response with calls, the model is asked again with their results, and gives its next response. When a turn has no
//! more responses, the model says "Done." and makes no calls, so a host that asks until there are no more calls
//! terminates.
//!
//! ```
//! use plan_machine_host::model::{Message, Model, ModelRequest, script::Script};
//!
//! let script = Script::read("release", r#"
//! - user: Plan the release           # the whole message; surrounding white space is ignored
//!   model:
//!     - text: I will look around first.
//!       calls:                       # in order; each has one key, the name of the tool
//!         - list_files: { path: docs }
//!         - git_status               # without arguments
//!         - shell: '{"cmd": '        # a string is JSON, as model APIs send it; this one is malformed
//!     - text: "There is {result.1}; I may call {tools}."
//! - contains: thank                  # a part of the message; upper and lower case are the same
//!   model:
//!     - text: You're welcome.
//! - default:                         # any other message
//!     - text: I only know my script.
//! "#)?;
//!
//! let request = ModelRequest {
//!     messages: vec![Message::User("Plan the release".into())],
//!     ..ModelRequest::default()
//! };
//! let first = script.answer(&request)?;
//! assert_eq!(first.text, "I will look around first.");
//! assert_eq!(first.calls[0].tool, "list_files");
//! assert!(first.calls[2].args.is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - If several turns have the same `user` (or the same `contains`), the first turn answers the first matching message,
//!   the second turn answers the second one, and the last turn answers all later ones. `user` takes precedence over
//!   `contains`; if several `contains` match a message, the first one in the script takes precedence.
//! - In a `text`, `{result}` is replaced with the last result, `{result.2}` with the result of the second call of the
//!   previous response, and `{tools}` with the names of the advertised tools. All other braces stay
//!   unchanged.
//! - A script keeps no state between requests: any number of sessions can share one, and a repeated request gets the
//!   same answer with the same call ids, even after a restart.
//! - A call id is a hash of all messages of the request, including earlier ids and results, and of the position of the
//!   call. It repeats only if all messages repeat. A host that shortens the history and does not run a call whose id
//!   repeats must therefore keep a message that differs: an earlier call or its result, or a summary. The user's last
//!   message alone is not enough.

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

/// The answer when a turn has no more responses.
const DONE: &str = "Done.";

/// A model that follows a script.
#[derive(Clone, Debug)]
pub struct Script {
    name: String,
    turns: Vec<Turn>,
}

impl Script {
    /// Reads a script; its name appears in errors and serves as the model's name.
    ///
    /// # Errors
    ///
    /// If the script is invalid; the error says what is wrong and where.
    pub fn read(name: &str, yaml: &str) -> Result<Self, HostError> {
        let turns = read::turns(yaml).map_err(|why| HostError::input(format!("{name}: {why}")))?;
        Ok(Self {
            name: name.to_owned(),
            turns,
        })
    }

    /// Reads a script from a file. The path of the file becomes the name of the script.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not a script.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, HostError> {
        let path = path.as_ref();
        let yaml = std::fs::read_to_string(path).map_err(HostError::disk(path, "read"))?;
        Self::read(&path.display().to_string(), &yaml)
    }

    /// Returns the answer to a request.
    ///
    /// # Errors
    ///
    /// [`ModelError::OffScript`] if no turn matches the user's message.
    pub fn answer(&self, request: &ModelRequest) -> Result<Response, ModelError> {
        let of_user = |message: &Message| matches!(message, Message::User(_));
        let last = request.messages.iter().rposition(of_user);
        let (before, turn) = request.messages.split_at(last.unwrap_or_default());
        let Some(Message::User(text)) = turn.first() else {
            return Err(ModelError::OffScript("there is no user message".to_owned()));
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

    /// Returns the responses to a message, depending on how many matching messages came before it.
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
            Cue::Part(part) => Some(format!("anything that contains {}", quoted(part))),
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
            "{name} has no turn for {text}; the script has turns for {known}{more}"
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

/// Returns the calls of a response. A request with different messages gets different call ids.
fn calls(line: &Line, messages: &[Message]) -> Vec<ModelCall> {
    // The hash of the standard library may change between releases, which would change the ids.
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

/// Quotes text on one line, shortened if necessary.
fn quoted(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("\"{}\"", short(&words.join(" "), 40))
}
