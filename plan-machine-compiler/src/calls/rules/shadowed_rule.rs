//! PM1002: no earlier rule matches every call that a rule lists.
//!
//! A listed command covers only itself, not longer commands that begin with it: a longer command, such as
//! `git remote get-url`, can have its own entry in the table of harmless flags, and that entry can allow more. The
//! compiler does not have this table.

use std::collections::{HashMap, HashSet};

use crate::calls::ast::{Document, Rule};
use crate::diagnostic::{Code, Diagnostic, Loss, Sink};

/// For each tool, the earlier rules about it, each with the commands that it lists.
type EarlierRules<'d> = HashMap<&'d str, Vec<(&'d Rule, HashSet<&'d [String]>)>>;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    // A condition that could not be read would seem to match no call, or every call.
    if sink.lacks(&[Loss::Text]) {
        return;
    }
    let mut earlier: EarlierRules<'_> = HashMap::new();
    for rule in &document.rules {
        for tool in &rule.tools {
            let before = earlier.entry(tool.as_str()).or_default();
            let mut covering = before.iter();
            let covering =
                covering.find(|(one, only)| !std::ptr::eq(*one, rule) && covers(one, only, rule));
            if let Some((first, _)) = covering {
                let name = &tool.node;
                let message = format!(
                    "this rule never matches a call to `{name}`: an earlier rule matches every such call"
                );
                let remove = match rule.tools.len() {
                    1 => "this rule, or put it".to_owned(),
                    _ => format!("`{name}` from this rule, or put the rule"),
                };
                let found = Diagnostic::new(Code::PM1002, tool.span, message)
                    .also(first.span, "this rule comes first")
                    .help(format!(
                        "the first match wins: remove {remove} before the earlier rule"
                    ));
                sink.push(found);
                continue;
            }
            let commands = rule.command.iter().flat_map(|items| &items.node);
            let only = commands.map(|item| item.node.as_slice()).collect();
            before.push((rule, only));
        }
    }
}

/// Returns whether a rule matches every call that a later rule matches.
fn covers(earlier: &Rule, only: &HashSet<&[String]>, later: &Rule) -> bool {
    let commands = match (&earlier.command, &later.command) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(later)) => {
            let mut listed = later.node.iter();
            listed.all(|item| only.contains(item.node.as_slice()))
        }
    };
    let paths = match (&earlier.path, &later.path) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(earlier), Some(later)) => later.node.iter().all(|inner| {
            let mut outer = earlier.node.iter();
            outer.any(|outer| inner.node.starts_with(&outer.node))
        }),
    };
    let arguments = match (&earlier.arguments, &later.arguments) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(earlier), Some(later)) => later.node.iter().all(|inner| {
            let mut known = earlier.node.iter();
            known.any(|outer| inner.node == outer.node)
        }),
    };
    commands && paths && arguments
}
