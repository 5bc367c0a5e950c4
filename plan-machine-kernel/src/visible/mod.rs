//! Texts of models and files, before a person reads them: nothing in them moves the cursor, hides, or turns round what
//! is read and approved.
//!
//! Characters that have no shape of their own are written as their code point: control characters, everything that
//! Unicode calls `Default_Ignorable_Code_Point`, and everything of the category Format. Joiners stay where they change
//! what is seen: between pictographs, in scripts whose letters join, and after a virama.
//!
//! ```
//! use plan_machine_kernel::visible::{visible, visible_line};
//!
//! assert_eq!(visible("rm\u{200b} -r a\u{fe0f}"), "rm‹U+200B› -r a‹U+FE0F›");
//! assert_eq!(visible("👩\u{200d}👧"), "👩\u{200d}👧");
//! assert_eq!(visible_line("one\ntwo"), "one\\ntwo");
//! ```

mod tables;

use std::fmt::Write as _;

use tables::{JOINS_NEXT, JOINS_PREVIOUS, PICTOGRAPHS, Ranges, UNSEEN, VIRAMAS};

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';

/// A text in which everything can be seen. Lines stay lines, and a tab becomes four spaces.
#[must_use]
pub fn visible(text: &str) -> String {
    written(text, |letter| match letter {
        '\n' => Some("\n"),
        '\t' => Some("    "),
        _ => None,
    })
}

/// A text on one line in which everything can be seen.
#[must_use]
pub fn visible_line(text: &str) -> String {
    written(text, |letter| match letter {
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    })
}

/// Whether a character has no shape of its own. Unicode gives the blank of Braille and the two separators other
/// properties, and a person does not see them either.
#[must_use]
pub fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{2800}')
        || is_in(UNSEEN, letter)
}

/// Whether emoji are made of a character.
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
                // Writing to a string does not fail.
                let _ = write!(seen, "‹U+{:04X}›", u32::from(letter));
            }
        }
    }
    seen
}

/// Whether a joiner changes how the letters around it look. Scripts need it as RFC 5892 has it for names of hosts,
/// emoji between two pictographs.
fn is_needed(before: &str, letter: char, after: &str) -> bool {
    let last = before.chars().next_back();
    if matches!(letter, JOINER | NON_JOINER) && last.is_some_and(|last| is_in(VIRAMAS, last)) {
        return true;
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

/// Whether a mark of Arabic or Syriac is above or below a letter and does not part it from the next.
fn is_vowel_sign(letter: char) -> bool {
    matches!(letter, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{730}'..='\u{74a}')
}

fn is_in(ranges: Ranges, letter: char) -> bool {
    let letter = u32::from(letter);
    let after = ranges.partition_point(|(first, _)| *first <= letter);
    after > 0 && letter <= ranges[after - 1].1
}
