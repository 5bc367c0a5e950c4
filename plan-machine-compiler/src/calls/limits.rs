//! Limits on the size of a calls document. They exist because each rule is compared with all rules
//! before it.

use super::ast::Document;
use crate::diagnostic::Sink;
use crate::source::Span;

const TOOLS: usize = 2_000;
const CLASSES: usize = 200;
const RULES: usize = 2_000;
const EXAMPLES: usize = 10_000;
/// The maximum total number of tools, commands, folders and arguments of all rules.
const USES: usize = 20_000;

/// Reports the limits that a document exceeds; returns whether it exceeds any.
pub(super) fn exceed(document: &Document, sink: &mut Sink) -> bool {
    let uses = document.rules.iter().flat_map(|rule| {
        let tools = rule.tools.iter().map(|tool| tool.span);
        let lists = rule.command.iter().chain(&rule.path);
        let lists = lists.chain(&rule.arguments);
        tools.chain(lists.flat_map(|list| list.node.iter().map(|item| item.span)))
    });
    let tools = document.tools.iter().map(|tool| tool.name.span);
    let classes = document.classes.iter().map(|class| class.span);
    let rules = document.rules.iter().map(|rule| rule.span);
    let examples = document.examples.iter().map(|example| example.span);
    let all: [(usize, &str, Vec<Span>); 5] = [
        (TOOLS, "tools", tools.collect()),
        (CLASSES, "classes", classes.collect()),
        (RULES, "rules", rules.collect()),
        (
            USES,
            "tools, commands, folders and arguments of rules",
            uses.collect(),
        ),
        (EXAMPLES, "examples", examples.collect()),
    ];
    sink.report_exceeded(&all)
}
