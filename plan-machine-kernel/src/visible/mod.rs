//! Makes text from models and files safe for people to read: the result cannot move the cursor, hide parts of itself,
//! or reverse the text that a person reads and approves.
//!
//! Characters without a visible shape are written as their code points: control characters, all characters with the
//! Unicode property `Default_Ignorable_Code_Point`, and all characters of the category Format. So are characters for
//! private use, which have no agreed shape. Joiners are kept where they have a visible effect: between pictographs, in
//! scripts whose letters join, and after a virama. The variation selector 16, which requests the colored form of an
//! emoji, is kept directly after a pictograph and in a keycap. Everywhere else, both are written as their code points.
//!
//! ```
//! use plan_machine_kernel::visible::{visible, visible_line};
//!
//! assert_eq!(visible("rm\u{200b} -r a\u{fe0f}"), "rm‹U+200B› -r a‹U+FE0F›");
//! assert_eq!(visible("👩\u{200d}👧 ⚠\u{fe0f}"), "👩\u{200d}👧 ⚠\u{fe0f}");
//! assert_eq!(visible("\u{e000}\u{10ffff}"), "‹U+E000›‹U+10FFFF›");
//! assert_eq!(visible_line("one\ntwo"), "one\\ntwo");
//! ```

mod tables;

use std::fmt::Write as _;

use tables::{JOINS_NEXT, JOINS_PREVIOUS, PICTOGRAPHS, Ranges, UNSEEN, VIRAMAS};

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
/// The variation selector 16: the character before it is shown as a colored emoji.
const EMOJI_STYLE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// Returns the text with every character visible. Line feeds are kept, and a tab becomes four spaces.
#[must_use]
pub fn visible(text: &str) -> String {
    written(text, |letter| match letter {
        '\n' => Some("\n"),
        '\t' => Some("    "),
        _ => None,
    })
}

/// Returns the text on one line, with every character visible.
#[must_use]
pub fn visible_line(text: &str) -> String {
    written(text, |letter| match letter {
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    })
}

/// Returns whether a character has no visible shape. Unicode gives the Braille blank and the line and paragraph
/// separators other properties, but people cannot see them either.
#[must_use]
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{2800}')
        || is_private(letter)
        || is_in(UNSEEN, letter)
}

/// Returns whether Unicode leaves the meaning of a character to private agreements, or forbids its use in text. Each
/// font shows a different shape for it, or none.
fn is_private(letter: char) -> bool {
    matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..)
        || u32::from(letter) & 0xfffe == 0xfffe
}

/// Returns whether a character is a pictograph, the building block of emoji.
#[must_use]
pub fn is_pictograph(letter: char) -> bool {
    is_in(PICTOGRAPHS, letter)
}

fn written(text: &str, other_form: impl Fn(char) -> Option<&'static str>) -> String {
    let mut seen = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        if let Some(form) = other_form(letter) {
            seen.push_str(form);
        } else if !is_unseen(letter) {
            seen.push(letter);
        } else {
            let (before, after) = (&text[..at], &text[at + letter.len_utf8()..]);
            if is_needed(before, letter, after) {
                seen.push(letter);
            } else {
                // Writing to a string cannot fail.
                let _ = write!(seen, "‹U+{:04X}›", u32::from(letter));
            }
        }
    }
    seen
}

/// Returns whether a joiner or a variation selector changes how the letters around it look. In scripts, the rules of
/// RFC 5892 for domain names apply; in emoji, a joiner must be between two pictographs.
fn is_needed(before: &str, letter: char, after: &str) -> bool {
    let last = before.chars().next_back();
    if matches!(letter, JOINER | NON_JOINER) && last.is_some_and(|last| is_in(VIRAMAS, last)) {
        // At the end of a word, a joiner would join the letter before it to whatever a terminal shows next.
        let next = after.chars().next();
        return next.is_some_and(char::is_alphanumeric);
    }
    match letter {
        EMOJI_STYLE => {
            last.is_some_and(is_pictograph)
                || last.is_some_and(is_keycap_base) && after.starts_with(KEYCAP)
        }
        JOINER => {
            // A skin tone or a style belongs to the pictograph before it.
            let last = before
                .chars()
                .rev()
                .take(2)
                .find(|letter| !is_modifier(*letter));
            let next = after.chars().next();
            last.is_some_and(is_pictograph) && next.is_some_and(is_pictograph)
        }
        NON_JOINER => {
            let last = before.chars().rev().find(|letter| !is_vowel_sign(*letter));
            let next = after.chars().find(|letter| !is_vowel_sign(*letter));
            last.is_some_and(|last| is_in(JOINS_NEXT, last))
                && next.is_some_and(|next| is_in(JOINS_PREVIOUS, next))
        }
        _ => false,
    }
}

/// Returns whether a character can be the base of a keycap such as 1️⃣.
fn is_keycap_base(letter: char) -> bool {
    matches!(letter, '0'..='9' | '#' | '*')
}

/// Returns whether a character only changes how the pictograph before it looks: a skin tone or a style.
fn is_modifier(letter: char) -> bool {
    matches!(letter, EMOJI_STYLE | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Returns whether a character is an Arabic or Syriac mark above or below a letter. Such a mark does not separate its
/// letter from the next letter.
fn is_vowel_sign(letter: char) -> bool {
    matches!(letter, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{730}'..='\u{74a}')
}

fn is_in(ranges: Ranges, letter: char) -> bool {
    let letter = u32::from(letter);
    let after = ranges.partition_point(|(first, _)| *first <= letter);
    after > 0 && letter <= ranges[after - 1].1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_emoji_stay_as_they_are() {
        for emoji in [
            "⚠\u{fe0f}",
            "❤\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "#\u{fe0f}\u{20e3}",
            "🏳\u{fe0f}\u{200d}🌈",
            "❤\u{fe0f}\u{200d}🔥",
            "🧑🏽\u{200d}❤\u{fe0f}\u{200d}🧑🏿",
        ] {
            assert_eq!(visible(emoji), emoji);
            assert_eq!(visible_line(emoji), emoji);
        }
    }

    #[test]
    fn a_variation_selector_outside_an_emoji_is_written_as_its_code_point() {
        for (text, seen) in [
            ("a\u{fe0f}b", "a‹U+FE0F›b"),
            ("\u{fe0f}⚠", "‹U+FE0F›⚠"),
            ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}‹U+FE0F›"),
            ("⚠\u{fe0e}", "⚠‹U+FE0E›"),
            ("port 80\u{fe0f}80", "port 80‹U+FE0F›80"),
            ("a\u{fe0f}\u{20e3}", "a‹U+FE0F›\u{20e3}"),
            ("🧑🏽\u{fe0f}", "🧑🏽‹U+FE0F›"),
        ] {
            assert_eq!(visible(text), seen);
        }
    }

    #[test]
    fn a_joiner_after_a_variation_selector_must_be_between_pictographs() {
        for (text, seen) in [
            ("⚠\u{fe0f}\u{200d}", "⚠\u{fe0f}‹U+200D›"),
            ("⚠\u{fe0f}\u{200d}a", "⚠\u{fe0f}‹U+200D›a"),
            ("a\u{fe0f}\u{200d}🌈", "a‹U+FE0F›‹U+200D›🌈"),
            ("⚠\u{fe0f}\u{fe0f}\u{200d}🌈", "⚠\u{fe0f}‹U+FE0F›‹U+200D›🌈"),
        ] {
            assert_eq!(visible(text), seen);
        }
    }
}
