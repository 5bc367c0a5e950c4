//! A description as a spec of plan-machine, and the verdict of its compiler.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{Verdict as Proved, compile};

use crate::description::{Change, Comparison, Description, Field, Rule, Test, Verdict};

/// Writes the spec of a machine.
pub fn spec(described: &Description) -> String {
    let mut text = "machine: Ring\ndata:\n".to_owned();
    for Field { name, is_flag } in &described.fields {
        let (ty, default) = if *is_flag {
            ("bool", "false")
        } else {
            ("int", "0")
        };
        let _ = writeln!(text, "  {name}: {{ type: {ty}, default: {default} }}");
    }
    let events: BTreeSet<&str> = described.rules.iter().map(|rule| &*rule.event).collect();
    text.push_str("commands:\n");
    for event in events {
        let _ = writeln!(text, "  {event}: /{event}");
    }
    text.push_str("states:\n");
    for location in 0..described.locations - 1 {
        let _ = writeln!(text, "  {}:\n    on:", state(described, location));
        for rule in described.rules.iter().filter(|rule| rule.from == location) {
            let _ = writeln!(
                text,
                "      {}: {{ {} }}",
                rule.event,
                step(described, rule)
            );
        }
    }
    text.push_str("  ended: { final: true }\ninvariants:\n");
    let all = |tests: &Vec<Test>| {
        let tests: Vec<String> = tests
            .iter()
            .map(|test| condition(described, test))
            .collect();
        format!("({})", tests.join(" and "))
    };
    let never: Vec<String> = described.never.iter().map(all).collect();
    let _ = writeln!(text, "  property: never ({})", never.join(" or "));
    text
}

fn state(described: &Description, location: usize) -> String {
    match location {
        0 => "none".to_owned(),
        end if end + 1 == described.locations => "ended".to_owned(),
        at => format!("s{at}"),
    }
}

fn step(described: &Description, rule: &Rule) -> String {
    let mut parts = Vec::new();
    if let Some(guard) = &rule.guard {
        let that = condition(described, guard);
        parts.push(format!("require: [{{ that: {that}, else: Not now. }}]"));
    }
    if rule.to != rule.from {
        parts.push(format!("to: {}", state(described, rule.to)));
    }
    if rule.to + 1 == described.locations {
        parts.push("next: none".to_owned());
    }
    let change = |(field, change): &(usize, Change)| {
        let Field { name, is_flag } = &described.fields[*field];
        match change {
            Change::Set(value) if *is_flag => format!("{name}: {}", *value == 1),
            Change::Set(value) => format!("{name}: {value}"),
            Change::Increment => format!("{name}: {name} + 1"),
            Change::Decrement => format!("{name}: {name} - 1"),
            Change::Flip => format!("{name}: not {name}"),
        }
    };
    let changes: Vec<String> = rule.changes.iter().map(change).collect();
    if !changes.is_empty() {
        parts.push(format!("set: {{ {} }}", changes.join(", ")));
    }
    parts.join(", ")
}

fn condition(described: &Description, test: &Test) -> String {
    let Field { name, is_flag } = &described.fields[test.field];
    if *is_flag {
        return name.clone();
    }
    let operator = match test.is {
        Comparison::Less => "<",
        Comparison::Equal => "==",
        Comparison::Greater => ">",
    };
    format!("{name} {operator} {}", test.value)
}

/// Compiles a spec. Returns the verdict on its property, and the number of configurations.
///
/// # Panics
/// If the spec breaks a rule of the language.
pub fn check(text: &str) -> (Verdict, usize) {
    let mut sources = SourceMap::default();
    let file = sources.add("ring.yaml", text);
    let compilation = compile(&sources, file);
    let report = compilation.report.expect("a spec that can be read");
    let [property] = &report.invariants[..] else {
        panic!("a spec with one invariant: {:#?}", compilation.diagnostics);
    };
    let verdict = match property.verdict {
        Proved::Proved => Verdict::Holds,
        Proved::Broken => Verdict::Broken,
        Proved::Unknown => Verdict::Unknown,
    };
    (verdict, report.explored)
}
