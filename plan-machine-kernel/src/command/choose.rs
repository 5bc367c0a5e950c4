//! Finds the command that a line matches, or the command that its author probably meant.

use super::{Arguments, Pattern, folded};
use crate::suggest;

/// Returns the command that the line matches, with its arguments. If several commands match, the command with the most
/// literal words wins; on a tie, which cannot occur in a checked spec, the first command wins. `accepts` is passed to
/// [`Pattern::matches`].
///
/// ```
/// use plan_machine_kernel::command::{Pattern, best_match};
///
/// let (note, list) = (Pattern::parse("/note {text...}")?, Pattern::parse("/note list")?);
/// let best = best_match([("note", &note), ("list", &list)], "/note list", &|_, _| true);
/// assert_eq!(best, Some(("list", vec![])));
/// # Ok::<(), plan_machine_kernel::command::PatternError>(())
/// ```
#[must_use]
pub fn best_match<'a, K>(
    patterns: impl IntoIterator<Item = (K, &'a Pattern)>,
    line: &str,
    accepts: &dyn Fn(&str, &str) -> bool,
) -> Option<(K, Arguments)> {
    let mut best: Option<(usize, K, Arguments)> = None;
    for (key, pattern) in patterns {
        let literals = pattern.literals();
        if best.as_ref().is_some_and(|(most, ..)| *most >= literals) {
            continue;
        }
        if let Some(arguments) = pattern.matches(line, accepts) {
            best = Some((literals, key, arguments));
        }
    }
    best.map(|(_, key, arguments)| (key, arguments))
}

/// Returns the text of the command that the author of a line probably meant, for a line that matches no command. The
/// leading literal words of each command are compared with the same number of words of the line. If no command is
/// similar, only the first words, such as `/plan`, are compared.
///
/// ```
/// use plan_machine_kernel::command::{Pattern, nearest_command};
///
/// let commands = [Pattern::parse("/plan on")?, Pattern::parse("/plan approve {token?}")?];
/// assert_eq!(nearest_command("/plan aprove now", &commands), Some("/plan approve {token?}"));
/// assert_eq!(nearest_command("/plan", &commands), Some("/plan on"));
/// assert_eq!(nearest_command("hello", &commands), None);
/// # Ok::<(), plan_machine_kernel::command::PatternError>(())
/// ```
#[must_use]
pub fn nearest_command<'a>(
    line: &str,
    patterns: impl IntoIterator<Item = &'a Pattern>,
) -> Option<&'a str> {
    if !line.trim_start().starts_with('/') {
        return None;
    }
    let patterns: Vec<_> = patterns.into_iter().collect();
    let typed_words = line.split_whitespace().count();
    let nearest = |most_words: usize| {
        let near = patterns.iter().filter_map(|pattern| {
            let head: Vec<&str> = pattern.head().take(most_words).collect();
            let typed: Vec<_> = line
                .split_whitespace()
                .take(head.len())
                .map(folded)
                .collect();
            let (typed, head_text) = (typed.join(" "), head.join(" "));
            let distance = suggest::distance(&typed, &head_text)?;
            // A leftover word of the line counts as a difference; on a tie, the command with more leading literal words
            // wins, and then a command that starts with the typed text.
            let left_over = typed_words.saturating_sub(head.len());
            let is_other = !head_text.starts_with(&typed);
            Some((
                (distance + left_over, usize::MAX - head.len(), is_other),
                pattern.text(),
            ))
        });
        near.min_by_key(|(rank, _)| *rank).map(|(_, text)| text)
    };
    nearest(usize::MAX).or_else(|| nearest(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns() -> Vec<Pattern> {
        [
            "/plan on",
            "/plan approve {plan_id?} {token?}",
            "/plan {what...}",
            "/plan reject {plan_id?} {reason...}",
            "/reset",
        ]
        .iter()
        .map(|text| Pattern::parse(text).expect(text))
        .collect()
    }

    fn best(line: &str) -> Option<usize> {
        best_match(patterns().iter().enumerate(), line, &|name, _| {
            name != "plan_id"
        })
        .map(|(key, _)| key)
    }

    #[test]
    fn the_more_literal_command_wins() {
        assert_eq!(best("/plan on"), Some(0));
        assert_eq!(best("/plan on now"), Some(2));
        assert_eq!(best("/plan approve 1-02c18244"), Some(1));
        assert_eq!(best("/plan approve it"), Some(2));
        assert_eq!(best("/plan reject it"), Some(3));
        assert_eq!(best("/resett"), None);
    }

    #[test]
    fn the_nearest_command_is_named() {
        let patterns = patterns();
        let nearest = |line| nearest_command(line, &patterns);
        assert_eq!(nearest("/plan onn"), Some("/plan on"));
        let switches = ["/auto on", "/auto off"].map(|text| Pattern::parse(text).expect(text));
        assert_eq!(nearest_command("/auto of", &switches), Some("/auto off"));
        assert_eq!(
            nearest("/plan aprove 1-02c18244"),
            Some("/plan approve {plan_id?} {token?}")
        );
        assert_eq!(
            nearest("/plan approve it all"),
            Some("/plan approve {plan_id?} {token?}")
        );
        assert_eq!(nearest("/RESET now"), Some("/reset"));
        assert_eq!(nearest("/rest"), Some("/reset"));
        assert_eq!(nearest("/plan"), Some("/plan {what...}"));
        assert_eq!(nearest("/weather"), None);
        assert_eq!(nearest("plan on"), None);
        assert_eq!(nearest(""), None);
    }

    #[test]
    fn a_hostile_line_has_no_nearest_command() {
        assert_eq!(
            nearest_command(&format!("/{}", "a".repeat(1_000_000)), &patterns()),
            None
        );
    }
}
