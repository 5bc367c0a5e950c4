//! Compares a layout with the text that it was made from.

use std::collections::HashMap;

use console::strip_ansi_codes;

use super::super::layout::widest;

/// Returns whether a text has letters, digits or other characters that are no marks of Markdown.
pub(in super::super) fn has_letters(text: &str) -> bool {
    letters(text).next().is_some()
}

/// Returns whether lines show all letters of a text, except those that were omitted on purpose, and whether they fit
/// into a number of columns.
pub(super) fn shows_all(lines: &[String], text: &str, omitted: &str, width: usize) -> bool {
    let mut missing: HashMap<char, usize> = HashMap::new();
    for letter in letters(text) {
        *missing.entry(letter).or_default() += 1;
    }
    let mut count = |shown: &str| {
        for letter in letters(shown) {
            if let Some(left) = missing.get_mut(&letter) {
                *left = left.saturating_sub(1);
            }
        }
        widest(shown) <= width
    };
    let fits = lines.iter().all(|line| count(&strip_ansi_codes(line)));
    count(omitted);
    fits && missing.values().all(|left| *left == 0)
}

/// Returns the characters that must not disappear. All marks of Markdown are ASCII punctuation.
fn letters(text: &str) -> impl Iterator<Item = char> {
    let is_letter = |letter: &char| !letter.is_whitespace() && !letter.is_ascii_punctuation();
    text.chars().filter(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_to_be_shown_as_often_as_it_was_written() {
        let lines = ["\u{1b}[1mab\u{1b}[0m".to_owned(), "1é".to_owned()];
        assert!(shows_all(&lines, "**a** 1\né, b!", "", 2));
        assert!(!shows_all(&lines, "aab1é", "", 2));
        assert!(shows_all(&lines, "aab1é", "a", 2));
        assert!(!shows_all(&lines, "ab1é漢", "", 2));
        assert!(!shows_all(&lines, "ab1é", "", 1), "too wide");
    }
}
