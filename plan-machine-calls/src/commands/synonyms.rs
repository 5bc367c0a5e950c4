//! Commands that do the same as more common commands. Rules list only the common commands.

use crate::word::Word;

/// The meaning of a command that does the same as more common commands.
pub(super) struct Synonym<'w, 'c> {
    /// The common commands that do the same; one of them must be listed.
    pub(super) means: &'static [&'static str],
    /// The arguments of the command.
    pub(super) arguments: &'w [Word<'c>],
    /// Whether the command accepts the flags of the listed command.
    pub(super) has_flags: bool,
}

/// Returns the meaning of a command that does the same as more common commands: `[ … ]` is `test …`, and `command -v …`
/// is like `which …`. `command` without `-v` runs its arguments, so it has no such meaning.
pub(super) fn synonym<'w, 'c>(words: &'w [Word<'c>]) -> Option<Synonym<'w, 'c>> {
    match words {
        [name, arguments @ .., end] if name.raw == "[" && end.raw == "]" => Some(Synonym {
            means: &["test"],
            arguments,
            has_flags: true,
        }),
        [name, flag, arguments @ ..] if name.raw == "command" && flag.raw == "-v" => {
            Some(Synonym {
                means: &["which", "type"],
                arguments,
                has_flags: false,
            })
        }
        _ => None,
    }
}
