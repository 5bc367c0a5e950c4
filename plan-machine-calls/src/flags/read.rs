//! Reads the table of harmless flags.

use std::fmt;

use granit_parser::{Event, Parser};

use super::operands::Operands;
use super::program::{Program, Value};

/// The reason why a table of flags could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError(String);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TableError {}

impl TableError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

fn error<T>(message: impl Into<String>) -> Result<T, TableError> {
    Err(TableError::new(message))
}

/// Returns the words and the text of each entry. Each line that is neither indented nor a comment begins an entry.
pub(super) fn entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_start = |line: &str| !line.starts_with([' ', '#', '\n', '\r']);
    let mut rest = text;
    std::iter::from_fn(move || {
        let skipped = rest
            .split_inclusive('\n')
            .take_while(|line| !is_start(line));
        rest = &rest[skipped.map(str::len).sum::<usize>()..];
        let mut lines = rest.split_inclusive('\n');
        let first = lines.next()?;
        let body = lines.take_while(|line| !is_start(line));
        let length = first.len() + body.map(str::len).sum::<usize>();
        let (entry, after) = rest.split_at(length);
        rest = after;
        let words = first.split_once(':').map_or(first, |(words, _)| words);
        // Words that YAML would read as another type are quoted.
        Some((words.trim_end().trim_matches('"'), entry))
    })
}

/// Reads an entry: a map whose only value is a map of strings. Also returns the name under `like`; the flags of the
/// entry with that name belong to this entry, too.
pub(super) fn program(text: &str) -> Result<(Program, Option<String>), TableError> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|found| TableError::new(found.to_string()))?;
        reader.event(event)?;
    }
    Ok((reader.program, reader.like))
}

struct Reader {
    program: Program,
    like: Option<String>,
    /// The number of maps that are open at this point of the text.
    depth: usize,
    /// The words of the entry.
    words: String,
    /// The key whose value comes next.
    key: Option<String>,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            program: new(),
            like: None,
            depth: 0,
            words: String::new(),
            key: None,
        }
    }
}

impl Reader {
    fn event(&mut self, event: Event<'_>) -> Result<(), TableError> {
        match event {
            Event::MappingStart(..) if self.depth < 2 => self.depth += 1,
            Event::MappingEnd => self.depth = self.depth.saturating_sub(1),
            Event::Scalar(text, ..) if self.depth > 0 => return self.scalar(&text),
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd => {}
            other => return error(format!("expected a map of maps, found {other:?}")),
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str) -> Result<(), TableError> {
        if self.depth == 1 {
            text.clone_into(&mut self.words);
            return Ok(());
        }
        let Some(key) = self.key.take() else {
            self.key = Some(text.to_owned());
            return Ok(());
        };
        if key == "like" {
            self.like = Some(text.to_owned());
            return Ok(());
        }
        let words = &self.words;
        set(&mut self.program, &key, text)
            .map_err(|TableError(told)| TableError::new(format!("`{words}`: {told}")))
    }
}

/// Returns an entry before its keys are read.
fn new() -> Program {
    Program {
        dashes: true,
        ..Program::default()
    }
}

fn set(program: &mut Program, key: &str, value: &str) -> Result<(), TableError> {
    match (key, value) {
        ("flags", flags) => {
            for flag in flags.split_whitespace() {
                let (flag, value) = self::flag(flag)?;
                if program.flags.insert(flag.to_owned(), value).is_some() {
                    return error(format!("`{flag}` is listed twice"));
                }
            }
        }
        ("before", flags) => {
            program.before = flags.split_whitespace().map(str::to_owned).collect();
        }
        ("listing", flags) => {
            program.listing = flags.split_whitespace().map(str::to_owned).collect();
        }
        ("operands", name) => match Operands::named(name) {
            Some(operands) => program.operands = operands,
            None => return error(format!("unknown `operands`: `{name}`")),
        },
        ("apart", "yes") => program.apart = true,
        ("numbers", "yes") => program.numbers = true,
        ("patterns", "yes") => program.patterns = true,
        ("words", "yes") => program.words = true,
        ("prints", "yes") => program.prints = true,
        ("dashes", "no") => program.dashes = false,
        _ => return error(format!("unknown key or value `{key}: {value}`")),
    }
    Ok(())
}

/// Reads a flag: `-x`, `-x=` with a value, `-x[=]` with an attached value or none, or `-x=?` with a value unless it is
/// the last word.
fn flag(text: &str) -> Result<(&str, Value), TableError> {
    let (flag, value) = if let Some(flag) = text.strip_suffix("[=]") {
        (flag, Value::Attached)
    } else if let Some(flag) = text.strip_suffix("=?") {
        (flag, Value::UnlessLast)
    } else if let Some(flag) = text.strip_suffix('=') {
        (flag, Value::Required)
    } else {
        (text, Value::None)
    };
    if flag.len() < 2 || !flag.starts_with('-') || flag.contains('=') {
        return error(format!("`{text}` is not a flag"));
    }
    Ok((flag, value))
}
