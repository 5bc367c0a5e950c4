//! The parts of a simple command that the scanner has found: words, redirections and connectors.

use crate::word::Word;

/// What connects a simple command with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    /// `;`, a line break, or the start of the command.
    Then,
    /// `&&`: the command runs if the previous command succeeds.
    And,
    /// `||`: the command runs if the previous command fails.
    Or,
    /// `|`: the output of the previous command is the input of the command.
    Pipe,
}

/// A redirection that does not write a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Redirect<'c> {
    /// Output to `/dev/null`.
    Null {
        /// The number of the stream, if the command states it.
        stream: Option<u8>,
        /// Whether the redirection is written as `>>`.
        append: bool,
    },
    /// Output of one stream to another, such as `2>&1`.
    Stream {
        /// The number of the stream, if the command states it.
        stream: Option<u8>,
        /// The number of the other stream.
        to: u8,
    },
    /// Input from a file.
    Input(&'c str),
}

/// A simple command: words and redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple<'c> {
    /// The connector between the previous command and this command.
    pub(crate) connector: Connector,
    /// The words; never empty once the command has been scanned.
    pub(crate) words: Vec<Word<'c>>,
    /// The redirections of the command.
    pub(crate) redirects: Vec<Redirect<'c>>,
}
