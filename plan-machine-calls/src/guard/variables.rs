//! Variables in words, as far as the guard knows their values.

use std::borrow::Cow;

use super::uri::LONGEST;

/// The placeholder for a name that consists only of variables whose values are not known. No file has this name.
const UNKNOWN: char = '\0';

/// Splits a path after the variable that is its first component: `$HOME/x`, `${HOME}/x` or `${HOME:-y}/x`.
pub(super) fn leading(word: &str) -> Option<(&str, &str)> {
    let (name, rest) = variable(word)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| (name, rest.trim_start_matches('/')))
}

/// Removes the variables from a word, because their values are not known. A name between two slashes that consists only
/// of variables becomes unknown; in any other name, the variables may be empty.
pub(super) fn removed(word: &str) -> Cow<'_, str> {
    if !word.contains('$') {
        return word.into();
    }
    let mut marked = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('$') {
        marked.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((_, after)) = variable(rest) {
            marked.push(UNKNOWN);
            rest = after;
        } else {
            marked.push('$');
            rest = &rest[1..];
        }
    }
    marked.push_str(rest);
    let names = marked.split('/').map(|name| {
        let is_unknown = !name.is_empty() && name.chars().all(|letter| letter == UNKNOWN);
        if is_unknown {
            UNKNOWN.to_string()
        } else {
            name.replace(UNKNOWN, "")
        }
    });
    names.collect::<Vec<String>>().join("/").into()
}

/// The variables that a command sets to values that are written in the command.
#[derive(Debug, Default)]
pub(super) struct Assigned(Vec<(String, String)>);

impl Assigned {
    /// Remembers the variables that the words of a simple command set, such as `x=y` and `export x=y`.
    pub(super) fn learn(&mut self, words: &[String]) {
        let setters = ["declare", "export", "local", "readonly", "typeset"];
        let words = words.iter().map(String::as_str);
        for word in words.skip_while(|word| setters.contains(word) || word.starts_with('-')) {
            let Some((name, value)) = word.split_once('=') else {
                return;
            };
            let value = self.fill(value).unwrap_or_else(|| value.to_owned());
            self.0.push((name.to_owned(), value));
        }
    }

    /// Returns a word with the values of its variables filled in; `None` if it has no variable with a known value.
    pub(super) fn fill(&self, word: &str) -> Option<String> {
        if self.0.is_empty() || !word.contains('$') {
            return None;
        }
        let mut filled = String::with_capacity(word.len());
        let mut rest = word;
        let mut found = false;
        while let Some(at) = rest.find('$') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let known = variable(rest).and_then(|(name, after)| Some((self.value(name)?, after)));
            if let Some((value, after)) = known {
                filled.push_str(value);
                rest = after;
                found = true;
            } else {
                filled.push('$');
                rest = &rest[1..];
            }
            // A value that contains itself many times could become very long.
            if filled.len() > LONGEST {
                return None;
            }
        }
        filled.push_str(rest);
        found.then_some(filled)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let mut known = self.0.iter().rev();
        let found = known.find(|(variable, _)| variable == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads a variable at the start of a text, and returns its name and what follows it.
fn variable(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('$')?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if let Some(inside) = text.strip_prefix('{') {
        let end = closing(inside)?;
        let name = inside.find(|letter| !is_name(letter)).unwrap_or(end);
        return Some((&inside[..name.min(end)], &inside[end + 1..]));
    }
    let end = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    // `$@`, `$#` and similar variables have one character.
    let special = text.starts_with(['@', '*', '#', '?', '-', '!', '$']);
    let end = if end == 0 && special { 1 } else { end };
    (end > 0).then(|| text.split_at(end))
}

/// Returns the position of the brace that closes the one before this text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_at_the_start_is_found_in_every_spelling() {
        for word in [
            "$HOME/a/b",
            "${HOME}/a/b",
            "${HOME:-/x/${y}}/a/b",
            "${HOME}//a/b",
        ] {
            assert_eq!(leading(word), Some(("HOME", "a/b")), "{word}");
        }
        assert_eq!(leading("$HOME"), Some(("HOME", "")));
        for word in ["$HOME.x/a", "HOME/a", "${HOME", "$", "", "$/a"] {
            assert_eq!(leading(word), None, "{word}");
        }
    }

    #[test]
    fn a_variable_that_the_command_sets_is_filled_in() {
        let mut assigned = Assigned::default();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assigned.learn(&words("x=plan- y=machine"));
        assigned.learn(&words("export z=$x$y"));
        assigned.learn(&words("echo a=b"));
        assert_eq!(assigned.fill("${x}$y"), Some("plan-machine".to_owned()));
        assert_eq!(assigned.fill("$z/$q"), Some("plan-machine/$q".to_owned()));
        for word in ["z", "$q", "$a", "$"] {
            assert_eq!(assigned.fill(word), None, "{word}");
        }
    }

    #[test]
    fn a_variable_may_be_empty_but_a_whole_name_of_variables_is_unknown() {
        for (word, expected) in [
            ("a/b", "a/b"),
            ("$OUT", "\0"),
            ("a$x.json", "a.json"),
            ("a${x:-y}b", "ab"),
            ("a/$x", "a/\0"),
            ("a/$x$y/b$@", "a/\0/b"),
            ("$", "$"),
            ("${x", "${x"),
        ] {
            assert_eq!(removed(word), expected, "{word}");
        }
    }
}
