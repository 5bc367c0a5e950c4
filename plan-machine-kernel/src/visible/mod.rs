//! Makes text from models and files safe for people to read: the result cannot move the cursor, hide parts of itself,
//! or reverse the text that a person reads and approves.
//!
//! Characters without a visible shape are written as their code points: control characters, all characters with the
//! Unicode property `Default_Ignorable_Code_Point`, and all characters of the category Format. So are characters for
//! private use, which have no agreed shape. Joiners are kept where they have a visible effect: between pictographs, in
//! scripts whose letters join, and after a virama.
//!
//! ```
//! use plan_machine_kernel::visible::{visible, visible_line};
//!
//! assert_eq!(visible("rm\u{200b} -r a\u{fe0f}"), "rm‹U+200B› -r a‹U+FE0F›");
//! assert_eq!(visible("👩\u{200d}👧"), "👩\u{200d}👧");
//! assert_eq!(visible("\u{e000}\u{10ffff}"), "‹U+E000›‹U+10FFFF›");
//! assert_eq!(visible_line("one\ntwo"), "one\\ntwo");
//! ```

mod tables;

use std::fmt::Write as _;

use tables::{JOINS_NEXT, JOINS_PREVIOUS, PICTOGRAPHS, Ranges, UNSEEN, VIRAMAS};

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

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

/// Returns whether a joiner changes how the letters around it look. In scripts, the rules of RFC 5892 for domain names
/// apply; in emoji, a joiner must be between two pictographs.
fn is_needed(before: &str, letter: char, after: &str) -> bool {
    let last = before.chars().next_back();
    if matches!(letter, JOINER | NON_JOINER) && last.is_some_and(|last| is_in(VIRAMAS, last)) {
        // At the end of a word, it would join whatever a terminal shows next.
        let next = after.chars().next();
        return next.is_some_and(char::is_alphanumeric);
    }
    match letter {
        JOINER => {
            let skin = |letter: &char| !matches!(letter, '\u{1f3fb}'..='\u{1f3ff}');
            // A skin tone belongs to the pictograph before it.
            let last = before.chars().rev().take(2).find(skin);
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

/// Returns whether a character is an Arabic or Syriac mark above or below a letter. Such a mark does not separate its
/// letter from the next one.
fn is_vowel_sign(letter: char) -> bool {
    matches!(letter, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{730}'..='\u{74a}')
}

fn is_in(ranges: Ranges, letter: char) -> bool {
    let letter = u32::from(letter);
    let after = ranges.partition_point(|(first, _)| *first <= letter);
    after > 0 && letter <= ranges[after - 1].1
}
