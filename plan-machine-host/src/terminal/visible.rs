//! Prepares answers from models for the layout.

use plan_machine::visible::{is_pictograph, visible};

/// Makes every character of an answer visible. The variation selector that only requests the colored form of an emoji
/// is dropped, because a person never approves an answer; on a card, it stays within an emoji, and is escaped everywhere
/// else.
pub(super) fn visible_answer(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_style = letter == '\u{fe0f}';
        let after_emoji = kept.chars().next_back().is_some_and(is_pictograph);
        let in_keycap = letters.peek() == Some(&'\u{20e3}');
        if !(is_style && (after_emoji || in_keycap)) {
            kept.push(letter);
        }
    }
    visible(&kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_shows_emoji_without_their_style_and_writes_out_what_hides() {
        assert_eq!(visible_answer("⚠\u{fe0f} 1\u{fe0f}\u{20e3}"), "⚠ 1\u{20e3}");
        assert_eq!(visible_answer("🏳\u{fe0f}\u{200d}🌈"), "🏳\u{200d}🌈");
        assert_eq!(visible_answer("a\u{fe0f}b\u{200b}"), "a‹U+FE0F›b‹U+200B›");
    }
}
