//! Explains to the author why the text of a spec is not valid YAML: what was found, what was expected, and how to fix
//! it.

use super::shorten::shortened;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{FileId, Span};

/// The kinds of syntax errors reported by the parser.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// Inside `{ }` or `[ ]`, an entry is followed by neither a comma nor the closing bracket.
    Flow {
        /// The bracket that was expected.
        close: char,
    },
    /// Something follows a closing quote.
    AfterQuote,
    /// A key has no colon.
    NoColon,
    /// A colon appears where no key is allowed.
    Colon,
    /// A value starts with a character that YAML reserves.
    Begins(char),
    /// A quote is never closed.
    Quote,
    /// A quote is not closed at the end of its line, and the next line does not continue the string.
    QuoteGoesOn,
    /// A bracket follows a colon without a space.
    NoSpace,
    /// A list continues without a dash.
    NoDash,
    /// A key is not indented like its neighbors.
    Indentation,
    /// A tab appears where only spaces are allowed.
    Tab,
    /// Any other error, with the parser's message.
    Other(String),
}

/// Describes the problem at byte `at` of the text.
pub(super) fn explain(file: FileId, text: &str, at: usize, fault: &Fault) -> Diagnostic {
    let place = Place { file, text, at };
    match fault {
        Fault::Flow { close } => place.flow(*close),
        Fault::AfterQuote => place.after_quote(),
        Fault::NoColon => place.no_colon(),
        Fault::Colon => place.colon(),
        Fault::Begins(first) => place
            .found(format!("invalid YAML: a value cannot start with `{first}`"))
            .help("put the value in quotes"),
        Fault::Quote => place
            .found("invalid YAML: this quote is never closed")
            .help(CLOSE),
        Fault::QuoteGoesOn => place.quote_goes_on(),
        Fault::NoSpace => place
            .found("invalid YAML: expected a space after `:`")
            .help(format!(
                "a colon needs a space after it: `{}: `",
                place.key()
            )),
        Fault::NoDash => place
            .found(
                "invalid YAML: expected `- ` and the next item of the list, found something else",
            )
            .help("a map has no dashes: `states: { none: … }`, or `none:` on a separate line"),
        Fault::Indentation => place
            .found("invalid YAML: expected a key that is indented like the keys above it, found a different indentation")
            .help("indent all entries of a map by the same number of spaces"),
        Fault::Tab => place
            .found("invalid YAML: found a tab where only spaces are allowed")
            .help("indent with spaces"),
        Fault::Other(words) => place.found(format!("invalid YAML: {words}")),
    }
}

/// Help for a quote that is not closed.
const CLOSE: &str = "end the string with the same quote; inside a double-quoted string, \
    a double quote is written `\\\"`";

struct Place<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
}

impl<'t> Place<'t> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    fn found(&self, message: impl Into<String>) -> Diagnostic {
        let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        Diagnostic::new(Code::PM0101, self.span(self.at, end), message)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns the position where the line starts.
    fn line_start(&self) -> usize {
        self.text[..self.at]
            .rfind('\n')
            .map_or(0, |newline| newline + 1)
    }

