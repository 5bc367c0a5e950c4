//! Expression text → tokens.

use super::Located;
use crate::source::Span;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a word of the language.
    Word(String),
    /// Without its sign: the least number has no positive counterpart.
    Int(u64),
    Text(String),
    Symbol(&'static str),
    End,
}

impl Token {
    /// How a message names the token.
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(number) => format!("`{number}`"),
            Token::Text(_) => "a text".to_owned(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

/// Longer symbols first: `<=` is not `<` and `=`.
const SYMBOLS: [&str; 17] = [
    "==", "!=", "<=", ">=", "??", "<", ">", "+", "-", "(", ")", "[", "]", ",", ".", ":", "?",
];

/// Splits the text; a problem is a message with its place.
pub(super) fn tokens(source: &Located<'_>) -> Result<Vec<(Token, Span)>, (String, Span)> {
    let text = source.text;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = token(&text[at..], first)
            .map_err(|(message, length)| (message, source.span(at, at + length)))?;
        found.push((token, source.span(at, at + length)));
        at += length;
    }
    found.push((Token::End, source.span(text.len(), text.len())));
    Ok(found)
}

fn token(rest: &str, first: char) -> Result<(Token, usize), (String, usize)> {
    if first.is_alphabetic() || first == '_' {
        let word = run(rest, |c| c.is_alphanumeric() || c == '_');
        return Ok((Token::Word(word.to_owned()), word.len()));
    }
    if first.is_ascii_digit() {
        let digits = run(rest, |c| c.is_alphanumeric() || c == '_');
        return match digits.parse() {
            Ok(number) => Ok((Token::Int(number), digits.len())),
            Err(_) => Err((
                format!("`{digits}` is not a whole number that fits"),
                digits.len(),
            )),
        };
    }
    if first == '"' {
        return quoted(rest);
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => Err((unexpected(first), first.len_utf8())),
    }
}

fn unexpected(first: char) -> String {
    match first {
        '\'' => "a text in an expression stands in double quotes".to_owned(),
        '=' => "`=` is no operator; equality is `==`".to_owned(),
        '!' => "`!` is no operator; write `not`".to_owned(),
        '&' => "`&` is no operator; write `and`".to_owned(),
        '|' => "`|` is no operator; write `or`".to_owned(),
        other => format!("`{other}` has no meaning in an expression"),
    }
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

/// A text in double quotes with JSON's escapes.
fn quoted(rest: &str) -> Result<(Token, usize), (String, usize)> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => {
                let length = at + 1;
                return match plan_machine_kernel::json::Json::parse(&json_text(&rest[..length])) {
                    Ok(plan_machine_kernel::json::Json::Text(text)) => {
                        Ok((Token::Text(text), length))
                    }
                    _ => Err((
                        "the text has an escape that JSON does not know".to_owned(),
                        length,
                    )),
                };
            }
            _ => escaped = false,
        }
    }
    Err(("the text has no closing quote".to_owned(), rest.len()))
}

/// JSON allows no raw control characters in a text, YAML's block scalars may bring line breaks.
fn json_text(quoted: &str) -> String {
    quoted
        .replace('\n', "\\n")
        .replace('\t', "\\t")
        .replace('\r', "\\r")
}
