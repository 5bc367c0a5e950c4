//! Replaces variables in words with their values, if the guard knows these values.

use std::borrow::Cow;
use std::cell::Cell;

use super::programs::is_prefix;
use super::text::Piece;

/// The placeholder for a name that consists only of variables whose values are not known. No file has this name.
const UNKNOWN: char = '\0';

/// The maximum number of bytes of all filled words of one command. In a filled word, the variables are replaced with
/// their values.
const MOST_FILLED: usize = 1 << 20;

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

/// The variables that a command sets to values that are written in the command. A loop sets a variable to several
/// values.
#[derive(Debug, Default)]
pub(super) struct Assigned(Vec<(String, Vec<String>)>, Filled);

/// The number of bytes of the words that have been filled so far.
#[derive(Debug, Default)]
struct Filled(Cell<usize>);

impl Filled {
    fn add(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_add(bytes));
    }

    fn is_exhausted(&self) -> bool {
        self.0.get() > MOST_FILLED
    }

    /// Returns whether this number of bytes can be added. If not, no more words are filled.
    fn has_place_for(&self, bytes: usize) -> bool {
        let fits = self.0.get().saturating_add(bytes) <= MOST_FILLED;
        if !fits {
            self.add(bytes);
        }
        fits
    }
}

impl Assigned {
    /// Returns whether the filled words together exceed the maximum length. If so, no more words are filled.
    pub(super) fn is_exhausted(&self) -> bool {
        self.1.is_exhausted()
    }

    /// Returns whether the command has not set any variable so far.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a simple command with the values of its variables filled in; `None` if it has no variable with a known
    /// value.
    pub(super) fn fill_piece(&self, piece: &Piece) -> Option<Piece> {
        if self.is_empty() {
            return None;
        }
        piece.with(|word| self.fill(word))
    }

    /// Remembers the variables that the words of a simple command set, such as `x=y`, `export x=y`, `for x in y z` and
    /// `set -- y z`.
    pub(super) fn learn(&mut self, words: &[String]) {
        let words = words.iter().map(String::as_str);
        let words: Vec<&str> = words.skip_while(|word| is_prefix(word)).collect();
        match &words[..] {
            ["for" | "select", name, "in", values @ ..] => {
                let values = self.values_of(values);
                self.0.push(((*name).to_owned(), values));
            }
            ["set", values @ ..] => self.set(values),
            _ => self.assign(&words),
        }
    }

    /// Remembers the arguments that `set` sets.
    fn set(&mut self, words: &[&str]) {
        let words = words.iter().copied();
        let values = words.skip_while(|word| word.starts_with(['-', '+']));
        let values = self.values_of(&values.collect::<Vec<_>>());
        for (at, value) in values.iter().enumerate().take(9) {
            self.0.push(((at + 1).to_string(), vec![value.clone()]));
        }
        for all in ["@", "*"] {
            self.0.push((all.to_owned(), values.clone()));
        }
    }

    fn assign(&mut self, words: &[&str]) {
        let setters = ["declare", "export", "local", "readonly", "typeset"];
        let words = words.iter();
        for word in words.skip_while(|word| setters.contains(word) || word.starts_with('-')) {
            let Some((name, value)) = word.split_once('=') else {
                return;
            };
            let value = self.fill(value).unwrap_or_else(|| value.to_owned());
            self.0.push((name.to_owned(), vec![value]));
        }
    }

    fn values_of(&self, words: &[&str]) -> Vec<String> {
        let mut values = Vec::with_capacity(words.len());
        for word in words {
            match self.fill(word) {
                Some(text) => values.extend(text.split_whitespace().map(str::to_owned)),
                None => values.push((*word).to_owned()),
            }
        }
        values
    }

    /// Returns a word with the values of its variables filled in, once for each value, separated by spaces; `None` if
    /// it has no variable with a known value.
    pub(super) fn fill(&self, word: &str) -> Option<String> {
        if self.is_empty() || self.is_exhausted() {
            return None;
        }
        let mut rest = word;
        let mut filled = vec![String::new()];
        let mut found = false;
        if let Some((home, after)) = self.home(word) {
            (filled, rest, found) = (home.to_vec(), after, true);
        }
        while let Some(at) = rest.find('$') {
            self.push_to_all(&mut filled, &rest[..at])?;
            rest = &rest[at..];
            let known = variable(rest).and_then(|(name, after)| Some((self.values(name)?, after)));
            if let Some((values, after)) = known {
                // A value that contains itself many times could become very long.
                if !self.1.has_place_for(product(&filled, values)) {
                    return None;
                }
                let with = |value: &String| {
                    let texts = filled.iter();
                    texts
                        .map(|text| format!("{text}{value}"))
                        .collect::<Vec<_>>()
                };
                filled = values.iter().flat_map(with).collect();
                rest = after;
                found = true;
            } else {
                self.push_to_all(&mut filled, "$")?;
                rest = &rest[1..];
            }
        }
        self.push_to_all(&mut filled, rest)?;
        let filled = found.then(|| filled.join(" "))?;
        self.1.add(filled.len());
        Some(filled)
    }

