//! Parses YAML text into a tree of nodes with their positions.
//!
//! Guarantees: there is one document, keys are unique scalars, aliases are expanded, and everything is within the
//! limits below, whatever the text contains.

use std::collections::BTreeMap;
use std::rc::Rc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError};

use super::explain::{Fault, explain};
use super::shorten::shortened;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::{FileId, Span, Spanned};

/// The maximum size of the text, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// The maximum nesting depth of collections.
const MAX_DEPTH: usize = 64;
/// The maximum number of nodes in a document after its aliases are expanded.
const MAX_NODES: usize = 400_000;
/// The number of bytes of a scalar that count as one more node: the readers copy the text of a scalar for each alias,
/// so the length of the text counts toward the limit.
const BYTES_A_NODE: usize = 64;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
}

/// The kinds of nodes.
#[derive(Clone, Debug)]
pub(crate) enum NodeKind {
    Scalar(Scalar),
    Sequence(Rc<Vec<Node>>),
    Mapping(Rc<Vec<(Spanned<String>, Node)>>),
}

/// The text of a scalar and how it was written.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    pub(crate) text: Rc<str>,
    /// Whether the scalar is plain, that is, neither quoted nor a block. Where a plain scalar is an expression, quoted
    /// and block scalars are strings.
    pub(crate) plain: bool,
}

/// A collection that is being read.
struct Open {
    start: Span,
    anchor: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<(Spanned<String>, Node)>,
        seen: BTreeMap<String, Span>,
        key: Option<Spanned<String>>,
    },
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    sink: &'a mut Sink,
    open: Vec<Open>,
    /// Anchored nodes, each with the number of nodes that it represents.
    anchors: BTreeMap<usize, (Node, usize)>,
    nodes: usize,
    root: Option<Node>,
}

/// Converts a parser error to a fault that does not depend on the parser.
fn fault(kind: &ErrorKind) -> Fault {
    match kind {
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::UnexpectedEofFlowMapping => {
            Fault::Flow { close: '}' }
        }
        ErrorKind::ExpectedFlowSequenceSeparator | ErrorKind::UnexpectedEofFlowSequence => {
            Fault::Flow { close: ']' }
        }
        ErrorKind::UnclosedFlowCollection { open } => Fault::Flow {
            close: if *open == '[' { ']' } else { '}' },
        },
        ErrorKind::InvalidTrailingDoubleQuotedScalar
        | ErrorKind::InvalidTrailingSingleQuotedScalar => Fault::AfterQuote,
        ErrorKind::SimpleKeyExpected => Fault::NoColon,
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => Fault::Colon,
        ErrorKind::UnexpectedCharacter { character } => Fault::Begins(*character),
        ErrorKind::UnclosedQuotedScalar => Fault::Quote,
        ErrorKind::InvalidQuotedScalarIndent => Fault::QuoteGoesOn,
        ErrorKind::FlowMappingValueAdjacentCollection => Fault::NoSpace,
        ErrorKind::ExpectedBlockSequenceEntry => Fault::NoDash,
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => Fault::Indentation,
        ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => Fault::Tab,
        other => Fault::Other(other.to_string()),
    }
}

/// Reads the text of `file`; returns `None` if the text cannot be read at all.
pub(crate) fn read(file: FileId, text: &str, sink: &mut Sink) -> Option<Node> {
    if text.len() > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        sink.push_lost(Diagnostic::new(
            Code::PM0101,
            Span::new(file, 0, 0),
            message,
        ));
        return None;
    }
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        emit_comments: false,
    };
    let mut reader = Reader {
        file,
        text,
        sink,
        open: Vec::new(),
        anchors: BTreeMap::new(),
        nodes: 0,
        root: None,
    };
    for next in Parser::new_from_str_with_options(text, options) {
        match next {
            Ok((event, span)) => {
                let span = reader.span(&span);
                reader.event(event, span)?;
            }
            Err(error) => {
                reader.syntax_error(&error);
                return None;
            }
        }
    }
    if reader.root.is_none() {
        let found = Diagnostic::new(Code::PM0101, Span::new(file, 0, 0), "the file is empty");
        reader.sink.push_lost(found.help(
            "start a spec with `machine: Name`, and any other document with `session: Name`, `calls: Name` or \
             `scopes: Name`",
        ));
    }
    reader.root
}

