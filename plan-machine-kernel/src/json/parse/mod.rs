//! The strict parser. It runs in linear time for any input (except for sorting the keys of an object), and its
//! recursion is bounded: by [`MAX_DEPTH`] for external input.

mod string;

use std::error::Error;
use std::fmt;

use super::{Json, Object};

/// The maximum nesting depth of lists and objects.
pub const MAX_DEPTH: usize = 128;

/// Why a string is not valid JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// Where the problem is, in bytes from the start of the input.
    pub offset: usize,
    /// The line number, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at line {}, column {}",
            self.message, self.line, self.column
        )
    }
}

impl Error for ParseError {}

/// A problem without its line number: lines are counted only for invalid input, which is rare.
struct Problem {
    message: String,
    offset: usize,
}

/// The result of parsing a part of the text.
type ParseResult<T> = Result<T, Problem>;

impl Json {
    /// Parses one JSON text according to RFC 8259, but more strictly: nothing but white space around the value, no
    /// duplicate keys, no lone surrogates, no numbers outside the range of `f64`, no integers outside the ranges of
    /// `i64` and `u64` that an `f64` would not preserve digit for digit, and at most [`MAX_DEPTH`] levels of nesting.
    ///
    /// # Errors
    ///
    /// If the text does not meet these rules; the error says what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse(text, MAX_DEPTH)
    }

    /// Parses one JSON text like [`parse`](Self::parse), with a different limit on its nesting. This is for texts that
    /// the program itself wrote: an external value that is stored inside further objects must remain readable.
    ///
    /// # Errors
    ///
    /// If the text does not meet the rules of [`parse`](Self::parse), or is nested too deeply; the error says what is
    /// wrong and where.
    pub fn parse_within(text: &str, depth: usize) -> Result<Self, ParseError> {
        parse(text, depth)
    }
}

fn parse(text: &str, depth: usize) -> Result<Json, ParseError> {
    Reader { text, at: 0, depth }.document().map_err(|problem| {
        let before = text.get(..problem.offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        ParseError {
            message: problem.message,
            offset: problem.offset,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    })
}

/// Parses one JSON text. `at` is always on a character boundary: it advances over ASCII bytes, or over everything
/// between two of them.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The maximum nesting depth of lists and objects in this input.
    depth: usize,
}

impl<'a> Reader<'a> {
    fn document(mut self) -> ParseResult<Json> {
        let value = self.value(0)?;
        self.white_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.unexpected("the end of the input")),
        }
    }

    fn value(&mut self, depth: usize) -> ParseResult<Json> {
        self.white_space();
        match self.peek() {
            Some(b'{' | b'[') if depth == self.depth => Err(self.problem(format!(
                "lists and objects are nested deeper than {depth} levels"
            ))),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn object(&mut self, depth: usize) -> ParseResult<Json> {
        self.at += 1;
        let mut object = Object::new();
        let mut places = Vec::new();
        if self.takes_after_space(b'}') {
            return Ok(object.into());
        }
        loop {
            self.white_space();
            places.push(self.at);
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            if !self.takes_after_space(b':') {
                return Err(self.unexpected("`:`"));
            }
            object.push(key, self.value(depth)?);
            if self.takes_after_space(b'}') {
                return without_duplicates(&object, &places).map(|()| object.into());
            }
            if !self.takes_after_space(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> ParseResult<Json> {
        self.at += 1;
        let mut items = Vec::new();
        if self.takes_after_space(b']') {
            return Ok(items.into());
        }
        loop {
            items.push(self.value(depth)?);
            if self.takes_after_space(b']') {
                return Ok(items.into());
            }
            if !self.takes_after_space(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    fn number(&mut self) -> ParseResult<Json> {
        let start = self.at;
        self.takes(b'-');
        let leading_zero = self.peek() == Some(b'0');
        if self.digits()? > 1 && leading_zero {
            return Err(Problem {
                message: "leading zeros in a number".to_owned(),
                offset: start,
            });
        }
        let mut whole = true;
        if self.takes(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            whole = false;
            let _sign = self.takes(b'+') || self.takes(b'-');
            self.digits()?;
        }
        let written = &self.text[start..self.at];
        number(written, whole).ok_or_else(|| Problem {
            message: "this number is too large".to_owned(),
            offset: start,
        })
    }

    /// Skips one or more digits and returns their number.
    fn digits(&mut self) -> ParseResult<usize> {
        let rest = self.rest().as_bytes();
        let count = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        self.at += count;
        if count == 0 {
            Err(self.unexpected("a digit"))
        } else {
            Ok(count)
        }
    }

    fn word(&mut self, word: &str, value: Json) -> ParseResult<Json> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.unexpected("a value"))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn takes_after_space(&mut self, byte: u8) -> bool {
        self.white_space();
        self.takes(byte)
    }

    fn white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem {
            message: message.into(),
            offset: self.at,
        }
    }

    fn unexpected(&self, expected: &str) -> Problem {
        match self.rest().chars().next() {
            Some(found) => self.problem(format!(
                "expected {expected}, found `{}`",
                found.escape_debug()
            )),
            None => self.problem(format!("expected {expected}, found the end of the input")),
        }
    }
}

fn number(written: &str, whole: bool) -> Option<Json> {
    if whole {
        if let Ok(number) = written.parse::<i64>() {
            return Some(Json::Int(number));
        }
        if let Ok(number) = written.parse::<u64>() {
            return Some(Json::Uint(number));
        }
    }
    let float: f64 = written.parse().ok()?;
    // Converting a larger integer to a float may lose digits, so two different plans could have the same digest. The
    // integer is accepted as a float only if the float is written back unchanged.
    if whole && ryu_js::Buffer::new().format(float) != written {
        return None;
    }
    Json::float(float)
}

/// Checks for duplicate keys once, by sorting: a search for each key would take quadratic time for a hostile object.
fn without_duplicates(object: &Object, places: &[usize]) -> ParseResult<()> {
    let mut keys: Vec<_> = object
        .iter()
        .map(|(key, _)| key)
        .zip(places.iter().copied())
        .collect();
    keys.sort_unstable();
    let second = keys
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| pair[1])
        .min_by_key(|(_, place)| *place);
    match second {
        None => Ok(()),
        Some((key, offset)) => Err(Problem {
            message: format!("duplicate key `{}`", key.escape_debug()),
            offset,
        }),
    }
}

#[cfg(test)]
mod tests;