    /// Returns the line up to this position.
    fn line(&self) -> &'t str {
        &self.text[self.line_start()..self.at]
    }

    fn flow(&self, close: char) -> Diagnostic {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let shown = match self.rest().chars().next() {
            None => "the end of the file".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(first) if word(first) => {
                let end = self.rest().find(|c| !word(c));
                let end = end.unwrap_or(self.rest().len());
                format!("`{}`", shortened(&self.rest()[..end]))
            }
            Some(found) => format!("`{found}`"),
        };
        let message = format!("invalid YAML: expected `,` or `{close}`, found {shown}");
        let found = self.found(message);
        match self.rest().chars().next() {
            Some('[' | '{') => self.own_line(found, "a bracket"),
            Some('?') if self.line().ends_with(']') => found
                .help("an optional list is written `{ type: [T], optional: true }`, or `\"[T]?\"` in quotes"),
            Some(':') => found.help(
                "a plain value inside `{ }` cannot contain a colon followed by a space: put the value in quotes",
            ),
            _ => match self.unclosed() {
                Some(open) => {
                    let bracket = &self.text[open..=open];
                    found
                        .also(self.span(open, open + 1), "opened here")
                        .help(format!("close this `{bracket}`, or put a comma between two entries"))
                }
                None => found,
            },
        }
    }

    /// Suggests the two ways to write a value that a flow map cannot contain.
    fn own_line(&self, found: Diagnostic, what: &str) -> Diagnostic {
        let (key, value) = self.entry();
        let own = match (key.is_empty(), value.is_empty()) {
            (false, false) => format!("`{key}: {value}`"),
            _ => "`latest: log[0]`".to_owned(),
        };
        found
            .help(format!(
                "inside `{{ }}` and `[ ]`, a plain value ends at {what}; put the entry on a separate line, \
                    without braces around it: {own}"
            ))
            .help("or put the value in quotes if its key accepts only expressions (`when`, `that`, `where`, \
                `at`, invariants): `when: \"log[0] is set\"`; with other keys, quotes make the value a string")
    }

    /// Returns the key and the complete value of the entry that is cut off here.
    fn entry(&self) -> (&'t str, &'t str) {
        let line = self.line();
        let Some(colon) = line.rfind(": ") else {
            return ("", "");
        };
        let key = line[..colon].rsplit(['{', ',', ' ']).next().unwrap_or("");
        let start = self.line_start() + colon + 2;
        let mut depth = 0_usize;
        let end = self.text[start..].find(|c| match c {
            '[' | '(' | '{' => {
                depth += 1;
                false
            }
            ']' | ')' | '}' => {
                let ends = depth == 0;
                depth = depth.saturating_sub(1);
                ends
            }
            ',' => depth == 0,
            c => c == '\n',
        });
        let end = end.map_or(self.text.len(), |length| start + length);
        (key.trim(), self.text[start..end].trim())
    }

    /// Returns the position of the innermost bracket that is still open, ignoring quoted strings.
    fn unclosed(&self) -> Option<usize> {
        let mut open = Vec::new();
        let mut quote = None;
        for (at, c) in self.text[..self.at].char_indices() {
            match (quote, c) {
                (Some(end), c) if c == end || c == '\n' => quote = None,
                (None, '"') => quote = Some(c),
                (None, '{' | '[') => open.push(at),
                (None, '}' | ']') => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.pop()
    }

    /// Returns the name of the key whose colon is at this position.
    fn key(&self) -> &'t str {
        let key = self.line().rsplit(['{', '[', ',', ' ']).next();
        key.unwrap_or("").trim()
    }

    /// Returns the position of a quote above this line that is not closed on its own line.
    fn open_quote(&self) -> Option<usize> {
        let mut next = self.line_start();
        for _ in 0..LOOKED_BACK {
            let end = next.checked_sub(1)?;
            let start = self.text[..end]
                .rfind('\n')
                .map_or(0, |newline| newline + 1);
            if let Some(at) = opened(&self.text[start..end]) {
                return Some(start + at);
            }
            next = start;
        }
        None
    }

    /// Reports a quote on an earlier line that was left open.
    fn left_open(&self, open: usize, here: usize, label: &str) -> Diagnostic {
        let quote = self.span(open, open + 1);
        Diagnostic::new(
            Code::PM0101,
            quote,
            "invalid YAML: this quote is not closed",
        )
        .also(self.span(here, here), label)
        .help(CLOSE)
    }

    fn quote_goes_on(&self) -> Diagnostic {
        match self.open_quote() {
            Some(open) => self.left_open(open, self.at, "so this is part of the quoted string"),
            None => self
                .found(
                    "invalid YAML: expected the quoted string to continue, indented more than its key",
                )
                .help(CLOSE),
        }
    }

    fn after_quote(&self) -> Diagnostic {
        // The quote that seems to open a string on this line may close a string that was left open on a line above.
        let last = self.line().trim_end().len().saturating_sub(1);
        let above = self
            .open_quote()
            .filter(|_| opened(self.line()) == Some(last));
        if let Some(open) = above {
            return self.left_open(
                open,
                self.line_start() + last,
                "so this ends the quoted string",
            );
        }
        let found =
            self.found("invalid YAML: expected the end of the value after the closing quote");
        let line = self.line();
        let calls = line.matches('(').count() > line.matches(')').count();
        if calls && self.unclosed().is_some() {
            return self.own_line(found, "a comma");
        }
        found
            .help("a value that starts with a quote is a string, and ends with the same quote; expressions go \
                inside it: `\"{n} of {len(items)}\"`")
            .help("an expression that starts with a string needs parentheses: `(\"a\" == b)`")
    }

    fn no_colon(&self) -> Diagnostic {
        let word = self.rest().lines().next().unwrap_or("").trim();
        let message = format!("invalid YAML: expected `:` after `{word}`");
        let span = self.span(self.at, self.at + word.len());
        Diagnostic::new(Code::PM0101, span, message)
            .help(format!("a key ends with a colon: `{word}:`"))
    }

    fn colon(&self) -> Diagnostic {
        let found = self.found("invalid YAML: found `:` where no key is allowed");
        let line = self.line().trim_start().trim_start_matches("- ");
        if line.contains(" ? ") {
            return found.help(
                "there is no `? :` operator; write a list of alternatives, each with `when`",
            );
        }
        if line.contains(": ") {
            return found
                .help("a plain value cannot contain `: `; put a value with a colon in quotes");
        }
        let before = self.text[..self.line_start()].trim_end().lines().last();
        let before = before.unwrap_or("").trim();
        match before.split_once(':') {
            Some((key, value)) if !value.is_empty() && !value.starts_with(' ') => found.help(
                format!("a colon needs a space after it: write `{key}: {value}` on the line above"),
            ),
            _ => found.help(
                "close any `[` or `{` that is still open above, indent this line like the lines around it, or end the \
                 line above with a colon",
            ),
        }
    }
}

