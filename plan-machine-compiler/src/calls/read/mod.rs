//! Converts the nodes of a file to the syntax tree of a calls document.
//!
//! Guarantees after this pass: every key is allowed where it appears and every value has the required shape, unless a
//! diagnostic was reported.

mod json;
pub(super) mod rule;
pub(super) mod tool;

use super::ast::{Document, Example};
use super::reader::{Reader, start};
use super::shorten::shortened;
use super::tree::{Node, NodeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::ast::Name;

pub(super) const KEYS: [&str; 7] = [
    "calls",
    "doc",
    "tools",
    "classes",
    "rules",
    "otherwise",
    "examples",
];
pub(super) const EXAMPLE_KEYS: [&str; 3] = ["tool", "with", "class"];

/// The maximum length of the name of a tool or an argument, in bytes.
const LONGEST_NAME: usize = 200;

/// Reads a document.
pub(super) fn document(reader: &mut Reader<'_>, root: &Node) -> Document {
    let mut document = Document::default();
    let entries = reader.map(root, "a calls document");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "calls" => document.name = reader.name(node, "the name of the document"),
            "doc" => document.doc = reader.prose(node, "`doc`"),
            "tools" => document.tools = tool::tools(reader, node),
            "classes" => document.classes = classes(reader, node),
            "rules" => document.rules = rule::rules(reader, node),
            "otherwise" => document.otherwise = reader.name(node, "`otherwise`"),
            "examples" => document.examples = examples(reader, node),
            _ => reader.unknown_key(key, "a calls document", &KEYS),
        }
    }
    let start = start(&entries, root);
    let required = ["calls", "classes", "rules"];
    reader.require(&entries, start, "this calls document", &required);
    if !entries.iter().any(|(key, _)| key.node == "otherwise") {
        let message = "this calls document has no `otherwise`, which is required";
        let help = "`otherwise` is the class of every call that no rule matches, so it must be the class with the fewest permissions, for example `otherwise: writes`";
        reader.report(Diagnostic::new(Code::PM0107, start, message).help(help));
    }
    document
}

fn classes(reader: &mut Reader<'_>, node: &Node) -> Vec<Name> {
    let before = reader.problems();
    let classes = reader.names(node, "`classes`");
    if classes.is_empty() && reader.problems() == before {
        reader.shape(node.span, "`classes` is empty; list at least one class");
    }
    classes
}

fn examples(reader: &mut Reader<'_>, node: &Node) -> Vec<Example> {
    let items = reader.list(node, "`examples`");
    items
        .iter()
        .filter_map(|item| example(reader, item))
        .collect()
}

fn example(reader: &mut Reader<'_>, node: &Node) -> Option<Example> {
    let (mut tool, mut class) = (None, None);
    let mut arguments = json::none();
    let entries = reader.map(node, "an example");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "tool" => tool = outside_name(reader, node, "`tool`"),
            "with" => {
                reader.map(node, "`with`");
                arguments = json::json(node);
            }
            "class" => class = reader.name(node, "`class`"),
            _ => reader.unknown_key(key, "an example", &EXAMPLE_KEYS),
        }
    }
    let required = ["tool", "class"];
    reader.require(&entries, start(&entries, node), "this example", &required);
    Some(Example {
        span: node.span,
        tool: tool?,
        arguments,
        class: class?,
    })
}

/// Reads the name of a tool or of an argument. The agent chose the name, so it need not follow the
/// rules for names in a spec.
fn outside_name(reader: &mut Reader<'_>, node: &Node, what: &str) -> Option<Name> {
    let name = reader.text(node, what)?;
    is_outside_name(reader, &name).then_some(name)
}

/// Returns whether a tool or an argument can have this name, and reports the name if it cannot.
fn is_outside_name(reader: &mut Reader<'_>, name: &Name) -> bool {
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
    let fits = !name.node.is_empty() && name.node.len() <= LONGEST_NAME;
    if name.node.contains(['*', '?']) {
        let message = format!(
            "`{}` is a pattern, but names are compared exactly",
            shortened(&name.node)
        );
        let help = "list each name; calls that no rule matches get the class of `otherwise`";
        reader.report(Diagnostic::new(Code::PM0107, name.span, message).help(help));
        return false;
    }
    if fits && !name.node.contains(is_odd) {
        return true;
    }
    let message = "expected the name of a tool or an argument, with 1 to 200 bytes and no spaces";
    reader.shape(name.span, message);
    false
}

/// Reads a name, or a list of names, that the agent chose.
fn outside_names(reader: &mut Reader<'_>, node: &Node, what: &str) -> Vec<Name> {
    one_or_more(node)
        .iter()
        .filter_map(|item| outside_name(reader, item, what))
        .collect()
}

/// Returns the items of a list, or the value itself.
fn one_or_more(node: &Node) -> &[Node] {
    match &node.kind {
        NodeKind::Sequence(items) => items,
        _ => std::slice::from_ref(node),
    }
}
