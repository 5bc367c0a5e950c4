//! Variables in words, as far as the guard knows their values.

use std::borrow::Cow;

/// The placeholder for a name that consists of variables, because their values are not known. No file has this name.
const UNKNOWN: char = '\0';

/// Splits a word after the variable that is its first name: `$HOME/x`, `${HOME}/x` or `${HOME:-y}/x`.
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
