//! Compares a layout with the text that it was made from.

use std::collections::HashMap;

use console::strip_ansi_codes;

use super::super::layout::widest;

/// Returns whether a text has letters, digits or other characters that are not Markdown marks.
pub(in super::super) fn has_letters(text: &str) -> bool {
    text.chars().any(is_kept)
}

/// Returns whether lines show all characters of a text that must be kept, except those that were omitted on purpose, and
/// whether they fit into a number of columns.
pub(super) fn shows_all(
    lines: &[String],
    text: &str,
    omitted: &str,
    width: usize,
    is_kept: fn(char) -> bool,
) -> bool {
    let mut missing: HashMap<char, usize> = HashMap::new();
    for letter in text.chars().filter(|letter| is_kept(*letter)) {
        *missing.entry(letter).or_default() += 1;
    }
    let mut count = |shown: &str| {
        for letter in shown.chars() {
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

/// Returns whether a character must not disappear. All marks of Markdown are ASCII punctuation.
pub(super) fn is_kept(letter: char) -> bool {
    !letter.is_whitespace() && !letter.is_ascii_punctuation()
}

/// Returns whether a character of a table must not disappear: all but blanks and the marks that a cell can have.
pub(super) fn is_kept_in_tables(letter: char) -> bool {
    !letter.is_whitespace() && !"|-:*_~`\\[]!<>".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_to_be_shown_as_often_as_it_was_written() {
        let lines = ["\u{1b}[1mab\u{1b}[0m".to_owned(), "1é".to_owned()];
        assert!(shows_all(&lines, "**a** 1\né, b!", "", 2, is_kept));
        assert!(!shows_all(&lines, "aab1é", "", 2, is_kept));
        assert!(shows_all(&lines, "aab1é", "a", 2, is_kept));
        assert!(!shows_all(&lines, "ab1é漢", "", 2, is_kept));
        assert!(!shows_all(&lines, "ab1é", "", 1, is_kept), "too wide");
    }
}
