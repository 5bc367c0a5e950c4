//! Turns a token stream into a flat list of tokens in which each opening bracket is linked to its closing bracket.

use proc_macro2::{Delimiter, Group, Literal, Punct, Spacing, TokenStream, TokenTree};
use syn::Lit;

/// The maximum nesting depth of brackets.
pub(super) const MAX_DEPTH: usize = 64;

/// A token as written, before it has a position in a file.
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// The original text of the token.
    pub(super) shown: String,
    /// The span of the token's first part.
    pub(super) first: proc_macro2::Span,
    /// The span of the token's last part; differs from `first` if the token has several parts, such as `==`.
    pub(super) last: proc_macro2::Span,
}

/// The kind of a token.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A name or a key.
    Word(String),
    /// A symbol of the language.
    Symbol(&'static str),
    /// A symbol that has no meaning in the language.
    Other,
    /// A string or a number.
    Literal(Literal),
    /// An opening bracket, with the index of its closing bracket in the list of tokens.
    Open(Bracket, usize),
    /// A closing bracket.
    Close(Bracket),
    /// A doc comment, or the equivalent attribute.
    Doc(String),
}

/// The kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
}

impl Bracket {
    pub(super) fn open(self) -> &'static str {
        match self {
            Bracket::Round => "(",
            Bracket::Square => "[",
            Bracket::Curly => "{",
        }
    }

    pub(super) fn close(self) -> &'static str {
        match self {
            Bracket::Round => ")",
            Bracket::Square => "]",
            Bracket::Curly => "}",
        }
    }

    /// Returns the kind of a group's brackets. Groups without brackets come from `macro_rules` and have no meaning in
    /// the DSL.
    fn of(group: &Group) -> Option<Self> {
        match group.delimiter() {
            Delimiter::Parenthesis => Some(Bracket::Round),
            Delimiter::Bracket => Some(Bracket::Square),
            Delimiter::Brace => Some(Bracket::Curly),
            Delimiter::None => None,
        }
    }
}

/// The symbols of the language. Those of two characters are tried first, so that `==` is not read as `=` and `=`.
const SYMBOLS: [&str; 16] = [
    "=>", "==", "!=", "<=", ">=", "??", ";", ",", ":", "=", ".", "?", "-", "+", "<", ">",
];

/// A group that is being flattened.
struct Open {
    rest: std::vec::IntoIter<TokenTree>,
    /// The index of the opening bracket in the list, its kind, and the position of the closing bracket.
    bracket: Option<(usize, Bracket, proc_macro2::Span)>,
}

/// Flattens the stream. The second value is the index of the first bracket that is nested too deeply; its content is
/// omitted.
pub(super) fn flatten(stream: TokenStream) -> (Vec<Piece>, Option<usize>) {
    let mut pieces = Vec::new();
    let mut too_deep = None;
    let mut open = vec![Open {
        rest: trees(stream),
        bracket: None,
    }];
    while let Some(innermost) = open.last_mut() {
        let Some(tree) = innermost.rest.next() else {
            if let Some(found) = open.pop().and_then(|group| group.bracket) {
                close(&mut pieces, found);
            }
            continue;
        };
        if let Some(doc) = doc_comment(&tree, &mut innermost.rest) {
            pieces.push(doc);
            continue;
        }
        let TokenTree::Group(group) = tree else {
            pieces.push(single(tree, &mut innermost.rest));
            continue;
        };
        let bracket = Bracket::of(&group).map(|kind| {
            let place = group.span_open();
            pieces.push(piece(Kind::Open(kind, 0), kind.open(), place));
            (pieces.len() - 1, kind, group.span_close())
        });
        let deep = open.len() > MAX_DEPTH;
        if deep {
            too_deep.get_or_insert(pieces.len().saturating_sub(1));
        }
        let rest = if deep {
            Vec::new().into_iter()
        } else {
            trees(group.stream())
        };
        open.push(Open { rest, bracket });
    }
    (pieces, too_deep)
}

fn trees(stream: TokenStream) -> std::vec::IntoIter<TokenTree> {
    stream.into_iter().collect::<Vec<_>>().into_iter()
}

fn piece(kind: Kind, shown: impl Into<String>, place: proc_macro2::Span) -> Piece {
    Piece {
        kind,
        shown: shown.into(),
        first: place,
        last: place,
    }
}

/// Adds the closing bracket and links the opening bracket to it.
fn close(pieces: &mut Vec<Piece>, found: (usize, Bracket, proc_macro2::Span)) {
    let (opening, kind, place) = found;
    pieces[opening].kind = Kind::Open(kind, pieces.len());
    pieces.push(piece(Kind::Close(kind), kind.close(), place));
}

/// Converts a token that is not a group; adjacent characters of a symbol are joined.
fn single(tree: TokenTree, rest: &mut std::vec::IntoIter<TokenTree>) -> Piece {
    match tree {
        TokenTree::Ident(ident) => {
            let shown = ident.to_string();
            let word = shown.strip_prefix("r#").unwrap_or(&shown).to_owned();
            piece(Kind::Word(word), shown, ident.span())
        }
        TokenTree::Literal(literal) => {
            let (shown, place) = (literal.to_string(), literal.span());
            piece(Kind::Literal(literal), shown, place)
        }
        TokenTree::Punct(punct) => symbol(&punct, rest),
        // The caller handles groups.
        TokenTree::Group(group) => piece(Kind::Other, "", group.span()),
    }
}

fn symbol(first: &Punct, rest: &mut std::vec::IntoIter<TokenTree>) -> Piece {
    let second = match rest.as_slice().first() {
        Some(TokenTree::Punct(second)) if first.spacing() == Spacing::Joint => Some(second.clone()),
        _ => None,
    };
    if let Some(second) = second {
        let both = String::from_iter([first.as_char(), second.as_char()]);
        if let Some(known) = SYMBOLS.iter().find(|symbol| **symbol == both) {
            rest.next();
            let mut made = piece(Kind::Symbol(known), *known, first.span());
            made.last = second.span();
            return made;
        }
    }
    let shown = first.as_char().to_string();
    match SYMBOLS.iter().find(|symbol| **symbol == shown) {
        Some(known) => piece(Kind::Symbol(known), shown, first.span()),
        None => piece(Kind::Other, shown, first.span()),
    }
}

/// Reads `#[doc = "…"]`, the form that `/// …` has in a token stream.
fn doc_comment(first: &TokenTree, rest: &mut std::vec::IntoIter<TokenTree>) -> Option<Piece> {
    let TokenTree::Punct(hash) = first else {
        return None;
    };
    let [TokenTree::Group(group), ..] = rest.as_slice() else {
        return None;
    };
    if hash.as_char() != '#' || group.delimiter() != Delimiter::Bracket {
        return None;
    }
    let inner: Vec<TokenTree> = group.stream().into_iter().take(4).collect();
    let [
        TokenTree::Ident(name),
        TokenTree::Punct(equals),
        TokenTree::Literal(literal),
    ] = &inner[..]
    else {
        return None;
    };
    let Lit::Str(text) = Lit::new(literal.clone()) else {
        return None;
    };
    if name != "doc" || equals.as_char() != '=' {
        return None;
    }
    let text = text.value();
    let shown = if text.contains('\n') {
        format!("/**{text}*/")
    } else {
        format!("///{text}")
    };
    let made = Piece {
        kind: Kind::Doc(text),
        shown,
        first: hash.span(),
        last: group.span_close(),
    };
    rest.next();
    Some(made)
}