/// The number of lines above an error that are searched for the open quote that caused the error.
const LOOKED_BACK: usize = 1000;

/// Returns the position where a line opens a quoted string that it does not close. A quote inside a plain value, as in
/// `it's`, does not open a string.
fn opened(line: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut before = None;
    let mut letters = line.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        match open {
            // The next character is escaped: by a backslash, or by doubling a quote.
            Some((_, '"')) if c == '\\' => drop(letters.next()),
            Some((_, '\'')) if c == '\'' && letters.next_if(|next| next.1 == c).is_some() => {}
            Some((_, quote)) if c == quote => open = None,
            None if c == '#' && line[..at].ends_with([' ', '\t']) => break,
            None if matches!(c, '"' | '\'') => {
                let begins = matches!(before, None | Some(':' | ',' | '[' | '{' | '-' | '?'));
                open = begins.then_some((at, c));
            }
            _ => {}
        }
        before = Some(c).filter(|c| !c.is_whitespace()).or(before);
    }
    open.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_opens_a_quote_where_a_value_begins_and_does_not_end() {
        for (line, at) in [
            ("reply: \"bye", Some(7)),
            ("reply: 'bye", Some(7)),
            ("{ a: \"x\", b: \"y }", Some(13)),
            ("a: \"x \\\" y", Some(3)),
            ("- 'it''s", Some(2)),
            ("'", Some(0)),
        ] {
            assert_eq!(opened(line), at, "{line}");
        }
        for line in [
            "",
            "a: it's",
            "a: \"x\"",
            "a: 'it''s'",
            "a: \"\\\\\"",
            "a: b # \"quoted",
            "when: x == \"y\"",
        ] {
            assert_eq!(opened(line), None, "{line}");
        }
    }
}
