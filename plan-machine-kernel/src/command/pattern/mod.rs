//! The parsed text of a command.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use super::word::{ArgumentKind, Word};
use super::{Arguments, folded, line};

/// The maximum number of words in a command's text.
pub const MAX_WORDS: usize = 64;

/// Why a string is not a valid command pattern, and which bytes of the string are at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong.
    pub message: String,
    /// Where the faulty part starts, in bytes from the start of the string.
    pub start: usize,
    /// Where the faulty part ends, in bytes from the start of the string.
    pub end: usize,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for PatternError {}

/// The pattern of a command, ready to be matched against lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    pub(super) words: Vec<Word>,
}

impl Pattern {
    /// Parses a command's text: a word that starts with a slash, then words and arguments `{x}`, `{x?}` and, at the
    /// end, `{x...}`.
    ///
    /// ```
    /// use plan_machine_kernel::command::Pattern;
    ///
    /// let error = Pattern::parse("/plan reject {reason...} {plan_id?}").unwrap_err();
    /// assert_eq!(error.message, "`{reason...}` takes the rest of the line and must come last");
    /// assert_eq!((error.start, error.end), (13, 24));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first problem, with its position.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut words = Vec::new();
        let mut names = BTreeSet::new();
        let written: Vec<_> = places(text).collect();
        for (position, (start, written_word)) in written.iter().copied().enumerate() {
            let error = |message: String| PatternError {
                message,
                start,
                end: start + written_word.len(),
            };
            let word = read_word(written_word).map_err(error)?;
            check_place(&word, written_word, position, written.len()).map_err(error)?;
            if let Word::Argument { name, .. } = &word
                && !names.insert(name.clone())
            {
                return Err(error(format!("duplicate argument `{name}`")));
            }
            words.push(word);
        }
        if words.is_empty() {
            let message = "the command is empty; start it with a word such as `/plan`".to_owned();
            return Err(PatternError {
                message,
                start: 0,
                end: text.len(),
            });
        }
        Ok(Self {
            text: text.to_owned(),
            words,
        })
    }

    /// Returns the text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of words that must be typed literally. If several commands match a line, the command with the
    /// most literal words wins.
    #[must_use]
    pub fn literals(&self) -> usize {
        self.words
            .iter()
            .filter(|word| matches!(word, Word::Literal(_)))
            .count()
    }

    /// Returns the literal words at the start of the pattern.
    pub(super) fn head(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map_while(|word| match word {
            Word::Literal(literal) => Some(literal.as_str()),
            Word::Argument { .. } => None,
        })
    }

    /// Returns the number of literal words at the start of the pattern if the line begins with all of them, and 0
    /// otherwise. Such a line was meant as this command, even if the rest of the line does not match.
    ///
    /// ```
    /// use plan_machine_kernel::command::Pattern;
    ///
    /// let approve = Pattern::parse("/plan approve {token?}")?;
    /// assert_eq!(approve.begins("/Plan approve nonsense"), 2);
    /// assert_eq!(approve.begins("/plan approved"), 0);
    /// # Ok::<(), plan_machine_kernel::command::PatternError>(())
    /// ```
    #[must_use]
    pub fn begins(&self, line: &str) -> usize {
        let mut typed = line.split_whitespace();
        let is_typed = |literal: &str| typed.next().is_some_and(|word| folded(word) == literal);
        if self.head().all(is_typed) {
            self.head().count()
        } else {
            0
        }
    }

    /// Returns the names and kinds of the arguments, in order.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, ArgumentKind)> {
        self.words.iter().filter_map(|word| match word {
            Word::Literal(_) => None,
            Word::Argument { name, kind } => Some((name.as_str(), *kind)),
        })
    }

    /// Returns the arguments that the line passes to this command, or `None` if the line does not match the pattern.
    ///
    /// Words are compared one by one. Any amount of white space separates two words, and literals are compared ignoring
    /// case. An argument may be in double quotes, in which `\"` is a quote; a quoted word never matches a literal. A
    /// quote that is not closed, or whose closing quote is followed by neither white space nor the end of the line,
    /// does not form a word, so only an argument `{x...}` can contain it.
    ///
    /// An optional argument takes a word if `accepts(name, word)` returns true and the rest of the line still matches.
    /// `accepts` is not called for other arguments, nor for `{token?}`, which takes any word shaped like a token. The
    /// result omits optional arguments that took no word. If the pattern has a rest argument, the result always
    /// contains it, as typed, without surrounding white space.
    ///
    /// ```
    /// use plan_machine_kernel::command::Pattern;
    ///
    /// let reject = Pattern::parse("/plan reject {plan_id?} {reason...}")?;
    /// let is_a_plan = |name: &str, word: &str| name != "plan_id" || word == "p7";
    /// let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    ///
    /// let arguments = reject.matches("/plan reject p7 too \"risky\"", &is_a_plan);
    /// assert_eq!(arguments, Some(vec![pair("plan_id", "p7"), pair("reason", "too \"risky\"")]));
    /// let arguments = reject.matches("/PLAN  reject", &is_a_plan);
    /// assert_eq!(arguments, Some(vec![pair("reason", "")]));
    /// # Ok::<(), plan_machine_kernel::command::PatternError>(())
    /// ```
    #[must_use]
    pub fn matches(&self, line: &str, accepts: &dyn Fn(&str, &str) -> bool) -> Option<Arguments> {
        line::matches(&self.words, line, accepts)
    }
}

/// Returns the words of a command's text with their positions.
fn places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start_of = move |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
    text.split_whitespace()
        .map(move |word| (start_of(word), word))
}

fn check_place(word: &Word, written: &str, position: usize, count: usize) -> Result<(), String> {
    match word {
        _ if position >= MAX_WORDS => Err(format!(
            "the command has {count} words, but at most {MAX_WORDS} are allowed"
        )),
        _ if position == 0 && !(written.starts_with('/') && written.len() > 1) => Err(format!(
            "a command starts with a word such as `/plan`, not with `{written}`"
        )),
        Word::Argument {
            kind: ArgumentKind::Rest,
            ..
        } if position + 1 < count => Err(format!(
            "`{written}` takes the rest of the line and must come last"
        )),
        _ => Ok(()),
    }
}

fn read_word(written: &str) -> Result<Word, String> {
    let inner = written
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let Some(inner) = inner.filter(|inner| !inner.contains(['{', '}'])) else {
        return match written.find(['{', '}', '"']) {
            Some(at) if written[at..].starts_with('"') => Err(format!(
                "`{written}` contains quotes; write the word without them"
            )),
            Some(_) => Err(format!(
                "`{written}` is neither a word nor an argument such as `{{x}}`, `{{x?}}` or `{{x...}}`"
            )),
            None => Ok(Word::Literal(folded(written))),
        };
    };
    let (name, kind) = if let Some(name) = inner.strip_suffix("...") {
        (name, ArgumentKind::Rest)
    } else if let Some(name) = inner.strip_suffix('?') {
        (name, ArgumentKind::Optional)
    } else {
        (inner, ArgumentKind::Required)
    };
    if name.is_empty() {
        return Err(format!(
            "`{written}` does not name an argument; write a name in snake_case, such as `{{x}}`"
        ));
    }
    if !is_snake_case(name) {
        return Err(format!("`{name}` is not a name in snake_case"));
    }
    Ok(Word::Argument {
        name: name.to_owned(),
        kind,
    })
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

#[cfg(test)]
mod tests;
