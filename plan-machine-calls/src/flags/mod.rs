//! Program flags that are known to be harmless.

mod judge;
mod operands;
mod program;
mod read;

pub(crate) use program::Program;
pub use read::TableError;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The table that is part of this crate.
const BUILT_IN: &str = include_str!("../../data/flags.yaml");

/// A table of programs with the flags that neither write nor run anything.
///
/// A flag counts only if it is spelled in full: an abbreviation such as `--outp` for `--output` is not in the table.
/// For a program without an entry, no flags are allowed.
#[derive(Clone, Debug, Default)]
pub struct FlagsTable {
    /// The entries, keyed by their words, such as `git log`.
    entries: HashMap<String, Entry>,
}

/// An entry. In the built-in table, an entry is parsed when its program is first looked up, because a hook process
/// checks only one command.
#[derive(Clone, Debug)]
struct Entry {
    text: Cow<'static, str>,
    program: OnceLock<Program>,
}

impl FlagsTable {
    /// Returns the table that is part of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        let entries = read::entries(BUILT_IN).map(|(words, text)| {
            let entry = Entry {
                text: Cow::Borrowed(text),
                program: OnceLock::new(),
            };
            (words.to_owned(), entry)
        });
        Self {
            entries: entries.collect(),
        }
    }

    /// Reads a table in the format of `data/flags.yaml`.
    ///
    /// # Errors
    ///
    /// If the text is not such a table.
    pub fn read(text: &str) -> Result<Self, TableError> {
        let mut table = Self::default();
        for (words, text) in read::entries(text) {
            let entry = Entry {
                text: Cow::Owned(text.to_owned()),
                program: OnceLock::new(),
            };
            if table.entries.insert(words.to_owned(), entry).is_some() {
                return Err(TableError::new(format!("`{words}` has two entries")));
            }
        }
        for entry in table.entries.values() {
            let program = table.program(entry)?;
            let _ = entry.program.set(program);
        }
        Ok(table)
    }

    /// Returns the entries, each as its words separated by spaces.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the entry for a command: the one with the most words that the command begins with.
    pub(crate) fn find(&self, words: &[String]) -> Option<&Program> {
        let mut lengths = (1..=words.len()).rev();
        let entry = lengths.find_map(|length| self.entries.get(&words[..length].join(" ")))?;
        // If an entry is damaged, no flag of its program is allowed. A test reads the whole built-in table.
        let read = || self.program(entry).unwrap_or_default();
        Some(entry.program.get_or_init(read))
    }

    /// Reads an entry, and adds the flags of the entry that it names under `like`.
    fn program(&self, entry: &Entry) -> Result<Program, TableError> {
        let (mut program, like) = read::program(&entry.text)?;
        if let Some(like) = like {
            let Some(other) = self.entries.get(like.as_str()) else {
                return Err(TableError::new(format!("there is no entry `{like}`")));
            };
            let (other, _) = read::program(&other.text)?;
            program.flags.extend(other.flags);
        }
        Ok(program)
    }
}
