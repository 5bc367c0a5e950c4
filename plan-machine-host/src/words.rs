//! Words for people: shortens text that the host quotes, names states, and formats times.

use plan_machine::Instant;
use plan_machine::description::Description;

/// The maximum number of characters of a model's text that the host quotes in a sentence.
pub(crate) const QUOTED: usize = 200;

/// Puts text on one line and shortens it, so that a quotation cannot be mistaken for another part of the host's
/// sentence.
#[must_use]
pub fn in_a_line(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    short(&words.join(" "), longest)
}

/// Returns a typed word without the double quotes around it, as machines read it.
pub(crate) fn unquoted(word: &str) -> &str {
    let inner = word
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(word)
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

/// Shortens text to at most `longest` characters, followed by an ellipsis if it was cut. Only a text that starts with a
/// word of more than `longest` characters is cut within a word.
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

/// Returns the name of a state for people: its title, or else its name as words, so that `PARTIALLY_COMPLETED` becomes
/// `partially completed`.
pub(crate) fn state_in_words(machine: &Description, name: &str) -> String {
    let state = machine.state_named(name);
    let shown = state.map_or(name, |state| machine.shown_state(state));
    if shown == name {
        return name.replace('_', " ").to_lowercase();
    }
    shown.to_owned()
}

/// Formats text as the start of a sentence: its first letter becomes a capital.
pub(crate) fn in_sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use plan_machine::MachineTypes as _;
    use plan_machine::description::Wording;

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
    fn a_state_is_named_by_its_title_or_its_name_as_words() {
        let machine = plan_specs::plan_mode::Machine::MACHINE;
        let named = |name| state_in_words(machine, name);
        assert_eq!(named("PARTIALLY_COMPLETED"), "partially completed");
        assert_eq!(named("READY"), "ready");
        let titled = Description {
            wording: &Wording {
                titles: &[(1, "Waits for Ann")],
                ..Wording::NONE
            },
            ..*machine
        };
        let first = titled.state(1).name;
        assert_eq!(state_in_words(&titled, first), "Waits for Ann");
        assert_eq!(in_sentence_case("partially done"), "Partially done");
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
