//! Compares two versions of a calls document: the changes can affect the classes of calls.

use plan_machine_kernel::calls::{Document, Rule, ToolArguments};

use super::model::Calls;
use crate::diagnostic::Sink;
use crate::diff::{Concern, Difference, Fact, Facts, compare};

/// Compares two versions of a calls document.
#[must_use]
pub fn diff_calls(old: &Calls, new: &Calls) -> Difference {
    let facts = |calls: &Calls| -> Vec<Fact> {
        let mut facts = Facts::default();
        add_facts(&mut facts, &calls.document);
        facts.into_all()
    };
    Difference::new(compare(&facts(old), &facts(new)), Sink::default())
}

/// Adds the facts that a calls document states.
pub(crate) fn add_facts(facts: &mut Facts, document: &Document) {
    let name = vec![document.name.clone()];
    facts.add("calls document", "", name);
    facts.marked(Concern::Gating, "classes", "", document.classes.clone());
    for tool in &document.tools {
        let parts = arguments(tool);
        facts.marked(Concern::Gating, "arguments of", &tool.name, parts);
    }
    let rules = document.rules.iter();
    let mut tools: Vec<&String> = rules.flat_map(|rule| &rule.tools).collect();
    tools.sort_unstable();
    tools.dedup();
    for tool in tools {
        let rules = document.rules.iter();
        let rules = rules.filter(|rule| rule.tools.contains(tool));
        let parts = rules.flat_map(|rule| conditions(document, rule));
        facts.marked(Concern::Gating, "calls to", tool, parts.collect());
    }
    let otherwise = document.class(document.otherwise).to_owned();
    facts.marked(Concern::Gating, "other calls", "", vec![otherwise]);
}

/// Describes a rule as a list of parts: one part for each command or, if the rule has no commands, one part for each
/// folder. A small change to the rule then changes only a few parts. A rule with commands and folders matches only
/// calls that meet both conditions, so the part of each command also lists the folders.
fn conditions(document: &Document, rule: &Rule) -> Vec<String> {
    let class = document.class(rule.class);
    let only = rule.arguments.as_ref();
    let only = only.map_or_else(String::new, |names| {
        format!(" with no arguments but {}", listed(names))
    });
    let commands = rule.command.as_ref().map(|rule| {
        let commands = rule.only.iter();
        commands.map(|words| format!("`{}`", words.join(" ")))
    });
    let folders = rule.path.as_ref().map(|rule| {
        let folders = rule.under.iter();
        folders.map(|names| format!("`{}`", folder(names)))
    });
    let all: Vec<String> = match (commands, folders) {
        (None, None) => vec!["all".to_owned()],
        (Some(commands), None) => commands.collect(),
        (None, Some(folders)) => folders.map(|folder| format!("under {folder}")).collect(),
        (Some(commands), Some(folders)) => {
            let folders: Vec<String> = folders.collect();
            let folders = folders.join(" or ");
            commands
                .map(|command| format!("{command} under {folders}"))
                .collect()
        }
    };
    let all = all.into_iter();
    all.map(|part| format!("{part}{only} (class {class})"))
        .collect()
}

fn folder(names: &[String]) -> String {
    if names.is_empty() {
        ".".to_owned()
    } else {
        names.join("/")
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn arguments(tool: &ToolArguments) -> Vec<String> {
    let ToolArguments {
        name: _,
        command,
        folder,
        paths,
        patch,
        reads,
        ignores,
    } = tool;
    let one = |what: &str, name: &Option<String>| {
        let name = name.as_ref();
        name.map(|name| format!("{what} in `{name}`"))
    };
    let many = |what: &str, names: &[String]| {
        let is_some = !names.is_empty();
        is_some.then(|| format!("{what} {}", names.join(", ")))
    };
    let parts = [
        one("a command", command),
        one("a folder", folder),
        many("paths in", paths),
        one("a patch", patch),
        reads.then(|| "only read".to_owned()),
        many("ignores", ignores),
    ];
    parts.into_iter().flatten().collect()
}
