//! Shared parts of the reader: scalars, names, lists, expressions and unknown keys.

use std::collections::HashSet;
use std::rc::Rc;

use super::habits;
use super::shorten::shortened;
use super::tree::{Node, NodeKind, Scalar};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::{Condition, Expr, ExprKind, Literal, LiteralKind, Name};
use crate::syntax::expr::{self, Located};

/// The maximum number of tokens of all expressions of a document. An alias repeats the tokens of its expressions, and
/// each token takes a few hundred bytes of memory until the document is checked.
const MAX_TOKENS: usize = 1_000_000;

/// The entries of a map.
pub(crate) type Entries = Rc<Vec<(Name, Node)>>;

/// Returns the position of the first key of a map, or that of the whole map if it has no keys.
pub(crate) fn start(entries: &Entries, map: &Node) -> Span {
    entries.first().map_or(map.span, |(key, _)| key.span)
}

/// Turns nodes into values and reports nodes that have the wrong shape.
pub(crate) struct Reader<'a> {
    file: FileId,
    source: &'a str,
    sink: &'a mut Sink,
    /// The positions of the declarations that `lose` has already recorded: an alias repeats a position.
    lost: HashSet<(u32, u32, u32)>,
    /// The number of tokens of the expressions that were read.
    tokens: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: FileId, source: &'a str, sink: &'a mut Sink) -> Self {
        Self {
            file,
            source,
            sink,
            lost: HashSet::new(),
            tokens: 0,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.sink.push_lost(diagnostic);
    }

    /// Records the names in a declaration that could not be fully read, so that their uses are not reported as well.
    pub(crate) fn lose(&mut self, name: &Name, node: &Node) {
        // Names cannot contain `-`, but people write `-` instead of `_` by mistake.
        self.sink.lose_names(&name.node.replace('-', "_"));
        if self.lost.insert(node.span.order()) {
            let source = self.source_of(node.span);
            self.sink.lose_names(source);
        }
    }

    fn source_of(&self, span: Span) -> &'a str {
        let bytes = span.start as usize..span.end as usize;
        self.source.get(bytes).unwrap_or("")
    }

    /// Sets whether the following diagnostics concern only an invariant or a scenario.
    pub(crate) fn set_aside(&mut self, aside: bool) {
        self.sink.set_aside(aside);
    }

    /// Returns the number of problems reported so far.
    pub(crate) fn problems(&self) -> usize {
        self.sink.count()
    }

    /// Reports a value of the wrong shape.
    pub(crate) fn shape(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(Code::PM0107, span, message));
    }

    /// Reports a key that is not allowed where it appears.
    pub(crate) fn unknown_key(&mut self, key: &Name, place: &str, known: &[&'static str]) {
        let message = format!("`{}` is not a key of {place}", key.node);
        let found = Diagnostic::new(Code::PM0103, key.span, message).did_you_mean_one_of(
            self.sink,
            &key.node,
            known.iter().copied(),
        );
        let meant = habits::key(&key.node).filter(|meant| known.contains(meant));
        let found = if let Some(meant) = meant.filter(|_| found.help.is_empty()) {
            found.help(format!("did you mean `{meant}`?"))
        } else {
            found
        };
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let found = if let Some(help) = habits::no_space(&key.node) {
            found.help(help)
        } else if !key.node.chars().all(is_word) {
            // For example, `{ reply: f(a, b) }` has the key `b)`.
            found.help(
                "inside `{ }`, a comma starts the next entry: put an expression with a comma on a \
                separate line without braces, and put a string with a comma in quotes",
            )
        } else if found.help.is_empty() {
            found.help(format!("keys allowed in {place}: {}", known.join(", ")))
        } else {
            found
        };
        self.report(found);
    }

    /// Reports, at the position `at`, each of these required keys that `what` does not have.
    pub(crate) fn require(&mut self, entries: &Entries, at: Span, what: &str, keys: &[&str]) {
        let has = |wanted: &str| entries.iter().any(|(key, _)| key.node == wanted);
        for missing in keys.iter().filter(|key| !has(key)) {
            self.shape(at, format!("{what} has no `{missing}`, which is required"));
        }
    }

    /// Returns the entries of a map; a missing value counts as an empty map.
    pub(crate) fn map(&mut self, node: &Node, what: &str) -> Entries {
        match &node.kind {
            NodeKind::Mapping(entries) => Rc::clone(entries),
            NodeKind::Scalar(scalar) if is_nothing(scalar) => Rc::default(),
            _ => {
                self.misshapen(node, what, "a map of keys and values");
                Rc::default()
            }
        }
    }

    /// Reports a value that does not have the shape that its key expects, with an example if there is one.
    fn misshapen(&mut self, node: &Node, what: &str, expected: &str) {
        let found = match &node.kind {
            NodeKind::Scalar(scalar) if is_nothing(scalar) => "nothing",
            NodeKind::Scalar(_) => "a single value",
            NodeKind::Sequence(_) => "a list",
            NodeKind::Mapping(_) => "a map",
        };
        let message = format!("{what} must be {expected}, found {found}");
        let diagnostic = Diagnostic::new(Code::PM0107, node.span, message);
        self.report(match habits::example(what) {
            Some(example) => diagnostic.help(format!("write `{example}`")),
            None => diagnostic,
        });
    }

    /// Returns the items of a list.
    pub(crate) fn list(&mut self, node: &Node, what: &str) -> Rc<Vec<Node>> {
        if let NodeKind::Sequence(items) = &node.kind {
            Rc::clone(items)
        } else {
            self.misshapen(node, what, "a list");
            Rc::default()
        }
    }

    /// Returns the text of a scalar.
    pub(crate) fn text(&mut self, node: &Node, what: &str) -> Option<Name> {
        match &node.kind {
            NodeKind::Scalar(scalar) if !is_nothing(scalar) => {
                Some(Spanned::new(scalar.text.to_string(), node.span))
            }
            _ => {
                self.misshapen(node, what, "a string");
                None
            }
        }
    }

    /// Reads text for people or for the model, without surrounding whitespace.
    pub(crate) fn prose(&mut self, node: &Node, what: &str) -> Option<Name> {
        let text = self.text(node, what)?;
        Some(text.map(|text| text.trim().to_owned()))
    }

    /// Reads a scalar that is a name.
    pub(crate) fn name(&mut self, node: &Node, what: &str) -> Option<Name> {
        let name = self.text(node, what)?;
        self.is_name(&name).then_some(name)
    }

    /// Returns whether `name` is a valid name; a name that is not valid is reported.
    pub(crate) fn is_name(&mut self, name: &Name) -> bool {
        let mut letters = name.node.chars();
        let begins = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        let goes_on = letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        let short = name.node.len() <= 100;
        if !(begins && goes_on && short) {
            let message = format!("`{}` is not a valid name", shortened(&name.node));
            let help = habits::no_space(&name.node).unwrap_or_else(|| {
                "a name starts with a letter, followed by letters, digits and `_`; it has at most 100 characters"
                    .to_owned()
            });
            self.report(Diagnostic::new(Code::PM0107, name.span, message).help(help));
        }
        begins && goes_on && short
    }

    pub(crate) fn names(&mut self, node: &Node, what: &str) -> Vec<Name> {
        let items = self.list(node, what);
        items
            .iter()
            .filter_map(|item| self.name(item, "an item"))
            .collect()
    }

    /// Reads a scalar that is an integer.
    pub(crate) fn integer(&mut self, node: &Node, what: &str) -> Option<Spanned<i64>> {
        let text = self.text(node, what)?;
        if let Ok(number) = text.node.parse() {
            Some(Spanned::new(number, node.span))
        } else {
            self.shape(node.span, format!("{what} must be a 64-bit integer"));
            None
        }
    }

    pub(crate) fn bool(&mut self, node: &Node, what: &str) -> bool {
        match &node.kind {
            NodeKind::Scalar(scalar) if &*scalar.text == "true" => true,
            NodeKind::Scalar(scalar) if &*scalar.text == "false" => false,
            _ => {
                let found = match &node.kind {
                    NodeKind::Scalar(scalar) => format!("`{}`", shortened(&scalar.text)),
                    _ => "a list or a map".to_owned(),
                };
                self.shape(
                    node.span,
                    format!("{what} must be `true` or `false`, found {found}"),
                );
                false
            }
        }
    }

    /// Returns the position of the value if it is `true`.
    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> Option<Span> {
        self.bool(node, what).then_some(node.span)
    }

    fn located<'t>(&self, text: &'t str, span: Span) -> Located<'t> {
        let source = self.source_of(span);
        Located::new(text, self.file, source, span.start as usize)
    }

    /// Parses a text. Once the limit on tokens is exceeded, nothing more is parsed.
    fn parsed<T>(
        &mut self,
        text: &str,
        span: Span,
        parse: fn(&Located<'_>) -> Result<T, Box<Diagnostic>>,
    ) -> Option<T> {
        if self.tokens > MAX_TOKENS {
            return None;
        }
        let located = self.located(text, span);
        let parsed = parse(&located);
        self.tokens = self.tokens.saturating_add(located.tokens());
        if self.tokens > MAX_TOKENS {
            let message = format!(
                "the expressions of the document have more than {MAX_TOKENS} tokens once its aliases are expanded"
            );
            let found = Diagnostic::new(Code::PM0101, span, message);
            self.report(found.label("the first expression beyond the limit"));
            return None;
        }
        parsed.map_err(|found| self.report(*found)).ok()
    }

    /// Reads a scalar that is always an expression, quoted or not.
    pub(crate) fn condition(&mut self, node: &Node, what: &str) -> Option<Condition> {
        let text = self.text(node, what)?;
        let expr = self.parsed(&text.node, node.span, expr::expression)?;
        let text = text.node.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Condition { expr, text })
    }

    /// Reads a scalar that is an invariant.
    pub(crate) fn invariant(
        &mut self,
        node: &Node,
    ) -> Option<(Spanned<crate::syntax::ast::Property>, String)> {
        let text = self.text(node, "an invariant")?;
        let property = self.parsed(&text.node, node.span, expr::invariant)?;
        let text = text.node.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((property, text))
    }

    /// Reads a scalar that is always a string with `{expr}` parts.
    pub(crate) fn template(&mut self, node: &Node, what: &str) -> Option<Expr> {
        let text = self.text(node, what)?;
        self.parsed(&text.node, node.span, expr::template)
    }

    /// Reads a value: a plain scalar is an expression, a quoted or block scalar is a string, a list is a list of
    /// values, and a map is a record.
    pub(crate) fn value(&mut self, node: &Node) -> Option<Expr> {
        match &node.kind {
            NodeKind::Scalar(scalar) if is_nothing(scalar) => {
                let message = "expected a value, found nothing";
                let help = "write an expression after the colon; a string that contains an expression is quoted: \
                    `\"{title}\"`";
                self.report(Diagnostic::new(Code::PM0107, node.span, message).help(help));
                None
            }
            NodeKind::Scalar(scalar) => {
                let parse = if scalar.plain {
                    expr::expression
                } else {
                    expr::template
                };
                self.parsed(&scalar.text, node.span, parse)
            }
            NodeKind::Sequence(items) => {
                let items = items.iter().filter_map(|item| self.value(item)).collect();
                Some(Spanned::new(ExprKind::List(items), node.span))
            }
            NodeKind::Mapping(entries) => {
                let fields = self.assignments_of(entries);
                Some(Spanned::new(ExprKind::Record(fields), node.span))
            }
        }
    }

    /// Reads a map of names to values.
    pub(crate) fn assignments(&mut self, node: &Node, what: &str) -> Vec<(Name, Expr)> {
        let entries = self.map(node, what);
        self.assignments_of(&entries)
    }

    fn assignments_of(&mut self, entries: &Entries) -> Vec<(Name, Expr)> {
        entries
            .iter()
            .filter_map(|(key, node)| Some((key.clone(), self.value(node)?)))
            .collect()
    }
}

/// Reads a literal value, which is not evaluated.
pub(crate) fn literal(node: &Node) -> Literal {
    let kind = match &node.kind {
        NodeKind::Scalar(scalar) => LiteralKind::Scalar {
            text: scalar.text.to_string(),
            quoted: !scalar.plain,
        },
        NodeKind::Sequence(items) => LiteralKind::List(items.iter().map(literal).collect()),
        NodeKind::Mapping(entries) => {
            let entries = entries.iter();
            LiteralKind::Map(
                entries
                    .map(|(key, node)| (key.clone(), literal(node)))
                    .collect(),
            )
        }
    };
    Literal {
        span: node.span,
        kind,
    }
}

/// Returns whether the scalar is the missing value after a bare `key:`.
pub(crate) fn is_nothing(scalar: &Scalar) -> bool {
    scalar.plain && scalar.text.is_empty()
}
