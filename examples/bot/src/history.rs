//! The conversation so far, as the model is shown it: kept on disk, cut when it grows.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use plan_machine::{Json, Object};

use crate::model::{Call, Message, Response};

/// How many characters a history may have before it is cut.
const MOST: usize = 60_000;

/// How many are left then.
const KEPT: usize = 20_000;

/// The history of one session.
#[derive(Debug)]
pub struct History {
    file: PathBuf,
    messages: Vec<Message>,
    /// Something was cut off before them.
    cut: bool,
    /// How many messages were ever added: what makes one call another, though all else be the same.
    added: u64,
}

impl History {
    /// Reads a history; there need be none yet.
    ///
    /// # Errors
    ///
    /// Where it cannot be read or is damaged; it is then left as it is.
    pub fn open(file: &Path) -> Result<Self, String> {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("`{}` cannot be read: {error}", file.display())),
        };
        let mut history = Self {
            file: file.to_owned(),
            messages: Vec::new(),
            cut: false,
            added: 0,
        };
        for (number, line) in text.lines().enumerate() {
            let damaged = |why: &str| format!("`{}`, line {}: {why}", file.display(), number + 1);
            let json = Json::parse(line).map_err(|error| damaged(&error.message))?;
            match read(&json) {
                Some(Line::Message(message)) => history.messages.push(message),
                Some(Line::Head { cut, added }) => (history.cut, history.added) = (cut, added),
                None => return Err(damaged("this is no message")),
            }
        }
        Ok(history)
    }

    /// The messages, oldest first.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How many messages were ever added.
    #[must_use]
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Whether older messages were cut off.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Adds messages that belong together.
    ///
    /// # Errors
    ///
    /// Where they cannot be written; the history is then as it was on disk.
    pub fn add(&mut self, messages: Vec<Message>) -> Result<(), String> {
        self.added += messages.len() as u64;
        self.messages.extend(messages);
        if self.size() > MOST {
            self.compact(KEPT);
        }
        self.write()
    }

    /// Begins anew.
    ///
    /// # Errors
    ///
    /// Where that cannot be written.
    pub fn clear(&mut self) -> Result<(), String> {
        self.messages.clear();
        self.cut = false;
        self.write()
    }

    /// Cuts the oldest turns off until no more than so many characters are left. A turn begins with the
    /// user, so that no call is left without its result; the last turn stays whole.
    pub fn compact(&mut self, most: usize) {
        while self.size() > most {
            let later = self.messages.iter().skip(1);
            let Some(next) = later
                .into_iter()
                .position(|message| matches!(message, Message::User(_)))
            else {
                return;
            };
            self.messages.drain(..=next);
            self.cut = true;
        }
    }

    fn size(&self) -> usize {
        self.messages
            .iter()
            .map(|message| written(message).len())
            .sum()
    }

    fn write(&self) -> Result<(), String> {
        let mut text = String::new();
        let _ = writeln!(text, "{{\"added\":{},\"cut\":{}}}", self.added, self.cut);
        for message in &self.messages {
            text.push_str(&written(message));
            text.push('\n');
        }
        let beside = self.file.with_extension("new");
        let write = || -> std::io::Result<()> {
            let mut file = fs::File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &self.file)
        };
        write().map_err(|error| format!("`{}` cannot be written: {error}", self.file.display()))
    }
}

enum Line {
    Message(Message),
    Head { cut: bool, added: u64 },
}

fn written(message: &Message) -> String {
    let mut object = Object::new();
    match message {
        Message::User(text) => object.push("user", text.as_str()),
        Message::Model(response) => {
            object.push("model", response.text.as_str());
            let calls = response.calls.iter().map(|call| {
                let mut object = Object::new();
                object.push("id", call.id.as_str());
                object.push("tool", call.tool.as_str());
                match &call.args {
                    Ok(args) => object.push("args", args.clone()),
                    Err(raw) => object.push("raw", raw.as_str()),
                }
                Json::from(object)
            });
            object.push("calls", calls.collect::<Vec<Json>>());
        }
        Message::Result {
            call_id,
            tool,
            content,
        } => {
            object.push("result", content.as_str());
            object.push("of", call_id.as_str());
            object.push("tool", tool.as_str());
        }
    }
    Json::from(object).to_string()
}

fn read(json: &Json) -> Option<Line> {
    let object = json.as_object()?;
    let text = |key: &str| object.get(key).and_then(Json::as_text).map(str::to_owned);
    if let Some(added) = object.get("added").and_then(Json::as_int) {
        return Some(Line::Head {
            cut: object.get("cut").and_then(Json::as_bool)?,
            added: u64::try_from(added).ok()?,
        });
    }
    if let Some(said) = text("user") {
        return Some(Line::Message(Message::User(said)));
    }
    if let Some(content) = text("result") {
        return Some(Line::Message(Message::Result {
            call_id: text("of")?,
            tool: text("tool")?,
            content,
        }));
    }
    let calls = object.get("calls")?.as_list()?.iter().map(call);
    Some(Line::Message(Message::Model(Response {
        text: text("model")?,
        calls: calls.collect::<Option<_>>()?,
    })))
}

fn call(json: &Json) -> Option<Call> {
    let object = json.as_object()?;
    let text = |key: &str| object.get(key).and_then(Json::as_text).map(str::to_owned);
    Some(Call {
        id: text("id")?,
        tool: text("tool")?,
        args: match object.get("args").and_then(Json::as_object) {
            Some(args) => Ok(args.clone()),
            None => Err(text("raw")?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: usize) -> Vec<Message> {
        vec![
            Message::User(format!("question {number}")),
            Message::Model(Response {
                text: String::new(),
                calls: vec![Call {
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
            calls: vec![Call {
                id: "c".to_owned(),
                tool: "t".to_owned(),
                args: Err("[1".to_owned()),
            }],
        });
        history.add(vec![raw]).expect("written");
        let again = History::open(&file).expect("read");
        assert_eq!(again.messages(), history.messages());
    }

    #[test]
    fn a_history_is_cut_at_the_beginning_of_a_turn() {
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
    fn a_damaged_history_is_told_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("history.jsonl");
        fs::write(&file, "{\"user\":\"a\"}\n{\"nobody\":1}\n").expect("a file");
        let error = History::open(&file).expect_err("no message");
        assert!(error.contains("line 2"), "{error}");
    }
}
