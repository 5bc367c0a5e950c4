//! Converts the YAML nodes of a file to a scopes document, in which names are not resolved yet.
//!
//! Guarantees after this pass: every key is allowed where it appears and every value has the required shape, unless a
//! diagnostic was reported.

use super::ast::{Document, Invariant, Level, Run, Segment};
use super::model::Verb;
use super::reader::{Reader, start};
use super::shorten::shortened;
use super::tree::Node;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};
use crate::syntax::ast::Name;
use crate::syntax::expr::Located;

pub(super) const KEYS: [&str; 7] = [
    "scopes",
    "doc",
    "identity",
    "legacy",
    "levels",
    "runs",
    "invariants",
];
pub(super) const LEVEL_KEYS: [&str; 3] = ["key", "write", "doc"];
pub(super) const RUN_KEYS: [&str; 4] = ["ids", "reads", "writes", "doc"];

/// The only valid value of `write`.
pub(super) const PROMOTED: &str = "promoted";
/// The only valid type of a part of the identity.
pub(super) const STRING: &str = "string";

/// Reads a document; `source` is the text of its file.
pub(super) fn document(reader: &mut Reader<'_>, root: &Node, source: &str) -> Document {
    let mut document = Document::default();
    let entries = reader.map(root, "a scopes document");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "scopes" => document.name = reader.name(node, "the name of a scopes document"),
            "doc" => document.doc = reader.prose(node, "`doc`"),
            "identity" => document.identity = identity(reader, node),
            "legacy" => document.legacy = reader.name(node, "`legacy`"),
            "levels" => {
                document.levels = some(reader, node, "levels", |reader, name, node| {
                    level(reader, name, node, source)
                });
            }
            "runs" => document.runs = named(reader, node, "`runs`", run),
            "invariants" => {
                let read = |reader: &mut Reader<'_>, name: &Name, node: &Node| {
                    invariant(reader, name, node, source)
                };
                let read = named(reader, node, "`invariants`", read);
                document.invariants = read.into_iter().flatten().collect();
            }
            _ => reader.unknown_key(key, "a scopes document", &KEYS),
        }
    }
    let required = ["scopes", "identity", "levels"];
    let at = start(&entries, root);
    reader.require(&entries, at, "this scopes document", &required);
    document
}

/// Reads the entries of a map whose keys are names.
fn named<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    what: &str,
    read: impl Fn(&mut Reader<'_>, &Name, &Node) -> T,
) -> Vec<T> {
    let entries = reader.map(node, what);
    let mut all = Vec::new();
    for (key, node) in entries.iter() {
        if reader.is_name(key) {
            all.push(read(reader, key, node));
        }
    }
    all
}

/// Reads the entries of a map as `named` does, but requires at least one entry.
fn some<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    key: &str,
    read: impl Fn(&mut Reader<'_>, &Name, &Node) -> T,
) -> Vec<T> {
    let before = reader.problems();
    let all = named(reader, node, &format!("`{key}`"), read);
    if all.is_empty() && reader.problems() == before {
        reader.shape(
            node.span,
            format!("`{key}` is empty; add at least one entry"),
        );
    }
    all
}

fn identity(reader: &mut Reader<'_>, node: &Node) -> Vec<Name> {
    some(reader, node, "identity", |reader, name, node| {
        let ty = reader.text(node, "the type of a part of the identity");
        if ty.is_some_and(|ty| ty.node != STRING) {
            reader.shape(
                node.span,
                format!("the type of a part of the identity must be `{STRING}`"),
            );
        }
        name.clone()
    })
}

fn level(reader: &mut Reader<'_>, name: &Name, node: &Node, source: &str) -> Level {
    let mut level = Level {
        name: name.clone(),
        doc: None,
        key: Vec::new(),
        promoted: None,
    };
    let before = reader.problems();
    let entries = reader.map(node, "a level");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "key" => level.key = scope_key(reader, node, source).unwrap_or_default(),
            "write" => level.promoted = promoted(reader, node),
            "doc" => level.doc = reader.prose(node, "`doc`"),
            _ => reader.unknown_key(key, "a level", &LEVEL_KEYS),
        }
    }
    if !entries.iter().any(|(key, _)| key.node == "key") && reader.problems() == before {
        let message = format!("the level `{}` has no `key`", name.node);
        reader.shape(name.span, message);
    }
    level
}

fn promoted(reader: &mut Reader<'_>, node: &Node) -> Option<Span> {
    let word = reader.text(node, "`write`")?;
    if word.node == PROMOTED {
        return Some(node.span);
    }
    let help = "if `write` is omitted, the level is written by the runs that list it in `writes`";
    let message = format!("`write` must be `{PROMOTED}`, or must be omitted");
    reader.report(Diagnostic::new(Code::PM0107, node.span, message).help(help));
    None
}

