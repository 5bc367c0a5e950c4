//! Settings for the behavior of the terminal.

/// Settings for the behavior of the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The name of the program, for people.
    pub name: &'static str,
    /// Whether the output is plain text only.
    pub plain: bool,
    /// Whether commands from a pipe may run immediately, while the host is still working on an earlier line.
    pub live: bool,
}
