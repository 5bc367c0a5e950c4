//! Text in limited space: its width on a terminal, and how it is wrapped and shortened.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A space at which lines are not wrapped.
pub(super) const NO_BREAK: char = '\u{a0}';

/// Returns the number of terminal columns that a string occupies.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// Returns a string on one line, with white space collapsed and other control characters removed.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control()).collect())
        .collect();
    words.join(" ")
}

/// Returns a string on one line of at most `most` characters, cut off with an ellipsis if it is longer.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Returns lines of at most `most` columns, wrapped at spaces; a word that is too wide is split. Words joined by a
/// no-break space stay on one line.
pub(super) fn folded(text: &str, most: usize) -> Vec<String> {
    let most = most.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + 1 + width(word) > most {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if width(&line) + c.width().unwrap_or(0) > most {
                lines.push(std::mem::take(&mut line));
            }
            line.push(if c == NO_BREAK { ' ' } else { c });
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        assert_eq!(width("plan"), 4);
        assert_eq!(width("計画"), 4);
        assert_eq!(width("e\u{301}"), 1);
    }

    #[test]
    fn a_text_is_folded_between_words_and_long_words_are_cut() {
        assert_eq!(folded("one two three", 7), ["one two", "three"]);
        assert_eq!(folded("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(folded("a 計画計", 4), ["a", "計画", "計"]);
        assert_eq!(folded("→ A, next\u{a0}none", 10), ["→ A,", "next none"]);
        assert_eq!(folded("", 4), [""]);
    }

    #[test]
    fn a_long_line_ends_in_an_ellipsis() {
        assert_eq!(shortened("any\n  steps", 20), "any steps");
        assert_eq!(shortened("any steps where", 10), "any steps…");
    }
}
