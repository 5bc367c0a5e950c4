//! The character with which commands begin, for agents that use `/` themselves.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The character with which people begin commands. Specs always write `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandPrefix(char);

/// The error for an invalid command prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixError;

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid command prefix: expected one of `/ . : ! ; , + = % & ~ ^ > $ @ # ? |`")
    }
}

impl Error for PrefixError {}

/// The characters that can begin a command. Quotes, brackets, `-` and `*` are left out because they begin ordinary
/// lines, such as the items of a list.
const ALLOWED: &str = "/.:!;,+=%&~^>$@#?|";

impl Default for CommandPrefix {
    fn default() -> Self {
        Self('/')
    }
}

impl CommandPrefix {
    /// Returns the prefix that a text specifies.
    ///
    /// # Errors
    ///
    /// If the text is not exactly one of the allowed characters.
    pub fn parse(text: &str) -> Result<Self, PrefixError> {
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (Some(one), None) if ALLOWED.contains(one) => Ok(Self(one)),
            _ => Err(PrefixError),
        }
    }

    /// Returns whether commands begin with `/`, as in specs.
    #[must_use]
    pub fn is_default(self) -> bool {
        self == Self::default()
    }

    /// Returns the character.
    #[must_use]
    pub fn as_char(self) -> char {
        self.0
    }

    /// Returns a typed line as specs write it, with `/`; `None` if the line does not begin with the prefix.
    #[must_use]
    pub fn read(self, line: &str) -> Option<Cow<'_, str>> {
        let command = line.trim_start().strip_prefix(self.0)?;
        Some(if self.is_default() {
            Cow::Borrowed(line)
        } else {
            Cow::Owned(format!("/{command}"))
        })
    }

    /// Returns a text with every command written as people type it. `commands` are the texts of the commands in specs.
    /// Only the `/` of a command's first word is replaced, and only where that word is not part of a longer word, so
    /// that paths and URLs do not change.
    #[must_use]
    pub fn shown<'t, 'c>(
        self,
        text: &'t str,
        commands: impl IntoIterator<Item = &'c str>,
    ) -> Cow<'t, str> {
        if self.is_default() || !text.contains('/') {
            return Cow::Borrowed(text);
        }
        let mut words: Vec<&str> = commands.into_iter().filter_map(first_word).collect();
        words.sort_unstable();
        words.dedup();
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('/') {
            let (before, command) = rest.split_at(at);
            shown.push_str(before);
            let starts = shown.chars().next_back().is_none_or(begins_a_word);
            let is_command = |word: &&str| {
                let after = command.strip_prefix(*word);
                after.is_some_and(|after| after.chars().next().is_none_or(ends_a_word))
            };
            let known = starts && words.iter().any(is_command);
            shown.push(if known { self.0 } else { '/' });
            rest = &command[1..];
        }
        shown.push_str(rest);
        Cow::Owned(shown)
    }
}

impl fmt::Display for CommandPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Returns the first word of a command, with its `/`.
fn first_word(command: &str) -> Option<&str> {
    let word = command.split_whitespace().next()?;
    word.starts_with('/').then_some(word)
}

fn begins_a_word(before: char) -> bool {
    before.is_whitespace() || matches!(before, '`' | '"' | '\'' | '(' | '[')
}

fn ends_a_word(after: char) -> bool {
    after.is_whitespace()
        || matches!(
            after,
            '`' | '"' | '\'' | ')' | ']' | '.' | ',' | ';' | ':' | '?' | '!'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_one_character_that_begins_no_ordinary_line() {
        assert_eq!(
            CommandPrefix::parse(".").map(CommandPrefix::as_char),
            Ok('.')
        );
        for text in ["", "..", "a", "-", " ", "*", "é"] {
            assert_eq!(CommandPrefix::parse(text), Err(PrefixError), "{text}");
        }
    }

    #[test]
    fn a_line_is_read_only_with_its_own_prefix() {
        let dot = CommandPrefix(CommandPrefix::parse(".").map_or('?', CommandPrefix::as_char));
        assert_eq!(dot.read(" .plan on").as_deref(), Some("/plan on"));
        assert_eq!(dot.read("/plan on"), None);
        assert_eq!(
            CommandPrefix::default().read("/plan on").as_deref(),
            Some("/plan on")
        );
    }

    #[test]
    fn texts_show_commands_as_people_type_them() {
        let dot = CommandPrefix('.');
        let commands = ["/plan on", "/plan approve {token?}"];
        let shown = |text| dot.shown(text, commands).into_owned();
        assert_eq!(shown("start with `/plan on`"), "start with `.plan on`");
        assert_eq!(
            shown("/plan approve, then /plan."),
            ".plan approve, then .plan."
        );
        let unchanged = "src/plan /planet /plan/x https://a/plan";
        assert_eq!(shown(unchanged), unchanged);
    }
}
