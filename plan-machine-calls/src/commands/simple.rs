//! Simple commands, as far as their meaning is certain.

use crate::word::Word;

/// What connects a simple command with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    /// `;`, a line break, or the start of the command.
    Then,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// A redirection that does not write a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Redirect<'c> {
    /// Output to `/dev/null`.
    Null {
        /// The number of the stream, if written.
        stream: Option<u8>,
        /// Whether it is written as `>>`.
        append: bool,
    },
    /// Output of one stream to another, such as `2>&1`.
    Stream {
        /// The number of the stream, if written.
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
    /// The connector before the command.
    pub(crate) connector: Connector,
    /// The words; never empty once the command has been scanned.
    pub(crate) words: Vec<Word<'c>>,
    /// The redirections.
    pub(crate) redirects: Vec<Redirect<'c>>,
}
