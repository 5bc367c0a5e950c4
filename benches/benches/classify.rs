//! The time to classify a tool call.

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
    let mut sources = SourceMap::default();
    let file = sources.add("claude_code.yaml", text);
    let calls = compile_calls(&sources, file)
        .calls
        .expect("a valid document");
    let project = Project::new(root());
    let classifier = Classifier::new(calls.document.clone(), FlagsTable::built_in(), project);
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
        let arguments: Object = [(key, value)].into_iter().collect();
        let arguments = Json::from(arguments);
        let time = best_of(5, || {
            for _ in 0..CALLS {
                black_box(classifier.classify(black_box(tool), &arguments));
            }
        });
        let each = time / CALLS;
        let note = above(each, LIMIT);
        println!("{:<60} {each:>12?}{note}", format!("{tool} {value}"));
    }
}
