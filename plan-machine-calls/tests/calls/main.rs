//! Tests of the classifier through its public interface: a corpus of attempts to get around lists of commands, ordinary
//! reads, paths in real folders, the guard, and random commands.

mod corpus;
mod guard;
mod guard_trees;
mod guard_ways;
mod paths;
mod random;
mod rules;
mod running;

use std::path::Path;

use plan_machine_calls::{Class, Classification, Classifier, FlagsTable, Project};
use plan_machine_kernel::calls::{CommandRule, Document, PathRule, Rule, ToolArguments};
use plan_machine_kernel::json::{Json, Object};

/// The class of commands and tools that only read.
const READS: Class = Class::Declared(0);
const NOTES: Class = Class::Declared(1);
const WRITES: Class = Class::Declared(2);

fn text(text: &str) -> String {
    text.to_owned()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// Returns a document in which every command of the table is a read, and every write below `plans` is a note.
fn document() -> Document {
    let table = FlagsTable::built_in();
    let mut only: Vec<Vec<String>> = table.entries().map(words).collect();
    only.sort();
    Document {
        name: text("Test"),
        tools: vec![
            ToolArguments {
                command: Some(text("command")),
                folder: Some(text("workdir")),
                ..ToolArguments::named("Bash")
            },
            ToolArguments {
                paths: vec![text("file_path")],
                ..ToolArguments::named("Write")
            },
            ToolArguments {
                patch: Some(text("input")),
                ..ToolArguments::named("apply_patch")
            },
        ],
        classes: vec![text("reads"), text("notes"), text("writes")],
        rules: vec![
            Rule {
                tools: vec![text("Read"), text("Grep")],
                command: None,
                path: None,
                arguments: None,
                class: 0,
            },
            Rule {
                tools: vec![text("Write"), text("apply_patch")],
                command: None,
                path: Some(PathRule {
                    under: vec![words("plans")],
                }),
                arguments: None,
                class: 1,
            },
            Rule {
                tools: vec![text("Bash")],
                command: Some(CommandRule { only }),
                path: None,
                arguments: None,
                class: 0,
            },
        ],
        otherwise: 2,
    }
}

fn classifier(root: &Path) -> Classifier {
    let project = Project::new(root).home("/home/ann");
    Classifier::new(document(), FlagsTable::built_in(), project)
}

fn call(classifier: &Classifier, tool: &str, key: &str, value: &str) -> Classification {
    let arguments: Object = [(key.to_owned(), Json::from(value))].into_iter().collect();
    classifier.classify(tool, &arguments.into())
}

fn bash(classifier: &Classifier, command: &str) -> Classification {
    call(classifier, "Bash", "command", command)
}

/// Returns the commands in a file of the corpus.
fn commands(file: &str) -> Vec<String> {
    let lines = file.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("# "));
    let commands = lines.map(|line| match line.strip_prefix('"') {
        Some(rest) if rest.ends_with('"') || rest.is_empty() => {
            let json = Json::parse(line).expect("a JSON string");
            json.as_text().expect("a text").to_owned()
        }
        _ => line.to_owned(),
    });
    commands.collect()
}

fn evasions() -> Vec<String> {
    commands(include_str!("../data/evasions.txt"))
}

fn reads() -> Vec<String> {
    commands(include_str!("../data/reads.txt"))
}