impl Reader<'_> {
    fn span(&self, span: &granit_parser::Span) -> Span {
        let range = span.byte_range().unwrap_or(0..0);
        Span::new(self.file, range.start, range.end)
    }

    fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.sink
            .push_lost(Diagnostic::new(Code::PM0101, span, message));
    }

    fn syntax_error(&mut self, error: &ScanError) {
        let start = error
            .marker()
            .byte_offset()
            .unwrap_or(0)
            .min(self.text.len());
        let start = (0..=start).rev().find(|at| self.text.is_char_boundary(*at));
        let start = start.unwrap_or(0);
        let line = self.text[..start].rsplit('\n').next().unwrap_or("");
        let tab = line.contains('\t') || self.text[start..].starts_with('\t');
        let found = if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
            let message = format!("collections are nested more than {MAX_DEPTH} levels deep");
            Diagnostic::new(Code::PM0101, Span::new(self.file, start, start), message)
        } else if tab {
            explain(self.file, self.text, start, &Fault::Tab)
        } else {
            explain(self.file, self.text, start, &fault(error.kind()))
        };
        self.sink.push_lost(found);
    }

    /// Handles one event of the parser; `None` stops reading, for a reason that was reported.
    fn event(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                let message = "a file can contain only one document, but a second one starts here";
                let help = "put each document into a separate file";
                self.sink
                    .push_lost(Diagnostic::new(Code::PM0101, span, message).help(help));
                return None;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                // The parser returns `~` for a missing value.
                let nothing = plain && span.start == span.end;
                let mut node = Scalar {
                    text: Rc::from(if nothing { "" } else { text.as_ref() }),
                    plain,
                };
                let mut span = span;
                if tag.is_some() {
                    (node.text, span) = self.tagged(span, node.text);
                }
                let count = weight(&node);
                let kind = NodeKind::Scalar(node);
                self.finished(Node { kind, span }, anchor, count)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                self.begin(span, anchor, Content::Sequence(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                let content = Content::Mapping {
                    entries: Vec::new(),
                    seen: BTreeMap::new(),
                    key: None,
                };
                self.begin(span, anchor, content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(id) => self.alias(id, span)?,
            _ => {}
        }
        Some(())
    }

    /// Rejects a tag before a scalar and suggests what was probably meant: YAML reads the `!x` of a condition as a tag.
    /// Reading continues with the value without the `!`, so that nothing else is reported about it.
    fn tagged(&mut self, span: Span, text: Rc<str>) -> (Rc<str>, Span) {
        let (start, end) = (span.start as usize, span.end as usize);
        let line = self.text[..start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let Some(tag) = self.text[line..start].rfind('!') else {
            self.refuse_tag(true, span);
            return (text, span);
        };
        let tag = line + tag;
        let meant = self.text[tag + 1..end].trim();
        let found = Diagnostic::new(
            Code::PM0101,
            Span::new(self.file, tag, end),
            "a value cannot start with `!`, which begins a tag in YAML",
        );
        let negated = match meant {
            "" => "`not x`".to_owned(),
            meant => format!("`not {}`", shortened(meant)),
        };
        self.sink.push_lost(found.help(format!(
            "a condition is negated with `not`: write {negated}; a string that begins with `!` goes in quotes"
        )));
        (Rc::from(meant), Span::new(self.file, tag + 1, end))
    }

    fn refuse_tag(&mut self, tagged: bool, span: Span) {
        if tagged {
            self.problem(
                span,
                "found a YAML tag; remove it, because values are written without tags",
            );
        }
    }

    fn begin(&mut self, start: Span, anchor: usize, content: Content) -> Option<()> {
        if self.open.len() >= MAX_DEPTH {
            self.problem(
                start,
                format!("collections are nested more than {MAX_DEPTH} levels deep"),
            );
            return None;
        }
        self.open.push(Open {
            start,
            anchor,
            content,
        });
        Some(())
    }

    fn end(&mut self, end: Span) -> Option<()> {
        let Open {
            start,
            anchor,
            content,
        } = self.open.pop()?;
        let kind = match content {
            Content::Sequence(items) => NodeKind::Sequence(Rc::new(items)),
            Content::Mapping { entries, .. } => NodeKind::Mapping(Rc::new(entries)),
        };
        let last = end_of(&kind).unwrap_or(start);
        // A flow collection ends with its bracket, a block collection with its last element.
        let span = if end.end > end.start {
            start.to(end)
        } else {
            start.to(last)
        };
        self.finished(Node { kind, span }, anchor, 1)
    }

    fn alias(&mut self, id: usize, span: Span) -> Option<()> {
        let Some((node, count)) = self.anchors.get(&id).cloned() else {
            self.problem(
                span,
                "this alias is inside the node that it refers to; write the value in full instead",
            );
            return None;
        };
        self.finished(node, 0, count)
    }

    /// Attaches a complete node to its parent. The node counts as `count` nodes toward the limit.
    fn finished(&mut self, node: Node, anchor: usize, count: usize) -> Option<()> {
        self.nodes += count;
        if self.nodes > MAX_NODES {
            let message = format!(
                "the document has more than {MAX_NODES} nodes once its aliases are expanded"
            );
            self.problem(node.span, message);
            return None;
        }
        if anchor != 0 {
            let size = size_of(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open {
                content: Content::Sequence(items),
                ..
            }) => items.push(node),
            Some(Open {
                content: Content::Mapping { entries, seen, key },
                ..
            }) => match key.take() {
                Some(key) if is_first(&key, seen) => entries.push((key, node)),
                // The key was reported as a duplicate or a merge key when it was read, so the entry is dropped.
                Some(_) => {}
                None => *key = Some(take_key(&node, seen, self.sink)?),
            },
        }
        Some(())
    }
}

/// The YAML merge key, which includes the keys of another mapping.
const MERGE: &str = "<<";

/// Reads the key of a mapping: it must be a scalar, not `<<`, and not a duplicate.
fn take_key(
    node: &Node,
    seen: &mut BTreeMap<String, Span>,
    sink: &mut Sink,
) -> Option<Spanned<String>> {
    let NodeKind::Scalar(scalar) = &node.kind else {
        sink.push_lost(Diagnostic::new(
            Code::PM0101,
            node.span,
            "this key is a list or a map, but a key must be a scalar",
        ));
        return None;
    };
    let key = scalar.text.to_string();
    if key == MERGE {
        sink.push_lost(
            Diagnostic::new(
                Code::PM0101,
                node.span,
                "merge keys (`<<`) are not supported",
            )
            .help("write out the keys, or use an anchor and an alias for the whole value"),
        );
    } else if let Some(first) = seen.get(&key) {
        sink.push_lost(
            Diagnostic::new(Code::PM0104, node.span, format!("duplicate key `{key}`"))
                .also(*first, "first used here")
                .help("remove one of the two"),
        );
    } else {
        seen.insert(key.clone(), node.span);
    }
    Some(Spanned::new(key, node.span))
}

/// Returns whether a key was accepted rather than rejected as a duplicate or a merge key.
fn is_first(key: &Spanned<String>, seen: &BTreeMap<String, Span>) -> bool {
    let first = seen.get(&key.node);
    first.is_some_and(|first| first.order() == key.span.order())
}

fn end_of(kind: &NodeKind) -> Option<Span> {
    match kind {
        NodeKind::Scalar(_) => None,
        NodeKind::Sequence(items) => items.last().map(|node| node.span),
        NodeKind::Mapping(entries) => entries.last().map(|(key, node)| key.span.to(node.span)),
    }
}

/// Returns the number of nodes that a text counts as.
fn weight(scalar: &Scalar) -> usize {
    1 + scalar.text.len() / BYTES_A_NODE
}

/// Returns the number of nodes that a node represents. Anchored nodes were within the limit, so this number is bounded.
fn size_of(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Scalar(scalar) => weight(scalar),
        NodeKind::Sequence(items) => 1 + items.iter().map(size_of).sum::<usize>(),
        NodeKind::Mapping(entries) => {
            1 + entries.iter().map(|(_, n)| 1 + size_of(n)).sum::<usize>()
        }
    }
}
