//! Wraps text to a number of columns, and adds the gutter to text that is not the host's.

use std::ops::Range;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The gutter, which precedes every line that a model, a plan or a tool has written, except in the frame of a card. It
/// precedes no other line. A model can print this character, but never in the first column, so every line that has
/// neither the gutter nor a frame is the host's.
pub(super) const GUTTER: &str = "▌ ";

/// The width of the gutter in columns.
pub(super) const GUTTER_WIDTH: usize = 2;

/// Marks a line that continues an overlong line of a card, so that the continuation does not look like a new line.
pub(super) const GOES_ON: &str = "↪ ";

/// Returns the maximum number of columns that text may occupy. Terminals differ in which characters
/// they join, so this is the width in the worst case.
pub(super) fn widest(text: &str) -> usize {
    let apart = text.chars().map(widest_letter).sum();
    text.width().max(apart)
}

/// Returns the maximum number of columns that a character may occupy. Terminals disagree about circled numbers and
/// about the tone and reading marks of East Asian scripts.
fn widest_letter(letter: char) -> usize {
    match letter {
        '\u{3248}'..='\u{324f}' | '\u{302e}'..='\u{302f}' | '\u{16ff0}'..='\u{16ff1}' => 2,
        _ => letter.width().unwrap_or(1),
    }
}

/// Wraps text to a number of columns, unless a single character is wider. Continuation lines start with a mark.
pub(super) fn wrapped(text: &str, width: usize, mark: &str) -> Vec<String> {
    let others = width.saturating_sub(widest(mark));
    let mut lines = Vec::new();
    for line in text.trim_end().split('\n') {
        for part in parts(line, width, others) {
            let begin = if part.start == 0 { "" } else { mark };
            lines.push(format!("{begin}{}", &line[part]));
        }
    }
    lines
}

/// Returns the parts of a line, without the blanks between them: the first part fits into `first` columns, and the
/// other parts fit into `others` columns, unless a single character is wider. There is at least one part, which may be
/// empty.
pub(super) fn parts(line: &str, first: usize, others: usize) -> Vec<Range<usize>> {
    let line = line.trim_end();
    let mut parts = Vec::new();
    let mut start = 0;
    loop {
        let room = if start == 0 { first } else { others };
        let end = start + fitting(&line[start..], room.max(1));
        let part = line[start..end].trim_end();
        parts.push(start..start + part.len());
        start = line.len() - line[end..].trim_start().len();
        if start == line.len() {
            return parts;
        }
    }
}

/// Returns the length of the part of a line that fits: up to a space if there is one, otherwise up to any character
/// that is not joined to the one before it, and at least one character. The rest of the line is not read.
fn fitting(line: &str, width: usize) -> usize {
    let mut columns = 0;
    let mut blank = None;
    let mut words = false;
    let mut apart = None;
    let mut joins = true;
    for (at, letter) in line.char_indices() {
        columns += widest_letter(letter);
        if !joins && letter.width() != Some(0) {
            apart = Some(at);
        }
        joins = letter == '\u{200d}';
        // A variation selector may make the preceding character wider.
        columns += usize::from(letter == '\u{fe0f}');
        if letter == ' ' && words {
            blank = Some(at);
        }
        words |= letter != ' ';
        if columns > width && at > 0 {
            return blank.or(apart).unwrap_or(at);
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        assert_eq!(
            wrapped("one two three\nfour", 8, ""),
            ["one two", "three", "four"]
        );
        assert_eq!(wrapped("abcdefgh", 5, GOES_ON), ["abcde", "↪ fgh"]);
        assert_eq!(wrapped("  - one two", 7, ""), ["  - one", "two"]);
        assert_eq!(wrapped("a\n\nb\n", 5, ""), ["a", "", "b"]);
        assert_eq!(wrapped("", 5, ""), [""]);
    }

    #[test]
    fn letters_that_a_terminal_may_draw_apart_count_apart() {
        let family = "👩\u{200d}👧\u{200d}👦".repeat(4);
        let lines = wrapped(&family, 10, "");
        assert!(lines.iter().all(|line| widest(line) <= 10), "{lines:?}");
        let circled = wrapped(&"\u{3248}".repeat(6), 10, "");
        assert_eq!(circled.len(), 2, "{circled:?}");
    }

    #[test]
    fn a_line_does_not_break_inside_an_emoji_or_before_an_accent() {
        let family = "👩\u{200d}👧\u{200d}👦";
        let two = format!("ab{family}{family}");
        assert_eq!(
            wrapped(&two, 10, ""),
            [format!("ab{family}"), family.to_owned()]
        );
        assert_eq!(wrapped("abcde\u{301}f", 5, ""), ["abcde\u{301}", "f"]);
        // A sequence that is wider than the line has to break somewhere.
        assert_eq!(wrapped(family, 4, "").len(), 2);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_no_letter_is_lost(text in "[a-c 漢é\n👩\u{200d}]{0,60}", width in 4_usize..20) {
            let lines = wrapped(&text, width, GOES_ON);
            prop_assert!(lines.iter().all(|line| widest(line) <= width), "{lines:?}");
            let letters = |text: &str| text.chars().filter(|one| !one.is_whitespace() && *one != '↪').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
