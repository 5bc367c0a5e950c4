//! Parses strings and their escapes.

use super::{ParseResult, Problem, Reader};

impl Reader<'_> {
    /// Reads a string, starting at its opening quote.
    pub(super) fn string(&mut self) -> ParseResult<String> {
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.rest();
            let run = rest
                .bytes()
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .unwrap_or(rest.len());
            string.push_str(&rest[..run]);
            self.at += run;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(_) => {
                    return Err(self.problem("unescaped control character in a string"));
                }
                None => {
                    return Err(Problem {
                        message: "this string is not closed".to_owned(),
                        offset: start,
                    });
                }
            }
        }
    }

    fn escape(&mut self) -> ParseResult<char> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(same @ (b'"' | b'\\' | b'/')) => char::from(same),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at = start;
                return self.unicode_escape();
            }
            _ => {
                return Err(Problem {
                    message: "unknown escape in a string".to_owned(),
                    offset: start,
                });
            }
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self) -> ParseResult<char> {
        let start = self.at;
        let first = self.code_unit()?;
        let units = match first {
            0xd800..=0xdbff if self.rest().starts_with("\\u") => vec![first, self.code_unit()?],
            _ => vec![first],
        };
        // One code unit or a pair of them yields one character or an error, never two characters, because a pair starts
        // with a high surrogate.
        match char::decode_utf16(units).next() {
            Some(Ok(character)) => Ok(character),
            _ => Err(Problem {
                message: "unpaired surrogate".to_owned(),
                offset: start,
            }),
        }
    }

    /// Reads the four digits of `\uXXXX`, after `\u`.
    fn code_unit(&mut self) -> ParseResult<u16> {
        let digits = self
            .text
            .get(self.at + 2..self.at + 6)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit) => {
                self.at += 6;
                Ok(unit)
            }
            None => Err(self.problem("`\\u` needs four hexadecimal digits")),
        }
    }
}
