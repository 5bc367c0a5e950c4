//! How a terminal behaves.

/// How the terminal behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The name of the program, for people.
    pub name: &'static str,
    /// Plain text only.
    pub plain: bool,
    /// Commands that can run at once do so, even from a pipe.
    pub live: bool,
}
