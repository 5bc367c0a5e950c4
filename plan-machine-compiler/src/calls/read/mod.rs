//! Converts the nodes of a file to the syntax tree of a calls document.
//!
//! Guarantees after this pass: every key is allowed where it appears and every value has the required shape, unless a
//! diagnostic was reported.

mod json;
mod outside;
pub(super) mod rule;
pub(super) mod tool;

use super::ast::{Document, Example};
use super::reader::{Reader, start};
use super::tree::Node;
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::ast::Name;
use outside::outside_name;

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
