//! The calls documents that are expensive to check.

use super::{Family, lines, row};

pub(super) const FAMILIES: [(&str, Family); 5] = [
    ("rules", |bytes| {
        document(&lines(bytes, 2_000, |at| {
            format!("  - {{ tool: T{at}, class: reads }}\n")
        }))
    }),
    ("rules_alike", |bytes| {
        let all = row(bytes / 2_000, 10, ", ", |at| format!("c{at}"));
        document(&lines(bytes, 1_600, |at| {
            format!("  - {{ tool: Bash, command: {{ only: [{all}, d{at}] }}, class: reads }}\n")
        }))
    }),
    ("listed_commands", |bytes| {
        let all = row(bytes, 19_000, ", ", |at| format!("c{at} x y z"));
        document(&format!(
            "  - {{ tool: Bash, command: {{ only: [{all}] }}, class: reads }}\n"
        ))
    }),
    ("folders", |bytes| {
        let deep = row(1_000, 19, "/", |at| format!("f{at}"));
        let all = row(bytes, 19_000, ", ", |at| format!("g{at}/{deep}"));
        document(&format!(
            "  - {{ tool: Write, path: {{ under: [{all}] }}, class: reads }}\n"
        ))
    }),
    ("examples", |bytes| {
        let command = "ls && ".repeat(50);
        let examples = lines(bytes, 10_000, |_| {
            format!("  - {{ tool: Bash, with: {{ command: \"{command}rm x\" }}, class: writes }}\n")
        });
        let rules = "  - { tool: Bash, command: { only: [ls] }, class: reads }\n";
        format!("{}examples:\n{examples}", document(rules))
    }),
];

fn document(rules: &str) -> String {
    format!(
        "calls: Hostile\ntools: {{ Bash: {{ command: command }}, Write: {{ path: file_path }} }}\n\
         classes: [reads, writes]\nrules:\n{rules}otherwise: writes\n"
    )
}