/// Returns a string with the source locations of its characters.
fn located<'t>(text: &'t str, span: Span, source: &str) -> Located<'t> {
    let (start, end) = (span.start as usize, span.end as usize);
    let written = source.get(start..end).unwrap_or("");
    Located::new(text, span.file, written, start)
}

/// Returns the pieces of a string between separators, with their locations.
fn pieces(text: &str, span: Span, source: &str, separator: impl Fn(char) -> bool) -> Vec<Name> {
    let located = located(text, span, source);
    let pieces = text.split(separator).map(|piece| {
        let start = piece.as_ptr() as usize - text.as_ptr() as usize;
        let span = located.span(start, start + piece.len());
        Spanned::new(piece.to_owned(), span)
    });
    pieces.collect()
}

/// Reads a key such as `goal:{channel}:{goal}`: words and placeholders separated by colons. A placeholder always
/// fills its whole segment, so that the values in a key stay distinct, whatever they contain.
fn scope_key(reader: &mut Reader<'_>, node: &Node, source: &str) -> Option<Vec<Spanned<Segment>>> {
    let text = reader.text(node, "`key`")?;
    let mut segments = Vec::new();
    let mut whole = true;
    for piece in pieces(&text.node, node.span, source, |c| c == ':') {
        let part = piece.node.strip_prefix('{');
        let part = part.and_then(|rest| rest.strip_suffix('}'));
        let segment = match part {
            Some(part) => {
                let name = Spanned::new(part.to_owned(), piece.span);
                reader.is_name(&name).then_some(Segment::Part(name.node))
            }
            None if is_word(&piece.node) => Some(Segment::Word(piece.node)),
            None => {
                no_segment(reader, &piece, node.span);
                None
            }
        };
        whole &= segment.is_some();
        segments.extend(segment.map(|segment| Spanned::new(segment, piece.span)));
    }
    whole.then_some(segments)
}

fn is_word(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && text.chars().all(fits)
}

fn no_segment(reader: &mut Reader<'_>, piece: &Name, whole: Span) {
    let (message, span) = if piece.node.is_empty() {
        ("this key has an empty segment".to_owned(), whole)
    } else {
        let piece_text = shortened(&piece.node);
        let message = format!("`{piece_text}` is neither a word nor a single `{{placeholder}}`");
        (message, piece.span)
    };
    let help = "a key consists of words and placeholders separated by colons, such as \"task:{channel}:{task}\"; a word consists of letters, digits, `_`, `-` and `.`";
    reader.report(Diagnostic::new(Code::PM0107, span, message).help(help));
}

fn run(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Run {
    let mut run = Run {
        name: name.clone(),
        doc: None,
        ids: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
    };
    let before = reader.problems();
    for (key, node) in reader.map(node, "a run").iter() {
        match key.as_str() {
            "ids" => run.ids = reader.names(node, "`ids`"),
            "reads" => run.reads = reader.names(node, "`reads`"),
            "writes" => {
                let read = |reader: &mut Reader<'_>, class: &Name, node: &Node| {
                    Some((class.clone(), reader.name(node, "a level")?))
                };
                let classes = named(reader, node, "`writes`", read);
                run.writes = classes.into_iter().flatten().collect();
            }
            "doc" => run.doc = reader.prose(node, "`doc`"),
            _ => reader.unknown_key(key, "a run", &RUN_KEYS),
        }
    }
    if run.reads.is_empty() && reader.problems() == before {
        let message = format!("the run `{}` reads no level", name.node);
        let help = "`reads` lists the levels that the run reads, starting with the nearest: `reads: [task, session]`";
        reader.report(Diagnostic::new(Code::PM0107, name.span, message).help(help));
    }
    run
}

/// Reads an invariant such as `TASK_RUN never reads goal`.
fn invariant(reader: &mut Reader<'_>, name: &Name, node: &Node, source: &str) -> Option<Invariant> {
    let text = reader.text(node, "an invariant")?;
    let mut words = pieces(&text.node, node.span, source, char::is_whitespace);
    words.retain(|word| !word.node.is_empty());
    let spelt: Vec<&str> = words.iter().map(Name::as_str).collect();
    let verb = match spelt[..] {
        [_, "never", "reads", _] => Verb::Reads,
        [_, "never", "writes", _] => Verb::Writes,
        _ => {
            let message = format!(
                "`{}` is not a valid invariant of a scopes document",
                shortened(&text.node)
            );
            let help = "an invariant is either `RUN never reads LEVEL` or `RUN never writes LEVEL`";
            reader.report(Diagnostic::new(Code::PM0107, node.span, message).help(help));
            return None;
        }
    };
    let level = words.pop()?;
    Some(Invariant {
        name: name.clone(),
        run: words.swap_remove(0),
        verb,
        level,
    })
}
