//! Lays out the tokens of a macro as text: at their original lines and columns if these are known, otherwise with one
//! statement on each line.

use super::tokens::{Bracket, Kind, Piece};

/// The text, and the byte range of each token in the text.
pub(super) struct Layout {
    pub(super) text: String,
    pub(super) ranges: Vec<(usize, usize)>,
}

/// Lays out the tokens.
pub(super) fn lay_out(pieces: &[Piece]) -> Layout {
    if in_order(pieces) {
        at_their_places(pieces)
    } else {
        evenly(pieces)
    }
}

/// Returns whether every token has its own position, in ascending order and in the same file. Tokens that come from
/// other macros do not have such positions.
fn in_order(pieces: &[Piece]) -> bool {
    let real = |piece: &Piece| piece.first.end() > piece.first.start();
    let follow = |pair: &[Piece]| {
        pair[0].first.start() < pair[1].first.start()
            && pair[0].first.file() == pair[1].first.file()
    };
    pieces.iter().all(real) && pieces.windows(2).all(follow)
}

/// Puts every token at its line and column. The text has no comments, because the Rust compiler has removed them.
fn at_their_places(pieces: &[Piece]) -> Layout {
    let mut text = String::new();
    let mut ranges = Vec::with_capacity(pieces.len());
    let (mut line, mut column) = (1, 0);
    for piece in pieces {
        let wanted = piece.first.start();
        while line < wanted.line {
            text.push('\n');
            (line, column) = (line + 1, 0);
        }
        let blanks = wanted.column.saturating_sub(column);
        text.extend(std::iter::repeat_n(' ', blanks));
        column += blanks;
        ranges.push(append(&mut text, &piece.shown));
        let breaks = piece.shown.matches('\n').count();
        let rest = piece.shown.rsplit('\n').next().unwrap_or("");
        let width = rest.chars().count();
        column = if breaks == 0 { column + width } else { width };
        line += breaks;
    }
    Layout { text, ranges }
}

/// Puts one statement on each line.
fn evenly(pieces: &[Piece]) -> Layout {
    let mut text = String::new();
    let mut ranges = Vec::with_capacity(pieces.len());
    let mut depth = 0_usize;
    for (at, piece) in pieces.iter().enumerate() {
        if matches!(piece.kind, Kind::Close(Bracket::Curly)) {
            depth = depth.saturating_sub(1);
        }
        let before = at.checked_sub(1).map(|before| &pieces[before].kind);
        if before.is_some_and(|before| ends_a_line(before, &piece.kind)) {
            text.push('\n');
            text.push_str(&"    ".repeat(depth));
        } else if before.is_some_and(|before| apart(before, &piece.kind)) {
            text.push(' ');
        }
        ranges.push(append(&mut text, &piece.shown));
        if matches!(piece.kind, Kind::Open(Bracket::Curly, _)) {
            depth += 1;
        }
    }
    Layout { text, ranges }
}

fn append(text: &mut String, shown: &str) -> (usize, usize) {
    let start = text.len();
    text.push_str(shown);
    (start, text.len())
}

fn ends_a_line(left: &Kind, right: &Kind) -> bool {
    match left {
        Kind::Symbol(";") | Kind::Doc(_) | Kind::Open(Bracket::Curly, _) => true,
        Kind::Close(Bracket::Curly) => !matches!(right, Kind::Symbol(";" | ",")),
        _ => matches!(right, Kind::Close(Bracket::Curly)),
    }
}

/// Words after which a bracket starts a new operand rather than a call or an index.
pub(super) const OPERATORS: [&str; 18] = [
    "implies", "or", "and", "not", "in", "is", "any", "every", "no", "count", "where", "always",
    "never", "reach", "by", "when", "at", "require",
];

/// Returns whether there is a space between two tokens.
pub(super) fn apart(left: &Kind, right: &Kind) -> bool {
    let opens = matches!(
        left,
        Kind::Open(Bracket::Round | Bracket::Square, _) | Kind::Symbol(".")
    );
    let closes = match right {
        Kind::Close(bracket) => *bracket != Bracket::Curly,
        Kind::Symbol(symbol) => [".", ",", ";", "?", ":"].contains(symbol),
        _ => false,
    };
    let belongs = match (left, right) {
        (Kind::Word(word), Kind::Open(Bracket::Round | Bracket::Square, _)) => {
            !OPERATORS.contains(&word.as_str())
        }
        (Kind::Close(_), Kind::Open(bracket, _)) => *bracket == Bracket::Square,
        _ => false,
    };
    !(opens || closes || belongs)
}
