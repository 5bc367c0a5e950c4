//! Paths as words of a shell command, for the commands that messages tell a person to run.

use std::path::Path;

/// Returns a path as one word of a command for bash and zsh. A path of letters, digits and `/._-+@` is not quoted.
///
/// ```
/// use std::path::Path;
///
/// use plan_machine_sessions::store::shell_word;
///
/// assert_eq!(shell_word(Path::new("/srv/plans.db")), "/srv/plans.db");
/// assert_eq!(shell_word(Path::new("/srv/Ann's plans.db")), r"'/srv/Ann'\''s plans.db'");
/// ```
#[must_use]
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@".contains(letter);
    // A shell would expand `=` or `~` at the beginning of a word, and take a word with `-` for an option.
    if text.starts_with(|first: char| first == '/' || first == '.' || first.is_alphanumeric())
        && text.chars().all(is_plain)
    {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
