//! Finds a line that matches two command patterns, by walking through both patterns at once.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::Pattern;
use super::word::{ArgumentKind, Word};
use crate::digest::has_token_shape;

/// A position in each of two patterns.
type Pair = (usize, usize);

/// How each pair of positions was first reached: from which pair, and by which word of the line. The word is `None` if
/// a word of a pattern was omitted.
type ReachedPairs = BTreeMap<Pair, Option<(Pair, Option<String>)>>;

/// Returns the shortest line that matches both patterns, if there is one. Plan ids are not known before any plan
/// exists, so an optional argument is assumed to accept any word; a token argument accepts any word shaped like a
/// token.
///
/// ```
/// use plan_machine_kernel::command::{Pattern, overlap};
///
/// let one = Pattern::parse("/plan show {plan_id?}")?;
/// let other = Pattern::parse("/plan {what} all")?;
/// assert_eq!(overlap(&one, &other).as_deref(), Some("/plan show all"));
/// # Ok::<(), plan_machine_kernel::command::PatternError>(())
/// ```
#[must_use]
pub fn overlap(a: &Pattern, b: &Pattern) -> Option<String> {
    if !PatternShape::of(a).overlaps(&PatternShape::of(b)) {
        return None;
    }
    let mut reached = ReachedPairs::new();
    let mut queue = VecDeque::from([((0, 0), None)]);
    let end = (a.words.len(), b.words.len());
    while let Some((pair, way)) = queue.pop_front() {
        if reached.contains_key(&pair) {
            continue;
        }
        reached.insert(pair, way);
        if pair == end {
            return Some(line_to(pair, &reached));
        }
        for (next, word) in moves(a, b, pair) {
            // Omitting a word does not make the line longer, so the next pair goes to the front of the queue: pairs are
            // visited in order of line length.
            match word {
                Some(_) => queue.push_back((next, Some((pair, word)))),
                None => queue.push_front((next, Some((pair, word)))),
            }
        }
    }
    None
}

/// Returns the moves from a pair of positions: omit a word of one pattern, or let both patterns take the same word of
/// the line.
fn moves(a: &Pattern, b: &Pattern, (i, j): Pair) -> Vec<(Pair, Option<String>)> {
    let (one, other) = (a.words.get(i), b.words.get(j));
    let mut moves = Vec::new();
    if one.is_some_and(Word::may_be_missing) {
        moves.push(((i + 1, j), None));
    }
    if other.is_some_and(Word::may_be_missing) {
        moves.push(((i, j + 1), None));
    }
    if let (Some(one), Some(other)) = (one, other) {
        let word = common_word(&AcceptedWord::by(one), &AcceptedWord::by(other));
        let next = (
            i + usize::from(!one.is_rest()),
            j + usize::from(!other.is_rest()),
        );
        moves.extend(word.map(|word| (next, Some(word))));
    }
    moves
}

/// A pattern prepared for comparison with many other patterns: sets of its words, with one bit for each word.
#[derive(Clone, Debug)]
pub struct PatternShape<'p> {
    words: &'p [Word],
    /// The words that may be omitted.
    missing: u128,
    /// The word that takes the rest of the line.
    rest: u128,
    /// The words that take any word.
    any: u128,
    /// The words that take any token.
    tokens: u128,
    /// The literals that are shaped like a token.
    token_literals: u128,
    /// The positions of each literal.
    literals: HashMap<&'p str, u128>,
}

impl<'p> PatternShape<'p> {
    /// Prepares a pattern; parsed patterns have fewer than 128 words.
    #[must_use]
    pub fn of(pattern: &'p Pattern) -> Self {
        let mut shape = Self {
            words: &pattern.words,
            missing: 0,
            rest: 0,
            any: 0,
            tokens: 0,
            token_literals: 0,
            literals: HashMap::new(),
        };
        for (at, word) in pattern.words.iter().take(127).enumerate() {
            let bit = 1_u128 << at;
            shape.missing |= if word.may_be_missing() { bit } else { 0 };
            shape.rest |= if word.is_rest() { bit } else { 0 };
            match AcceptedWord::by(word) {
                AcceptedWord::Any => shape.any |= bit,
                AcceptedWord::Tokens => shape.tokens |= bit,
                AcceptedWord::Only(literal) => {
                    *shape.literals.entry(literal).or_default() |= bit;
                    shape.token_literals |= if has_token_shape(literal) { bit } else { 0 };
                }
            }
        }
        shape
    }

    /// Returns which words of this pattern accept something that `word`, a word of another pattern, also accepts. Each
    /// bit is the position of a word.
    fn common(&self, word: &Word) -> u128 {
        match AcceptedWord::by(word) {
            AcceptedWord::Any => u128::MAX,
            AcceptedWord::Tokens => self.any | self.tokens | self.token_literals,
            AcceptedWord::Only(literal) => {
                let tokens = if has_token_shape(literal) {
                    self.tokens
                } else {
                    0
                };
                self.any | tokens | self.literals.get(literal).copied().unwrap_or(0)
            }
        }
    }

    /// Returns whether some line matches both patterns, by tracking the positions in the other pattern that can be
    /// reached after each word of this pattern.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let end = 1_u128 << other.words.len().min(127);
        let inside = end - 1;
        let mut at = 1_u128;
        for word in self.words {
            let common = other.common(word) & inside;
            // While this pattern stays at one word, the other pattern advances past words that are omitted, or that a
            // rest argument of this pattern takes.
            let passed = other.missing
                | if word.is_rest() {
                    common & !other.rest
                } else {
                    0
                };
            at = flooded(at, passed);
            let taken = at & common;
            let after = ((taken & !other.rest) << 1) | (taken & other.rest);
            let skipped = if word.may_be_missing() { at } else { 0 };
            at = if word.is_rest() {
                skipped
            } else {
                after | skipped
            };
        }
        flooded(at, other.missing) & end != 0
    }
}

