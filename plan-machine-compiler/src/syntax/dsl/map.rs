//! Tokens, their positions in a file of the source map, and the mapping from positions back to tokens.

use proc_macro2::TokenStream;

use super::layout::lay_out;
use super::rust_file::inline_specs;
use super::tokens::{Kind, MAX_DEPTH, Piece, flatten};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{FileId, SourceMap, Span};

/// The maximum size of the text, in bytes.
const MAX_BYTES: usize = 4 << 20;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The tokens of a spec, each with its position in a file of a [`SourceMap`] and its span in the Rust compiler.
pub struct TokenMap {
    file: FileId,
    tokens: Vec<Token>,
    too_deep: Option<usize>,
}

/// A token with its position.
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) shown: String,
    pub(super) span: Span,
    first: proc_macro2::Span,
    last: proc_macro2::Span,
}

impl TokenMap {
    /// Returns the tokens of a macro call. They are laid out in a new file of `sources`, each at the line and column
    /// where it was written if these are known for all tokens.
    #[must_use]
    pub fn of_macro(tokens: TokenStream, sources: &mut SourceMap) -> Self {
        let (pieces, too_deep) = flatten(tokens);
        let layout = lay_out(&pieces);
        let name = pieces
            .first()
            .map_or_else(String::new, |piece| piece.first.file());
        let file = sources.add(name, layout.text);
        Self::new(file, pieces, layout.ranges, too_deep)
    }

    /// Returns the tokens of a file's text. This function must not be called inside a macro, where the Rust compiler
    /// would treat the text as Rust source.
    ///
    /// # Errors
    /// Returns an error if the text is too large, or if it cannot be split into tokens; in the latter case, the error
    /// points to the first position where this fails.
    pub fn of_text(sources: &SourceMap, file: FileId) -> Result<Self, Box<Diagnostic>> {
        let (stream, shift) = Self::parsed(sources, file)?;
        Ok(Self::of_stream(file, stream, shift))
    }

    /// Returns the tokens of each inline spec in a Rust file, in the order in which the file contains them. This
    /// function must not be called inside a macro.
    ///
    /// # Errors
    /// Returns an error if the text is too large, or if it cannot be split into tokens; in the latter case, the error
    /// points to the first position where this fails.
    pub fn of_rust(sources: &SourceMap, file: FileId) -> Result<Vec<Self>, Box<Diagnostic>> {
        let (stream, shift) = Self::parsed(sources, file)?;
        let specs = inline_specs(stream).into_iter();
        Ok(specs
            .map(|spec| Self::of_stream(file, spec, shift))
            .collect())
    }

    /// Splits a file's text into tokens; the second value is the number of bytes of a byte order mark, which the
    /// positions of the tokens do not include.
    fn parsed(sources: &SourceMap, file: FileId) -> Result<(TokenStream, usize), Box<Diagnostic>> {
        let problem = |start: usize, end: usize, message: String| {
            let span = Span::new(file, start, end);
            Box::new(Diagnostic::new(Code::PM0101, span, message))
        };
        let whole = sources.file(file).text();
        if whole.len() > MAX_BYTES {
            let message = format!("the text is larger than {} MiB", MAX_BYTES >> 20);
            return Err(problem(0, 0, message));
        }
        let text = whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(whole);
        let shift = whole.len() - text.len();
        let stream: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| {
            let start = shift + error.span().byte_range().start;
            let sign = whole.get(start..).and_then(|rest| rest.chars().next());
            let end = start + sign.map_or(0, char::len_utf8);
            let message =
                "found an unbalanced bracket or quote, or a character that has no meaning here";
            problem(start, end, message.to_owned())
        })?;
        Ok((stream, shift))
    }

    fn of_stream(file: FileId, stream: TokenStream, shift: usize) -> Self {
        let (pieces, too_deep) = flatten(stream);
        let ranges = pieces
            .iter()
            .map(|piece| {
                let start = piece.first.byte_range().start;
                let end = piece.last.byte_range().end;
                (shift + start, shift + end)
            })
            .collect();
        Self::new(file, pieces, ranges, too_deep)
    }

    fn new(
        file: FileId,
        pieces: Vec<Piece>,
        ranges: Vec<(usize, usize)>,
        too_deep: Option<usize>,
    ) -> Self {
        let tokens = pieces.into_iter().zip(ranges);
        let tokens = tokens.map(|(piece, (start, end))| Token {
            kind: piece.kind,
            shown: piece.shown,
            span: Span::new(file, start, end),
            first: piece.first,
            last: piece.last,
        });
        Self {
            file,
            tokens: tokens.collect(),
            too_deep,
        }
    }

    /// Returns the file that contains the tokens.
    #[must_use]
    pub fn file(&self) -> FileId {
        self.file
    }

    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    pub(super) fn too_deep(&self) -> Option<Diagnostic> {
        let span = self.tokens.get(self.too_deep?)?.span;
        let message = format!("brackets are nested more than {MAX_DEPTH} levels deep");
        Some(Diagnostic::new(Code::PM0101, span, message))
    }

    /// Returns the first and the last position that a span covers: a `compile_error!` gets these as its start and end,
    /// so that the Rust compiler underlines everything in between.
    #[must_use]
    pub fn ends_of(&self, span: Span) -> (proc_macro2::Span, proc_macro2::Span) {
        let last = self.tokens.len().saturating_sub(1);
        let before = self
            .tokens
            .partition_point(|token| token.span.end <= span.start);
        let until = self
            .tokens
            .partition_point(|token| token.span.start < span.end);
        let first = before.min(last);
        let last = until.saturating_sub(1).clamp(first, last);
        match (self.tokens.get(first), self.tokens.get(last)) {
            (Some(first), Some(last)) => (first.first, last.last),
            _ => (
                proc_macro2::Span::call_site(),
                proc_macro2::Span::call_site(),
            ),
        }
    }
}