    /// Appends `end` to all texts. Returns `None` if there are several texts and together they would become too long.
    fn push_to_all(&self, texts: &mut [String], end: &str) -> Option<()> {
        let bytes = texts.len().saturating_mul(end.len());
        if texts.len() > 1 && !self.1.has_place_for(bytes) {
            return None;
        }
        for text in texts {
            text.push_str(end);
        }
        Some(())
    }

    /// Splits a word after `~` if the command sets `HOME`, and returns the values of `HOME`.
    fn home<'s, 'w>(&'s self, word: &'w str) -> Option<(&'s [String], &'w str)> {
        let rest = word.strip_prefix('~')?;
        if !(rest.is_empty() || rest.starts_with('/')) {
            return None;
        }
        Some((self.values("HOME")?, rest))
    }

    fn values(&self, name: &str) -> Option<&[String]> {
        let mut known = self.0.iter().rev();
        let found = known.find(|(variable, _)| variable == name);
        found.map(|(_, values)| values.as_slice())
    }
}

/// Returns the number of bytes in all combinations of these texts and values, or the number of combinations if it is
/// greater.
fn product(texts: &[String], values: &[String]) -> usize {
    let bytes = |all: &[String]| all.iter().map(String::len).sum::<usize>();
    let of_values = texts.len().saturating_mul(bytes(values));
    let of_texts = values.len().saturating_mul(bytes(texts));
    let count = texts.len().saturating_mul(values.len());
    of_values.saturating_add(of_texts).max(count)
}

/// Reads a variable at the start of a text, and returns its name and the rest of the text.
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

/// Returns the position of the brace that closes the brace before this text.
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
        for word in ["z", "$q", "$a", "$", "~/x"] {
            assert_eq!(assigned.fill(word), None, "{word}");
        }
        assigned.learn(&words("HOME=/srv"));
        assert_eq!(assigned.fill("~/x"), Some("/srv/x".to_owned()));
        assert_eq!(assigned.fill("~ann/x"), None);
    }

    #[test]
    fn a_variable_with_several_values_is_filled_in_with_each_of_them() {
        let mut assigned = Assigned::default();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assigned.learn(&words("for x in a b"));
        assert_eq!(assigned.fill("c/$x"), Some("c/a c/b".to_owned()));
        assert_eq!(assigned.fill("$x$x"), Some("aa ba ab bb".to_owned()));
        assigned.learn(&words("set -e -- $x c"));
        assert_eq!(assigned.fill("$2"), Some("b".to_owned()));
        assert_eq!(assigned.fill("$@"), Some("a b c".to_owned()));
        assigned.learn(&words("do for z in '' a"));
        assert_eq!(assigned.fill("$z"), Some("'' a".to_owned()));
    }

    #[test]
    fn words_with_too_many_values_are_not_filled_and_exhaust_the_command() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let many = format!("for x in{}", " ab".repeat(5_000));
        let long = format!("x={}", "y".repeat(200_000));
        for (learned, word) in [
            (&many, "$x$x"),
            (&many, &*format!("$x/{}", "y".repeat(1_000))),
            (&long, "$x$x$x$x$x$x"),
            (&long, &"$x".repeat(1_000)),
        ] {
            let mut assigned = Assigned::default();
            assigned.learn(&words(learned));
            assert!(assigned.fill("$x").is_some(), "{learned:.10}");
            assert!(!assigned.is_exhausted(), "{learned:.10}");
            assert_eq!(assigned.fill(word), None, "{learned:.10}");
            assert!(assigned.is_exhausted(), "{learned:.10}");
            assert_eq!(assigned.fill("$x"), None, "{learned:.10}");
        }
        // A value that contains itself twice becomes too long after a few assignments.
        let mut assigned = Assigned::default();
        assigned.learn(&words("x=ab"));
        for _ in 0..100 {
            assigned.learn(&words("x=$x$x"));
        }
        assert!(assigned.is_exhausted());
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
