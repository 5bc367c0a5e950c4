//! How a terminal behaves.

/// How the terminal behaves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// What people call the program.
    pub name: &'static str,
    /// Words only.
    pub plain: bool,
    /// Commands that wait for nobody are taken at once, also from a pipe.
    pub live: bool,
}
