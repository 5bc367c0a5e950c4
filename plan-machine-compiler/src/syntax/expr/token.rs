//! Splits the text of an expression into tokens.

use super::Located;
use crate::source::Span;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    /// An integer without its sign. It is unsigned, because the smallest signed 64-bit integer has no positive
    /// counterpart.
    Int(u64),
    Text(String),
    Symbol(&'static str),
    End,
}

impl Token {
    /// Formats the token for a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(number) => format!("`{number}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the expression".to_owned(),
        }
    }
}

/// The symbols of expressions. Longer symbols come first, so that `<=` is not read as `<` and `=`.
const SYMBOLS: [&str; 17] = [
    "==", "!=", "<=", ">=", "??", "<", ">", "+", "-", "(", ")", "[", "]", ",", ".", ":", "?",
];

/// Splits the text into tokens; an error is a message with its position.
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
            Err(_) => Err((format!("`{digits}` is not a 64-bit integer"), digits.len())),
        };
    }
    if first == '"' {
        return quoted(rest);
    }
    // These signs begin with a symbol, so they are read before the symbols.
    let longer = [
        ("===", "=="),
        ("!==", "!="),
        ("<>", "!="),
        ("->", "implies"),
        ("<=>", "=="),
    ];
    if let Some(problem) = other_sign(rest, &longer) {
        return Err(problem);
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => Err(unexpected(rest, first)),
    }
}

/// Returns the message about an operator from another language, and the length of the operator in bytes. `signs`
/// contains each such operator with the word to write instead.
fn other_sign(rest: &str, signs: &[(&str, &str)]) -> Option<(String, usize)> {
    let (sign, word) = signs.iter().find(|(sign, _)| rest.starts_with(sign))?;
    let message = format!("`{sign}` is not an operator; write `{word}`");
    Some((message, sign.len()))
}

/// Returns the message about a character that cannot start a token, and the number of bytes that the message refers to.
fn unexpected(rest: &str, first: char) -> (String, usize) {
    let here = [
        ("&&", "and"),
        ("||", "or"),
        ("&", "and"),
        ("|", "or"),
        ("=>", "implies"),
        ("=", "=="),
        ("!", "not"),
    ];
    if let Some(problem) = other_sign(rest, &here) {
        return problem;
    }
    let message = match first {
        '\'' => "a string in an expression is written in double quotes".to_owned(),
        '*' | '/' | '%' => {
            format!("`{first}` is not an operator; the only arithmetic operators are `+` and `-`")
        }
        other => format!("unexpected `{other}` in an expression"),
    };
    (message, first.len_utf8())
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

/// Reads a string in double quotes with the escapes of JSON.
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
                        "the string has an escape that is not valid in JSON".to_owned(),
                        length,
                    )),
                };
            }
            _ => escaped = false,
        }
    }
    Err(("the string has no closing quote".to_owned(), rest.len()))
}

/// Escapes line breaks and tabs: JSON does not allow them in a string, but a YAML block scalar may contain them.
fn json_text(quoted: &str) -> String {
    quoted
        .replace('\n', "\\n")
        .replace('\t', "\\t")
        .replace('\r', "\\r")
}
