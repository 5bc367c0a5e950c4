//! An entry of the table: the harmless flags and operands of a program.

use std::collections::HashMap;

use super::operands::Operands;

/// The kind of value that a flag has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// No value.
    None,
    /// A value, attached or as the next word.
    Required,
    /// An attached value, or no value.
    Attached,
    /// A value, attached or as the next word, or no value if the flag is the last word.
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
    pub(super) flags: HashMap<String, Value>,
    /// The flags that may appear before the second word of the command.
    pub(super) before: Vec<String>,
    /// Whether flags with one dash are words, such as `-name`, and not groups of letters.
    pub(super) words: bool,
    /// Whether the value of a one-letter flag is never attached to it, unless the value is a
    /// number.
    pub(super) apart: bool,
    /// Whether a number can be a flag, such as `-20`.
    pub(super) numbers: bool,
    /// Whether `--` ends the flags.
    pub(super) dashes: bool,
    /// Whether the program has no harmful flag in any version, so that a pattern for file names may expand to a flag.
    pub(super) patterns: bool,
    /// Whether the program only prints its arguments, so that every word is harmless.
    pub(super) prints: bool,
    /// The operands that the program may have.
    pub(super) operands: Operands,
    /// The flags with which the program only lists something, so that the operands merely select what is listed. If the
    /// program has such flags, operands are allowed only together with one of them.
    pub(super) listing: Vec<String>,
}
