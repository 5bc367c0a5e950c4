//! Shortens text that the host quotes, and words for times.

use plan_machine::Instant;

/// The maximum number of characters of a model's text that the host quotes in a sentence.
pub(crate) const QUOTED: usize = 200;

/// Puts text on one line and shortens it, so that a quotation cannot be mistaken for another part of the host's
/// sentence.
#[must_use]
pub fn in_a_line(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    short(&words.join(" "), longest)
}

/// Formats the end of a period for people, to the minute: `2026-01-01 08:00 UTC`.
#[must_use]
pub fn until(at: Instant) -> String {
    let text = at.to_string();
    let minute = text.rsplitn(2, ':').last().unwrap_or(&text);
    format!("{} UTC", minute.replace('T', " "))
}

/// Ends a text as a sentence: adds a period unless the text already ends with a punctuation mark.
#[must_use]
pub fn sentence(text: &str) -> String {
    match text.chars().last() {
        Some('.' | '?' | '!' | '…') | None => text.to_owned(),
        Some(_) => format!("{text}."),
    }
}

/// Shortens text to at most `longest` characters, followed by an ellipsis if something was cut off.
#[must_use]
pub fn short(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Shortens text to at most `longest` characters, cutting only between words, followed by an ellipsis if it was cut.
#[must_use]
pub fn first_words(text: &str, longest: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return text.to_owned();
    };
    let (begin, rest) = text.split_at(end);
    let whole = match begin.rsplit_once(char::is_whitespace) {
        Some((whole, _)) if !rest.starts_with(char::is_whitespace) => whole,
        _ => begin,
    };
    format!("{}…", whole.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_with_one_punctuation_mark() {
        assert_eq!(sentence("Which lake?"), "Which lake?");
        assert_eq!(sentence("the lake"), "the lake.");
    }

    #[test]
    fn the_end_of_a_period_is_shown_to_the_minute() {
        let at = Instant::parse("2026-01-01T08:05:59.25Z").expect("an instant");
        assert_eq!(until(at), "2026-01-01 08:05 UTC");
    }

    #[test]
    fn a_text_is_cut_between_two_words() {
        assert_eq!(first_words("one two three", 20), "one two three");
        assert_eq!(first_words("one two three", 9), "one two…");
        assert_eq!(first_words("one two three", 7), "one two…");
        assert_eq!(first_words("one two three", 8), "one two…");
        assert_eq!(first_words("onetwothree", 6), "onetwo…");
    }
}
