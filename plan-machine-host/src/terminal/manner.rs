//! The behavior of a terminal.

/// The behavior of the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The name of the program, for people.
    pub name: &'static str,
    /// Whether the output is plain text only.
    pub plain: bool,
    /// Whether commands that can run at once do so even if they come from a pipe.
    pub live: bool,
}