/// Returns the positions that can be reached by passing any of these words, one after another.
fn flooded(mut at: u128, passed: u128) -> u128 {
    loop {
        let next = at | ((at & passed) << 1);
        if next == at {
            return at;
        }
        at = next;
    }
}

/// The words of a line that a word of a pattern accepts.
enum AcceptedWord<'a> {
    Only(&'a str),
    Tokens,
    Any,
}

impl<'a> AcceptedWord<'a> {
    fn by(word: &'a Word) -> Self {
        match word {
            Word::Literal(literal) => Self::Only(literal),
            Word::Argument {
                name,
                kind: ArgumentKind::Optional,
            } if name == "token" => Self::Tokens,
            Word::Argument { .. } => Self::Any,
        }
    }
}

fn common_word(one: &AcceptedWord<'_>, other: &AcceptedWord<'_>) -> Option<String> {
    let word = match (one, other) {
        (AcceptedWord::Only(one), AcceptedWord::Only(other)) => (one == other).then_some(*one)?,
        (AcceptedWord::Only(word), AcceptedWord::Tokens)
        | (AcceptedWord::Tokens, AcceptedWord::Only(word)) => {
            has_token_shape(word).then_some(*word)?
        }
        (AcceptedWord::Only(word), AcceptedWord::Any)
        | (AcceptedWord::Any, AcceptedWord::Only(word)) => word,
        (AcceptedWord::Tokens, _) | (_, AcceptedWord::Tokens) => "0-00000000",
        (AcceptedWord::Any, AcceptedWord::Any) => "x",
    };
    Some(word.to_owned())
}

fn line_to(mut pair: Pair, reached: &ReachedPairs) -> String {
    let mut words = Vec::new();
    while let Some(Some((before, word))) = reached.get(&pair) {
        words.extend(word.as_deref());
        pair = *before;
    }
    words.reverse();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(one: &str, other: &str) -> Option<String> {
        overlap(
            &Pattern::parse(one).expect(one),
            &Pattern::parse(other).expect(other),
        )
    }

    #[test]
    fn texts_that_differ_in_a_word_do_not_overlap() {
        assert_eq!(line("/plan on", "/plan off"), None);
        assert_eq!(line("/plan", "/plan {x}"), None);
        assert_eq!(line("/plan {x}", "/plan {x} {y} {z?}"), None);
        assert_eq!(
            line("/plan {x} a", "/plan b {y...}").as_deref(),
            Some("/plan b a")
        );
        assert_eq!(line("/plan {x} a c", "/plan {y} b {z...}"), None);
    }

    #[test]
    fn the_shortest_common_line_is_found() {
        assert_eq!(line("/plan on", "/PLAN On").as_deref(), Some("/plan on"));
        assert_eq!(
            line("/plan {x?}", "/plan {token?}").as_deref(),
            Some("/plan")
        );
        assert_eq!(
            line("/plan {x}", "/plan {token?}").as_deref(),
            Some("/plan 0-00000000")
        );
        assert_eq!(
            line("/plan {x...}", "/plan {y} {z} {w...}").as_deref(),
            Some("/plan x x")
        );
    }

    #[test]
    fn a_literal_of_a_tokens_shape_is_a_token_too() {
        assert_eq!(
            line("/plan {token?} go", "/plan 1-02C18244 go").as_deref(),
            Some("/plan 1-02c18244 go")
        );
        assert_eq!(line("/plan {token?} go", "/plan now go"), None);
    }

    fn any_pattern() -> impl Strategy<Value = Pattern> {
        let word = prop_oneof![
            Just("a"),
            Just("B"),
            Just("{x}"),
            Just("{y}"),
            Just("{x?}"),
            Just("{y?}"),
            Just("{token?}"),
            Just("0-00000000")
        ];
        (prop::collection::vec(word, 0..5), any::<bool>()).prop_filter_map(
            "duplicate argument names",
            |(words, rest)| {
                let end = if rest { " {z...}" } else { "" };
                Pattern::parse(&format!("/p {}{end}", words.join(" "))).ok()
            },
        )
    }

    fn any_line() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            Just("A"),
            Just("b"),
            Just("\"a\""),
            Just("0-00000000"),
            Just("w"),
            Just("\"")
        ];
        prop::collection::vec(word, 0..6).prop_map(|words| format!("/P {}", words.join(" ")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn both_match_the_line_that_is_found(one in any_pattern(), other in any_pattern()) {
            if let Some(line) = overlap(&one, &other) {
                prop_assert!(one.matches(&line, &|_, _| true).is_some(), "{}", line);
                prop_assert!(other.matches(&line, &|_, _| true).is_some(), "{}", line);
            }
        }

        #[test]
        fn a_line_that_both_match_is_an_overlap(one in any_pattern(), other in any_pattern(), line in any_line()) {
            let both = [&one, &other].iter().all(|text| text.matches(&line, &|_, _| true).is_some());
            prop_assert!(!both || overlap(&one, &other).is_some());
        }

        #[test]
        fn every_text_overlaps_with_itself(text in any_pattern()) {
            prop_assert!(overlap(&text, &text).is_some());
        }
    }
}
