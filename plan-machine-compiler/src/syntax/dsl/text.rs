//! Decodes the text of string literals, with the position of each character.

use proc_macro2::Literal;
use syn::{Lit, LitStr};

/// The decoded text, with the file offset of each of its bytes and of its end.
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) offsets: Vec<u32>,
}

/// Returns the text of a string literal that starts at byte `start` of the file; `None` if the literal is not a string.
pub(super) fn decode(literal: &Literal, start: usize) -> Option<Decoded> {
    let written = literal.to_string();
    let parts = Parts::of(&written)?;
    let text = if parts.block {
        // Characters that are not part of the text are removed before escapes are processed.
        let body: String = parts.kept.iter().map(|(_, c)| *c).collect();
        let whole = format!("{}{body}{}", parts.head, parts.tail);
        value(&whole.parse().ok()?)?
    } else {
        value(literal)?
    };
    let offsets = parts.offsets(&text, start);
    Some(Decoded { text, offsets })
}

fn value(literal: &Literal) -> Option<String> {
    match Lit::new(literal.clone()) {
        Lit::Str(text) if text.suffix().is_empty() => Some(LitStr::value(&text)),
        _ => None,
    }
}

/// A string literal as written.
struct Parts<'a> {
    /// Everything up to and including the opening quote.
    head: &'a str,
    /// The characters of the text with their positions in the literal.
    kept: Vec<(usize, char)>,
    /// The closing quote and anything after it.
    tail: &'a str,
    raw: bool,
    /// Whether the line ends right after the opening quote.
    block: bool,
}

impl<'a> Parts<'a> {
    fn of(written: &'a str) -> Option<Self> {
        let open = written.find('"')?;
        let close = written.rfind('"')?;
        let body = written.get(open + 1..close)?;
        let block = body.starts_with('\n') || body.starts_with("\r\n");
        let kept = if block {
            dedented(body, open + 1)
        } else {
            places(body, open + 1).collect()
        };
        Some(Self {
            head: &written[..=open],
            kept,
            tail: &written[close..],
            raw: written.starts_with('r'),
            block,
        })
    }

    /// Returns the file offset of each byte of the decoded text, found by walking the decoded text and the literal in
    /// parallel.
    fn offsets(&self, text: &str, start: usize) -> Vec<u32> {
        let end = self.kept.last();
        let end = end.map_or(self.head.len(), |(at, c)| at + c.len_utf8());
        let place = |at: usize| {
            let offset = self.kept.get(at).map_or(end, |(offset, _)| *offset);
            u32::try_from(start + offset).unwrap_or(u32::MAX)
        };
        let mut table = Vec::with_capacity(text.len() + 1);
        let mut at = 0;
        for wanted in text.chars() {
            at = self.next_character(at, wanted);
            table.extend(std::iter::repeat_n(place(at), wanted.len_utf8()));
            at += self.length(at);
        }
        table.push(place(at));
        table
    }

    fn sign(&self, at: usize) -> Option<char> {
        self.kept.get(at).map(|(_, c)| *c)
    }

    /// Skips anything in the literal that does not represent a character of the text: a line break after a `\`, and the
    /// `\r` of a Windows line break.
    fn next_character(&self, mut at: usize, wanted: char) -> usize {
        while !self.raw && self.sign(at) == Some('\\') {
            let breaks = matches!(self.sign(at + 1), Some('\n' | '\r'));
            if !breaks {
                break;
            }
            at += 1;
            while self
                .sign(at)
                .is_some_and(|c| matches!(c, ' ' | '\t' | '\n' | '\r'))
            {
                at += 1;
            }
        }
        let half = wanted == '\n' && self.sign(at) == Some('\r');
        at + usize::from(half)
    }

    /// Returns the number of characters that the literal uses for the character at this position.
    fn length(&self, at: usize) -> usize {
        if self.raw || self.sign(at) != Some('\\') {
            return 1;
        }
        match self.sign(at + 1) {
            Some('x') => 4,
            Some('u') => {
                let rest = self.kept[at..].iter();
                1 + rest.take_while(|(_, c)| *c != '}').count()
            }
            _ => 2,
        }
    }
}

