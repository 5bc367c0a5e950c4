//! The conversation so far, as the model sees it: stored on disk, and truncated when it grows too
//! long.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::HostError;
use crate::model::Message;
use crate::words::first_words;

/// The size in bytes above which a history is truncated. The size is the total length of the lines that contain the
/// messages.
const MOST: usize = 60_000;

/// The maximum size of the messages that remain after truncation, in bytes, unless the last turn is larger.
const KEPT: usize = 20_000;

/// The history of one session.
#[derive(Debug)]
pub struct History {
    file: PathBuf,
    head: Head,
    messages: Vec<Message>,
}

/// The metadata of a history: everything except its messages.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Head {
    /// Identifies the history. A history that was started over, or whose file was lost, gets a new id.
    #[serde(default)]
    id: String,
    /// The number of messages ever added. It distinguishes otherwise identical calls.
    added: u64,
    /// Whether earlier messages were cut off.
    cut: bool,
}

/// A line of the file. The first line contains the metadata of the history.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a message")]
enum Line {
    Head(Head),
    Message(Message),
}

impl History {
    /// Reads a history; the file need not exist yet.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged; the file is then left unchanged.
    pub fn open(file: &Path) -> Result<Self, HostError> {
        let mut history = Self {
            file: file.to_owned(),
            head: Head::default(),
            messages: Vec::new(),
        };
        for (line, number) in disk::read(file)?.lines().zip(1..) {
            let damaged = |why| HostError::Damaged {
                file: file.to_owned(),
                why: format!("line {number}: {why}"),
            };
            match disk::json(line.as_bytes()).map_err(damaged)? {
                Line::Head(head) => history.head = head,
                Line::Message(message) => history.messages.push(message),
            }
        }
        if history.head.id.is_empty() {
            history.head.id = new_id();
        }
        Ok(history)
    }

    /// Starts a history over, even if the old history is damaged.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn begin_anew(file: &Path) -> Result<(), HostError> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        // If the old history is damaged, the count starts at the Unix time in seconds. No history has ever had this
        // many messages, so the ids of future calls are new.
        let many = || now.unwrap_or_default().as_secs();
        let added = Self::open(file).map_or_else(|_| many(), |old| old.added());
        let anew = Self {
            file: file.to_owned(),
            head: Head {
                id: new_id(),
                added,
                cut: false,
            },
            messages: Vec::new(),
        };
        anew.write()
    }

    /// Returns the messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the subject of the conversation: the first words of the first user message in this history.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        let mut words = self.messages.iter().filter_map(|message| match message {
            Message::User(text) => text.lines().next(),
            _ => None,
        });
        words.next().map(|line| first_words(line, 60))
    }

    /// Returns the identity of a call: the id of the history, the position of the response in the history, and the
    /// position of the call in the response. The model's own call ids are ignored, because a model may give two calls
    /// the same id, or no id at all.
    #[must_use]
    pub fn call_id(&self, place: u64, index: usize) -> String {
        format!("{}/{place}/{index}", self.head.id)
    }

    /// Returns the number of messages ever added.
    #[must_use]
    pub fn added(&self) -> u64 {
        self.head.added
    }

    /// Returns whether older messages were cut off.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.head.cut
    }

    /// Adds messages that belong together.
    ///
    /// # Errors
    ///
    /// If the file cannot be written. The messages are then part of this value, but may be missing on disk.
    pub fn add(&mut self, messages: Vec<Message>) -> Result<(), HostError> {
        self.head.added += messages.len() as u64;
        self.messages.extend(messages);
        if self.size() > MOST {
            self.compact(KEPT);
        }
        self.write()
    }

    /// Replaces the placeholder results of the last calls with the real results.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn settle(&mut self, results: Vec<Message>) -> Result<(), HostError> {
        let kept = self.messages.len().saturating_sub(results.len());
        self.messages.truncate(kept);
        self.messages.extend(results);
        self.write()
    }

    /// Removes the oldest turns until the lines of the remaining messages have at most `most` bytes. A turn starts with
    /// the user's message, so no call loses its result; the last turn is never removed.
    pub fn compact(&mut self, most: usize) {
        let begins = |message: &Message| matches!(message, Message::User(_));
        while self.size() > most {
            let Some(next) = self.messages.iter().skip(1).position(begins) else {
                return;
            };
            self.messages.drain(..=next);
            self.head.cut = true;
        }
    }

    fn size(&self) -> usize {
        self.messages
            .iter()
            .map(|message| line(message).len())
            .sum()
    }

    fn write(&self) -> Result<(), HostError> {
        let messages = self.messages.iter().map(line);
        let text: String = std::iter::once(line(&self.head)).chain(messages).collect();
        disk::write(&self.file, &text)
    }
}

/// Returns an id that no other history has.
fn new_id() -> String {
    let now = SystemTime::now();
    let half = || RandomState::new().hash_one(now);
    format!("{:016x}{:016x}", half(), half())
}

/// Encodes a line of the file. JSON can represent every value in a line, so the encoding cannot fail.
fn line(of: &impl Serialize) -> String {
    serde_json::to_string(of).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plan_machine::{Json, Object};

    use super::*;
    use crate::model::{ArgumentsError, ModelCall, Response};

    fn turn(number: usize) -> Vec<Message> {
        vec![
            Message::User(format!("question {number}")),
            Message::Model(Response {
                text: String::new(),
                calls: vec![ModelCall {
                    id: format!("call-{number}"),
                    tool: "read_file".to_owned(),
                    args: Ok(Object::new()),
                }],
            }),
            Message::Result {
                call_id: format!("call-{number}"),
                tool: "read_file".to_owned(),
                content: "x".repeat(100),
            },
        ]
    }

    #[test]
    fn what_is_written_reads_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("history.jsonl");
        let mut history = History::open(&file).expect("none yet");
        history.add(turn(1)).expect("written");
        let raw = Message::Model(Response {
            text: "words".to_owned(),
            calls: vec![ModelCall {
                id: "c".to_owned(),
                tool: "t".to_owned(),
                args: Err(ArgumentsError::new("[1")),
            }],
        });
        let numbers = r#"{"a":[-0.0,1.0,0.1,2.2250738585072014e-308,9007199254740993,18446744073709551615],"b":{"c":null}}"#;
        let Ok(Json::Object(args)) = Json::parse(numbers) else {
            panic!("an object")
        };
        let counted = Message::Model(Response {
            text: "\"line\n\u{1}\u{2028}\"".to_owned(),
            calls: vec![ModelCall {
                id: "d".to_owned(),
                tool: "t".to_owned(),
                args: Ok(args),
            }],
        });
        history.add(vec![raw, counted]).expect("written");
        let again = History::open(&file).expect("read");
        assert_eq!(again.messages(), history.messages());
        assert_eq!((again.added(), again.is_cut()), (5, false));
    }

    #[test]
    fn a_history_is_cut_at_the_start_of_a_turn() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut history = History::open(&folder.path().join("history.jsonl")).expect("none yet");
        for number in 0..20 {
            history.add(turn(number)).expect("written");
        }
        history.compact(1000);
        assert!(history.is_cut());
        assert!(history.messages().len() < 60);
        assert!(matches!(history.messages()[0], Message::User(_)));
        history.compact(0);
        assert_eq!(history.messages(), turn(19), "the last turn stays whole");
    }

    #[test]
    fn a_damaged_history_is_reported_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("history.jsonl");
        fs::write(&file, "{\"user\":\"a\"}\n{\"nobody\":1}\n").expect("a file");
        let error = History::open(&file).expect_err("no message");
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
