//! The operands of programs whose operands can do harm.

use crate::refusal::{Refusal, quoted};

/// Which operands a program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Operands {
    /// Any number of operands.
    #[default]
    Any,
    /// At most this many operands, because a further operand could do harm: for example, `uniq` writes to its second
    /// operand.
    AtMost(usize),
    /// A format that begins with `+`.
    Format,
    /// A `sed` script that only prints, followed by files.
    SedScript,
    /// A `printf` format that converts only strings, followed by strings. zsh evaluates numeric arguments as arithmetic
    /// expressions, which can run commands.
    Texts,
    /// Any operands, but only a number may follow a leading `+`, because `tail +1f` never ends.
    Lines,
    /// Any operands that do not make `jq` print the environment.
    Filter,
    /// Process ids, and groups of letters without `e`, which prints the environment of each process.
    Processes,
}

impl Operands {
    /// Returns the kind of operands that has this name in the table; `None` if the name is unknown.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::AtMost(0)),
            "one" => Some(Self::AtMost(1)),
            "format" => Some(Self::Format),
            "sed" => Some(Self::SedScript),
            "texts" => Some(Self::Texts),
            "lines" => Some(Self::Lines),
            "filter" => Some(Self::Filter),
            "processes" => Some(Self::Processes),
            _ => None,
        }
    }

    /// Returns whether the position or the number of operands matters, so that a file name pattern, which may become
    /// several words, is not allowed.
    pub(super) fn are_counted(self) -> bool {
        !matches!(
            self,
            Self::Any | Self::Lines | Self::Filter | Self::Processes
        )
    }

    /// Returns whether a flag may have this value: `ps -o environ` prints the environment of each process.
    pub(super) fn allows_value(self, value: &str) -> bool {
        self != Self::Processes || !value.contains("env")
    }

    /// Checks an operand; `before` is the number of operands before it.
    pub(super) fn allow(self, name: &str, operand: &str, before: usize) -> Result<(), Refusal> {
        let fits = match self {
            Self::Any => true,
            Self::AtMost(most) => before < most,
            Self::Format => before == 0 && operand.starts_with('+'),
            Self::SedScript => before > 0 || only_prints(operand),
            Self::Texts => before > 0 || has_only_texts(operand),
            Self::Lines => is_line_count(operand),
            Self::Filter => !has_environment(operand),
            Self::Processes => !operand.contains('e'),
        };
        if fits {
            return Ok(());
        }
        let operand = quoted(operand);
        let reason = match self {
            Self::SedScript => format!("the script {operand} does more than print lines"),
            _ => format!("{operand} is not known to be harmless after `{name}`"),
        };
        Err(Refusal::new(reason))
    }
}

/// Returns whether a script of `sed` has only the commands `p` (print), `=` (print the line number) and `q` (quit),
/// with addresses, such as `1,5p;/fn main/,$p;9q`.
pub(super) fn only_prints(script: &str) -> bool {
    script.split([';', '\n']).all(|command| {
        let Some(addresses) = command.trim_matches(' ').strip_suffix(['p', '=', 'q']) else {
            return false;
        };
        let Some(rest) = address(addresses) else {
            return false;
        };
        match rest.strip_prefix(',') {
            Some(second) => address(second) == Some(""),
            None => rest.is_empty(),
        }
    })
}

/// Returns whether a `printf` format converts only strings.
fn has_only_texts(format: &str) -> bool {
    let mut conversions = format.split('%').skip(1);
    while let Some(conversion) = conversions.next() {
        if conversion.is_empty() {
            // After `%%`, the text up to the next `%` is literal.
            conversions.next();
            continue;
        }
        let rest = conversion.trim_start_matches(|letter: char| {
            letter.is_ascii_digit() || letter == '-' || letter == '.'
        });
        if !rest.starts_with(['s', 'b', 'q', 'c']) {
            return false;
        }
    }
    true
}

/// Returns whether an operand of `tail` is a file, or a number of lines such as `+5`.
fn is_line_count(operand: &str) -> bool {
    operand
        .strip_prefix('+')
        .is_none_or(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a filter of `jq` contains `env` or `$ENV`. The field `.env` does not count.
fn has_environment(filter: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    filter
        .match_indices("env")
        .chain(filter.match_indices("ENV"))
        .any(|(at, name)| {
            let (before, after) = (&filter[..at], &filter[at + name.len()..]);
            !before.ends_with(|letter| is_name(letter) || letter == '.')
                && !after.starts_with(is_name)
        })
}

/// Returns whether the flags of `ps` may print environments. If `ps` does not know a flag, or if a flag lacks its
/// value, `ps` reads all flags as letters without a dash, and then `e` prints the environment of each process.
pub(super) fn may_print_environments<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let flags = words.filter(|word| word.starts_with('-') && !word.starts_with("--"));
    let letters: String = flags.collect();
    letters.contains('e') && letters.contains(['u', 'U', 'x', 'r'])
}

/// Reads an address, and returns the rest of the text.
fn address(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('$') {
        return Some(rest);
    }
    if let Some(pattern) = text.strip_prefix('/') {
        let end = pattern.find('/')?;
        let (inside, rest) = (&pattern[..end], &pattern[end + 1..]);
        return rest_of(!inside.is_empty() && is_clear(inside), rest);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    rest_of(digits > 0 && digits < 10, &text[digits..])
}

/// Returns whether every version of sed ends a pattern at the same slash. The versions disagree if a backslash or a
/// bracket may hide the slash, so a backslash is allowed only before a character that cannot cause this.
fn is_clear(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let is_clear = match letter {
            '[' => false,
            '\\' => letters
                .next()
                .is_some_and(|next| ".*+?(){}|^$-\"<>wWsSbB".contains(next)),
            _ => true,
        };
        if !is_clear {
            return false;
        }
    }
    true
}

fn rest_of(is_clear: bool, rest: &str) -> Option<&str> {
    is_clear.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_addresses_and_p_only_prints() {
        for script in [
            "1p",
            "1,20p",
            "$p",
            "5,$p",
            "/fn main/p",
            "/a/,/b/p",
            "1p;3,4p",
            "1p; 9p",
            "1,5p;6q",
            "$=",
            "/a\\.b/p",
            "/fn main\\(/,/^}/p",
        ] {
            assert!(only_prints(script), "{script}");
        }
    }

    #[test]
    fn a_format_of_texts_converts_no_numbers() {
        for format in ["", "a", "%s\\n", "%-10s|%b", "100%%", "%%d", "%5.2s"] {
            assert!(has_only_texts(format), "{format}");
        }
        for format in ["%d", "%s %u", "%*s", "%.*f", "%x", "%%%d", "% d"] {
            assert!(!has_only_texts(format), "{format}");
        }
    }

    #[test]
    fn any_other_script_may_do_more() {
        for script in [
            "",
            "p",
            "1w x",
            "1e",
            "1,5w out",
            "s/a/b/p",
            "s/a/b/ep",
            "/a/w xp",
            "1p;w x",
            "1r /etc/p",
            "/[/]w x/p",
            "/a\\/w x/p",
            "/a\\.\\/w x/p",
            "/a\\\\/w x/p",
            "/a\\[/w x/p",
            "/a\\c/p",
            "/a\\",
            "q",
            "6q5",
            "6Q",
            "1,5p;6w x",
            "1d",
            "1,5!p",
            "1p\nw x",
            "1,2,3p",
            "1pp",
            "1,p",
            "1~2p",
            "{1p",
        ] {
            assert!(!only_prints(script), "{script}");
        }
    }
}