fn places(text: &str, base: usize) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().map(move |(at, c)| (base + at, c))
}

/// Returns the lines between the quotes without their common indentation, and without the line breaks after the opening
/// quote and before the closing quote.
fn dedented(body: &str, base: usize) -> Vec<(usize, char)> {
    let begin = body.find('\n').map_or(0, |at| at + 1);
    let inner = &body[begin..];
    let inner = match inner.rfind('\n') {
        Some(at) if inner[at..].trim().is_empty() => inner[..at].trim_end_matches('\r'),
        None if inner.trim().is_empty() => "",
        _ => inner,
    };
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let written = inner.split('\n').filter(|line| !line.trim().is_empty());
    let shared = written.map(blanks).min().unwrap_or(0);
    let mut kept = Vec::with_capacity(inner.len());
    let mut at = base + begin;
    for line in inner.split_inclusive('\n') {
        let skipped = shared.min(blanks(line));
        kept.extend(places(&line[skipped..], at + skipped));
        at += line.len();
    }
    kept
}

/// Returns the text of a doc comment: a single line, or a block whose lines, except for the first, lose their stars or
/// their common indentation.
pub(super) fn doc_text(written: &str) -> String {
    let Some((first, rest)) = written.split_once('\n') else {
        return written.strip_prefix(' ').unwrap_or(written).to_owned();
    };
    let lines = || rest.split('\n');
    let filled = || lines().filter(|line| !line.trim().is_empty());
    let starred = filled().all(|line| line.trim_start().starts_with('*'));
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = filled().map(blanks).min().unwrap_or(0);
    let inner = |line: &str| {
        let line = if starred {
            line.trim_start().trim_start_matches('*')
        } else {
            &line[shared.min(blanks(line))..]
        };
        let line = if starred {
            line.strip_prefix(' ').unwrap_or(line)
        } else {
            line
        };
        line.trim_end().to_owned()
    };
    let lines = std::iter::once(first.trim().to_owned()).chain(lines().map(inner));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(written: &str) -> Decoded {
        decode(&written.parse().expect("a literal"), 0).expect("a string")
    }

    #[test]
    fn escapes_keep_the_places_around_them() {
        let written = r#""a\n\u{1F600}\x41 {title}""#;
        let found = decoded(written);
        assert_eq!(found.text, "a\n\u{1F600}A {title}");
        let brace = found.text.find('{').expect("a brace");
        assert_eq!(&written[found.offsets[brace] as usize..][..7], "{title}");
    }

    #[test]
    fn a_line_that_continues_keeps_its_places() {
        let written = "\"one \\\n      two\"";
        let found = decoded(written);
        assert_eq!(found.text, "one two");
        assert_eq!(&written[found.offsets[4] as usize..][..3], "two");
    }

    #[test]
    fn a_text_on_lines_of_its_own_loses_the_indentation_they_share() {
        let found = decoded("\"\n    # Plan\n\n      - a\\tb\n    \"");
        assert_eq!(found.text, "# Plan\n\n  - a\tb");
        let found = decoded("r#\"\n  a \"b\"\n  \"#");
        assert_eq!(found.text, "a \"b\"");
    }

    #[test]
    fn a_text_that_starts_on_the_line_of_its_quote_is_taken_as_it_is() {
        assert_eq!(decoded("\"a\n  b\"").text, "a\n  b");
        assert_eq!(decoded(r#""\n  b""#).text, "\n  b");
    }

    #[test]
    fn doc_comments_lose_what_is_not_part_of_their_text() {
        assert_eq!(doc_text("  a"), " a");
        assert_eq!(
            doc_text(" a\n      b\n\n        c\n      "),
            "a\nb\n\n  c\n"
        );
        assert_eq!(doc_text("\n * a\n *\n *   b\n "), "\na\n\n  b\n");
    }

    #[test]
    fn what_is_not_text_is_distinguished_from_text() {
        for other in ["1", "'a'", "b\"a\"", "c\"a\"", "\"a\"suffix"] {
            let literal: Literal = other.parse().expect("a literal");
            assert!(decode(&literal, 0).is_none(), "{other}");
        }
    }
}
