//! Reads the table of harmless flags.

use std::collections::HashMap;
use std::fmt;

use granit_parser::{Event, Parser};

use super::operands::Operands;
use super::{Program, Value};

/// The reason why a table of flags could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError(String);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TableError {}

fn error<T>(message: impl Into<String>) -> Result<T, TableError> {
    Err(TableError(message.into()))
}

/// Reads the programs of a table: a map of maps of strings.
pub(super) fn programs(text: &str) -> Result<HashMap<String, Program>, TableError> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|found| TableError(found.to_string()))?;
        reader.event(event)?;
    }
    Ok(reader.programs)
}

#[derive(Default)]
struct Reader {
    programs: HashMap<String, Program>,
    /// The number of open maps.
    depth: usize,
    /// The words of the entry that is being read.
    words: String,
    /// The key whose value comes next.
    key: Option<String>,
    /// The strings with an anchor, for their aliases.
    anchors: HashMap<usize, String>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) -> Result<(), TableError> {
        match event {
            Event::MappingStart(..) if self.depth < 2 => self.depth += 1,
            Event::MappingEnd => self.depth = self.depth.saturating_sub(1),
            Event::Scalar(text, _, anchor, _) if self.depth > 0 => {
                if anchor != 0 {
                    self.anchors.insert(anchor, text.to_string());
                }
                return self.scalar(&text);
            }
            Event::Alias(anchor) => {
                let text = self.anchors.get(&anchor).cloned();
                return self.scalar(&text.unwrap_or_default());
            }
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
            if self.programs.insert(text.to_owned(), new()).is_some() {
                return error(format!("`{text}` has two entries"));
            }
            text.clone_into(&mut self.words);
            return Ok(());
        }
        let Some(key) = self.key.take() else {
            self.key = Some(text.to_owned());
            return Ok(());
        };
        let program = self.programs.entry(self.words.clone()).or_default();
        let words = &self.words;
        set(program, &key, text)
            .map_err(|TableError(told)| TableError(format!("`{words}`: {told}")))
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
