//! A description as a Promela model. Each rule is one indivisible step, so that SPIN stores the same states as the
//! other checkers.

use std::fmt::Write as _;

use crate::description::{Change, Description, Field, Rule, Test};

/// Writes the model of a machine.
pub fn model(described: &Description) -> String {
    let mut text = "byte at = 0;\n".to_owned();
    for Field { name, is_flag } in &described.fields {
        let ty = if *is_flag { "bool" } else { "byte" };
        let _ = writeln!(text, "{ty} {name} = 0;");
    }
    let all = |tests: &Vec<Test>| {
        let tests: Vec<String> = tests
            .iter()
            .map(|test| condition(described, test))
            .collect();
        format!("({})", tests.join(" && "))
    };
    let never: Vec<String> = described.never.iter().map(all).collect();
    let _ = writeln!(text, "#define PROPERTY !({})", never.join(" || "));
    // A label that begins with `end` marks a place where the machine may stop.
    text.push_str("active proctype ring() {\nend_of_step:\n  do\n");
    for rule in &described.rules {
        let _ = writeln!(text, "  :: d_step {{ {} }}", step(described, rule));
    }
    text.push_str("  od\n}\n");
    text
}

fn step(described: &Description, rule: &Rule) -> String {
    let mut text = format!("at == {}", rule.from);
    if let Some(guard) = &rule.guard {
        let _ = write!(text, " && {}", condition(described, guard));
    }
    let _ = write!(text, " -> at = {}; ", rule.to);
    for (field, change) in &rule.changes {
        let name = &described.fields[*field].name;
        let _ = match change {
            Change::Set(value) => write!(text, "{name} = {value}; "),
            Change::Increment => write!(text, "{name} = {name} + 1; "),
            Change::Decrement => write!(text, "{name} = {name} - 1; "),
            Change::Flip => write!(text, "{name} = 1 - {name}; "),
        };
    }
    text + "assert(PROPERTY)"
}

fn condition(described: &Description, test: &Test) -> String {
    let name = &described.fields[test.field].name;
    format!("{name} {} {}", test.is.operator(), test.value)
}
