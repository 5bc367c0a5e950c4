//! The time to classify a tool call, and how it grows with the number of rules.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use plan_machine_benches::{above, best_of};
use plan_machine_calls::{Classifier, FlagsTable, Project};
use plan_machine_compiler::compile_calls;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_tests::root;

const CALLS: u32 = 10_000;

/// The longest time that a call should take.
const LIMIT: Duration = Duration::from_micros(20);

fn main() {
    let path = root().join("specs/calls/claude_code.yaml");
    let text = std::fs::read_to_string(path).expect("a shipped document");
    let classifier = classifier(text);
    println!("{:<60} {:>12}", "a call", "time");
    for (tool, key, value) in [
        ("Read", "file_path", "README.md"),
        ("Write", "file_path", "plans/today.md"),
        ("mcp__files__put", "path", "docs/today.md"),
        ("Bash", "command", "git status"),
        ("Bash", "command", "rg -n 'fn main' src"),
        ("Bash", "command", "git log --oneline -5 | head -3"),
        (
            "Bash",
            "command",
            "cd docs && cat README.md 2>/dev/null | wc -l",
        ),
        ("Bash", "command", "git push origin main"),
        ("Bash", "command", "rm -rf .claude"),
    ] {
        let each = time_of(&classifier, tool, key, value, CALLS);
        let note = above(each, LIMIT);
        println!("{:<60} {each:>12?}{note}", format!("{tool} {value}"));
    }
    for rules in [10, 100, 1_000] {
        let classifier = self::classifier(rules_before(rules));
        let each = time_of(&classifier, "Bash", "command", "git status", 1_000);
        println!(
            "{:<60} {each:>12?}",
            format!("Bash git status, {rules} rules, the last one matches")
        );
    }
}

/// Returns a document whose last rule is the first one that a call of `git status` matches.
fn rules_before(rules: usize) -> String {
    let mut text =
        "calls: Long\ntools: { Bash: { command: command } }\nclasses: [reads, writes]\nrules:\n"
            .to_owned();
    for number in 1..rules {
        let _ = writeln!(
            text,
            "  - {{ tool: Bash, command: {{ only: [program{number}] }}, class: reads }}"
        );
    }
    text + "  - { tool: Bash, command: { only: [git status] }, class: reads }\notherwise: writes\n"
}

fn classifier(text: String) -> Classifier {
    let mut sources = SourceMap::default();
    let file = sources.add("calls.yaml", text);
    let calls = compile_calls(&sources, file).calls;
    let document = calls.expect("a valid document").document.clone();
    Classifier::new(document, FlagsTable::built_in(), Project::new(root()))
}

/// Returns the time that one call takes.
fn time_of(
    classifier: &Classifier,
    tool: &str,
    key: &'static str,
    value: &str,
    calls: u32,
) -> Duration {
    let arguments: Object = [(key, value)].into_iter().collect();
    let arguments = Json::from(arguments);
    let time = best_of(5, || {
        for _ in 0..calls {
            black_box(classifier.classify(black_box(tool), &arguments));
        }
    });
    time / calls
}
