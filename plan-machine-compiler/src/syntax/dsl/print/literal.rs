//! Prints literals, which are not evaluated.

use super::page::{Piece, quoted, text};
use crate::source::SourceMap;
use crate::syntax::ast::{Literal, LiteralKind};
use crate::syntax::dsl::map::TokenMap;
use crate::syntax::dsl::reader::Reader;

pub(super) fn literal(literal: &Literal) -> Piece {
    match &literal.kind {
        LiteralKind::Scalar {
            text: found,
            quoted,
        } => text(scalar(found, *quoted)),
        LiteralKind::List(items) => {
            let items = items.iter().map(self::literal).collect();
            Piece::List('[', items, ']')
        }
        LiteralKind::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| {
                Piece::Behind(
                    format!("{}: ", word(&name.node)),
                    Box::new(self::literal(value)),
                )
            });
            Piece::List('{', entries.collect(), '}')
        }
    }
}

/// Prints a scalar. Quotes are kept, and added if the scalar is neither a word nor a number.
fn scalar(text: &str, in_quotes: bool) -> String {
    match text {
        "" if !in_quotes => "null".to_owned(),
        text if !in_quotes && reads_the_same(text) => text.to_owned(),
        text => quoted(text),
    }
}

/// Prints a string where either a name or a quoted string may appear.
pub(super) fn word(text: &str) -> String {
    if is_word(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

fn is_word(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    begins && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether the reader reads the unquoted text as the same plain scalar.
fn reads_the_same(text: &str) -> bool {
    if is_word(text) {
        return true;
    }
    // Only numbers remain, and they cannot contain spaces or comments.
    let number = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    number
        && reread(text, |reader| {
            let read = reader.literal()?;
            let whole = reader.is_done();
            let kind = LiteralKind::Scalar {
                text: text.to_owned(),
                quoted: false,
            };
            (whole && read.kind == kind).then_some(())
        })
}

/// Returns whether `read` succeeds on the text.
pub(super) fn reread(text: &str, read: impl FnOnce(&mut Reader<'_>) -> Option<()>) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add("", text);
    let Ok(map) = TokenMap::of_text(&sources, file) else {
        return false;
    };
    let mut sink = crate::diagnostic::Sink::default();
    map.too_deep().is_none() && read(&mut Reader::new(&map, &mut sink)).is_some()
}
