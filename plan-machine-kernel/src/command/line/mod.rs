//! Splits a typed line into words and matches it against a command pattern.
//!
//! Each word of a pattern takes at most one word of the line, except a rest argument, which comes last. So matching a
//! pattern of `n` words examines at most `n + 1` words of the line. The table of possible matches therefore has at most
//! `(n + 1) * (n + 2)` entries, however long the line is.

use super::word::{ArgumentKind, Word};
use super::{Arguments, folded};
use crate::digest::has_token_shape;

/// A word of a typed line.
struct TypedWord {
    /// Where the word starts in the line, in bytes.
    start: usize,
    kind: TypedKind,
}

enum TypedKind {
    Plain(String),
    Quoted(String),
    /// A quote that does not form a word, such as an unclosed quote. Only an argument `{x...}` can contain it.
    Broken,
}

impl TypedWord {
    fn value(&self) -> Option<&str> {
        match &self.kind {
            TypedKind::Plain(value) | TypedKind::Quoted(value) => Some(value),
            TypedKind::Broken => None,
        }
    }
}

pub(super) fn matches(
    words: &[Word],
    line: &str,
    accepts: &dyn Fn(&str, &str) -> bool,
) -> Option<Arguments> {
    let typed = cut(line, words.len() + 1);
    let table = Table::fill(words, &typed, accepts);
    table
        .leads_to_end(0, 0)
        .then(|| table.arguments(words, &typed, line))
}

/// For each word of the pattern and each word of the line: whether the pattern's word can take the line's word, and
/// whether the part of the pattern from its word on matches the part of the line from that word on.
struct Table {
    width: usize,
    takes: Vec<bool>,
    ends: Vec<bool>,
}

impl Table {
    /// Fills the table from the end of the pattern to its start, so that every entry depends only
    /// on entries that are already filled.
    fn fill(words: &[Word], typed: &[TypedWord], accepts: &dyn Fn(&str, &str) -> bool) -> Self {
        let width = typed.len() + 1;
        let size = (words.len() + 1) * width;
        let mut table = Self {
            width,
            takes: vec![false; size],
            ends: vec![false; size],
        };
        table.ends[words.len() * width + typed.len()] = true;
        for (row, word) in words.iter().enumerate().rev() {
            // The first `row` words of the pattern have consumed at most `row` words of the line.
            for column in 0..=row.min(typed.len()) {
                let place = row * width + column;
                let takes = typed.get(column).is_some_and(|typed| {
                    table.ends[place + width + 1] && word_takes(word, typed, accepts)
                });
                table.takes[place] = takes;
                table.ends[place] =
                    word.is_rest() || takes || (word.may_be_missing() && table.ends[place + width]);
            }
        }
        table
    }

    fn leads_to_end(&self, row: usize, column: usize) -> bool {
        self.ends[row * self.width + column]
    }

    /// Walks through the match again: each word of the line goes to the first word of the pattern that can take it.
    fn arguments(&self, words: &[Word], typed: &[TypedWord], line: &str) -> Arguments {
        let mut arguments = Vec::new();
        let mut column = 0;
        for (row, word) in words.iter().enumerate() {
            let taken = typed
                .get(column)
                .filter(|_| self.takes[row * self.width + column]);
            column += usize::from(taken.is_some());
            let Word::Argument { name, kind } = word else {
                continue;
            };
            let value = match kind {
                ArgumentKind::Rest => Some(rest_from(line, typed.get(column))),
                ArgumentKind::Required | ArgumentKind::Optional => taken.and_then(TypedWord::value),
            };
            arguments.extend(value.map(|value| (name.clone(), value.to_owned())));
        }
        arguments
    }
}

/// Returns the part of the line that starts with this word, without trailing white space.
fn rest_from<'a>(line: &'a str, first: Option<&TypedWord>) -> &'a str {
    first
        .and_then(|first| line.get(first.start..))
        .unwrap_or_default()
        .trim_end()
}

fn word_takes(word: &Word, typed: &TypedWord, accepts: &dyn Fn(&str, &str) -> bool) -> bool {
    match (word, &typed.kind) {
        (_, TypedKind::Broken) | (Word::Literal(_), TypedKind::Quoted(_)) => false,
        (Word::Literal(literal), TypedKind::Plain(word)) => folded(word) == *literal,
        (Word::Argument { name, kind }, TypedKind::Plain(word) | TypedKind::Quoted(word)) => {
            match kind {
                ArgumentKind::Required => true,
                ArgumentKind::Optional if name == "token" => has_token_shape(word),
                ArgumentKind::Optional => accepts(name, word),
                // A rest argument takes all remaining words together, not one at a time.
                ArgumentKind::Rest => false,
            }
        }
    }
}

/// Returns the first words of a line, at most `limit` of them.
fn cut(line: &str, limit: usize) -> Vec<TypedWord> {
    let mut typed = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && typed.len() < limit {
        let start = line.len() - rest.len();
        let (kind, after) = match rest.strip_prefix('"').map(quoted) {
            Some(Some((word, after))) => (TypedKind::Quoted(word), after),
            Some(None) => (TypedKind::Broken, ""),
            None => plain(rest),
        };
        typed.push(TypedWord { start, kind });
        rest = after.trim_start();
    }
    typed
}

fn plain(rest: &str) -> (TypedKind, &str) {
    let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    (TypedKind::Plain(word.to_owned()), after)
}

/// Reads a quoted word up to its closing quote, which must be followed by white space or the end of the line.
fn quoted(inner: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = inner;
    loop {
        let at = rest.find('"')?;
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        if let Some(before) = before.strip_suffix('\\') {
            word.push_str(before);
            word.push('"');
            rest = after;
        } else {
            word.push_str(before);
            return (after.is_empty() || after.starts_with(char::is_whitespace))
                .then_some((word, after));
        }
    }
}

#[cfg(test)]
mod tests;
