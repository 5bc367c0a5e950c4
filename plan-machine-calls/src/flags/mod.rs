//! Program flags that are known to be harmless.

mod judge;
mod operands;
mod read;

pub use read::TableError;

use std::collections::HashMap;

use operands::Operands;

/// The table that is part of this crate.
const BUILT_IN: &str = include_str!("../../data/flags.yaml");

/// A table of programs with the flags that neither write nor run anything.
///
/// A flag counts only if it is spelled in full: an abbreviation such as `--outp` for `--output` is not in the table. A
/// program without an entry may have no flags at all.
#[derive(Clone, Debug, Default)]
pub struct FlagsTable {
    /// The entries, by their words separated by spaces, such as `git log`.
    programs: HashMap<String, Program>,
}

impl FlagsTable {
    /// Returns the table that is part of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        // A test reads the table. If the table could not be read, no flag would be allowed.
        Self::read(BUILT_IN).unwrap_or_default()
    }

    /// Reads a table in the format of `data/flags.yaml`.
    ///
    /// # Errors
    ///
    /// Returns an error that names the entry if the text is not such a table.
    pub fn read(text: &str) -> Result<Self, TableError> {
        let programs = read::programs(text)?;
        Ok(Self { programs })
    }

    /// Returns the entries, each as its words separated by spaces.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.programs.keys().map(String::as_str)
    }

    /// Returns the entry for a command: the one with the most words that the command begins with.
    pub(crate) fn find(&self, words: &[String]) -> Option<&Program> {
        let mut lengths = (1..=words.len()).rev();
        lengths.find_map(|length| self.programs.get(&words[..length].join(" ")))
    }
}

/// The value that follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Nothing.
    None,
    /// A value, attached or as the next word.
    Required,
    /// A value that may be attached.
    Attached,
    /// A value, attached or as the next word, or nothing if the flag is the last word.
    UnlessLast,
}

/// The harmless flags and operands of a program.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an independent fact about a program"
)]
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    /// The flags with their dashes.
    flags: HashMap<String, Value>,
    /// The flags that may appear before the second word of the command.
    before: Vec<String>,
    /// Whether flags with one dash are words, such as `-name`, and not groups of letters.
    words: bool,
    /// Whether the value of a one-letter flag is never attached to it, unless the value is a
    /// number.
    apart: bool,
    /// Whether a number can be a flag, such as `-20`.
    numbers: bool,
    /// Whether `--` ends the flags.
    dashes: bool,
    /// Whether the program has no harmful flag in any version, so that a pattern may become a flag.
    patterns: bool,
    /// Whether the program only prints its arguments, so that every word is harmless.
    prints: bool,
    /// The operands.
    operands: Operands,
    /// The flags with which the operands only select what is listed. Without one of them, no operand is allowed.
    listing: Vec<String>,
}
