//! Limits on the size of a calls document. They exist because each rule is compared with all rules
//! before it.

use std::collections::HashMap;

use plan_machine_kernel::calls::{self, Rule};

use super::ast::Document;
use super::model::Example;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;

const TOOLS: usize = 2_000;
const CLASSES: usize = 200;
const RULES: usize = 2_000;
const EXAMPLES: usize = 10_000;
/// The maximum total number of tools, commands, folders and arguments of all rules.
const USES: usize = 20_000;
/// The maximum work for all examples, as [`work`] counts it. This much work takes a few seconds.
const WORK: usize = 20_000_000;

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

/// Reports the example at which the total work for the examples of a document exceeds the limit; returns whether there
/// is such an example.
pub(crate) fn examples_exceed(
    rules: &calls::Document,
    examples: &[Example],
    sink: &mut Sink,
) -> bool {
    let mut prices: HashMap<&str, usize> = HashMap::new();
    for rule in &rules.rules {
        let price = price(rule);
        for tool in &rule.tools {
            *prices.entry(tool).or_default() += price;
        }
    }
    let mut left = WORK;
    for example in examples {
        let price = prices.get(example.tool.as_str()).copied();
        let Some(rest) = left.checked_sub(work(example, price.unwrap_or_default())) else {
            let message = format!(
                "the examples exceed the limit of {WORK} comparisons for a document, where each byte of an example counts \
                 once, and once more for each entry of each rule for its tool"
            );
            let found = Diagnostic::new(Code::PM0101, example.span, message);
            let found = found.label("the first example beyond the limit");
            sink.push_lost(found.help("remove or shorten examples, or remove rules"));
            return true;
        };
        left = rest;
    }
    false
}

/// Returns the most work that an example can cause with the rules for its tool. A command has at most as many parts as
/// bytes, and each rule inspects each part.
fn work(example: &Example, price: usize) -> usize {
    let bytes = example.arguments.canonical_len();
    bytes.saturating_mul(price.saturating_add(1))
}

/// Returns how many entries of a rule a part of a call can be compared with. Of the listed commands, only those with
/// the same first word are compared.
fn price(rule: &Rule) -> usize {
    let mut same_word: HashMap<&str, usize> = HashMap::new();
    let commands = rule.command.iter().flat_map(|command| &command.only);
    for word in commands.filter_map(|command| command.first()) {
        *same_word.entry(word).or_default() += 1;
    }
    let commands = same_word.into_values().max().unwrap_or_default();
    let folders = rule.path.as_ref().map_or(0, |path| path.under.len());
    let arguments = rule.arguments.as_ref().map_or(0, Vec::len);
    1 + commands + folders + arguments
}
